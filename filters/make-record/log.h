#pragma once

struct filter;
struct graph;

/*
 * Reads the log of library/recorder.c into a graph and links it.  Damaged
 * records, and what was not recorded, are faults of the filter.
 */
void log_read(struct filter *, const char *path, struct graph *);
