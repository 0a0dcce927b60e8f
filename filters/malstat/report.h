#ifndef MALSTAT_REPORT_H
#define MALSTAT_REPORT_H

#include "filters/malstat/emit.h"

/* Write the answer and the summary of emit.h as text. */
void answer_report(const struct answer *, struct filter *, uint64_t top);
void summary_report(const struct trace *, struct filter *);

#endif
