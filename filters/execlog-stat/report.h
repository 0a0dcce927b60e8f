#pragma once

#include "filters/execlog-stat/stat.h"

void stat_report(const struct build_stat *, struct filter *);
