#pragma once

#include "filters/critpath/answer.h"

/* Writes what may make the answer wrong: what the graph does not have. */
void answer_report_doubts(const struct answer *, struct filter *);

/*
 * Writes the paths as a report.  If `all` is true, adds the tasks with the
 * least slack.  answer_report_notes() writes the last part of the report.
 */
void answer_report(const struct answer *, struct filter *, bool all);
void answer_report_notes(const struct answer *, struct filter *);
