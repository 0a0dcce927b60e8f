#pragma once

struct filter;
struct graph;

/*
 * Writes a task for each target that ran, nodes, and the build record, which
 * has no times if make had nothing to do.  Targets are named relative to the
 * current directory, and the run by the time at which the command started.
 * status is what wait(2) returned for the command: if it is 0, all failures
 * were ignored.
 */
void targets_write(struct filter *, const struct graph *, int status);
