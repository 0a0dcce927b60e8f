#pragma once

#include "filters/execlog-stat/stat.h"

void stat_emit(const struct build_stat *, struct filter *);
