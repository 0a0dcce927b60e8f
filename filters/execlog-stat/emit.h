#ifndef EXECLOG_STAT_EMIT_H
#define EXECLOG_STAT_EMIT_H

#include "filters/execlog-stat/stat.h"

void stat_emit(const struct build_stat *, struct filter *);

#endif
