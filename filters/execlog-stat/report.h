#ifndef EXECLOG_STAT_REPORT_H
#define EXECLOG_STAT_REPORT_H

#include "filters/execlog-stat/stat.h"

void stat_report(const struct build_stat *, struct filter *);

#endif
