#pragma once

struct answer;
struct filter;

/*
 * --budget: a gate for the length of the path or, as wall=TIME, the wall time.
 * What is missing (build.lacks) leaves each of them between two bounds: it was
 * certainly not shorter than the low one, nor longer than the high one, if
 * there is a high one.  A budget below the low bound is exceeded, one that is
 * not below the high bound is kept, and any other cannot be judged.
 */

/* Reads a value of the option; ends the program if it is not a time. */
void budget_read(const char *text);

/*
 * Reports budgets that are exceeded (filter_answer_no()) and those that cannot
 * be judged (filter_leave_undecided()); in the report, too.
 */
void budgets_check(const struct answer *, struct filter *);
