#pragma once

#include <stddef.h>

#include "common/base/text.h"

struct filter;

/*
 * The nodes of dbt's graph, with the tests that they wait for by `dbt build`:
 * those of which all parents are upstream of the node and, before a model, its
 * unit tests.  Other commands do not wait for them, so this depends on the log:
 * a node waits for build:TEST, a phony node, which execlog-parse makes wait for
 * the test.
 */
void dbt_nodes_begin(void);
void dbt_nodes_add(struct span id, const struct span *parents, size_t n);

/*
 * Emits the nodes, in the order in which they were added, and then those of
 * tests, and releases all memory.
 */
void dbt_nodes_emit(struct filter *, struct span run);
