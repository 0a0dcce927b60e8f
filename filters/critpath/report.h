#ifndef CRITPATH_REPORT_H
#define CRITPATH_REPORT_H

#include "filters/critpath/answer.h"

/*
 * Writes the paths as a report.  If `all` is true, adds the tasks with the
 * least slack.  answer_report_notes() writes the last part of the report.
 */
void answer_report(const struct answer *, struct filter *, bool all);
void answer_report_notes(const struct answer *, struct filter *);

#endif
