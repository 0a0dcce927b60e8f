#ifndef MAKE_RECORD_LOG_H
#define MAKE_RECORD_LOG_H

#include <stdint.h>

struct filter;

/*
 * Reads the log, and writes a task for each target and the build record, which
 * has no times if make had nothing to do.  Targets are named relative to the
 * current directory, and the run by the time at which make was started.
 * make_status is what wait(2) returned for make: if it is 0, all failures were
 * ignored.
 */
void log_write_tasks(struct filter *, const char *path, int make_status,
    int64_t began_us);

#endif
