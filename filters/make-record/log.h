#ifndef MAKE_RECORD_LOG_H
#define MAKE_RECORD_LOG_H

struct filter;

/*
 * Reads the log, and writes a task for each target and the build record.
 * Targets are named relative to the current directory.  make_status is what
 * wait(2) returned for make: if it is 0, all failures were ignored.
 */
void log_write_tasks(struct filter *, const char *path, int make_status);

#endif
