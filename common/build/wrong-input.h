#pragma once

/*
 * Reports mistakes that would otherwise give a silent, wrong answer.  Streams
 * may be concatenated, so a record of another type is not a fault by itself.
 */
#include <stdbool.h>

struct build;
struct builds;
struct filter;

/*
 * No task came, although nodes, other records or rejected lines came.  Returns
 * whether there was a message about that, now or earlier.
 */
bool wrong_input_no_tasks(const struct builds *, struct filter *);

/* Tasks of a log came, but nothing says which of them depend on each other. */
void wrong_input_no_graph(const struct builds *);

/*
 * At least two ends, and a third of all ends, repeat another end, as they do if
 * half of the tasks came twice: the same log was probably given twice.  Or as
 * many attempts are not the first: logs of several builds were probably read as
 * one.
 */
void wrong_input_repeats(const struct build *);
