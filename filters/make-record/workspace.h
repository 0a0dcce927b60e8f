#ifndef MAKE_RECORD_WORKSPACE_H
#define MAKE_RECORD_WORKSPACE_H

/*
 * A private directory that holds what make needs to be recorded: links to this
 * program by the names of shells, the makefile that makes make use them, and
 * the log.  workspace_close() removes it, and so does this process when it dies
 * by an error or a signal.
 */
struct workspace {
	char directory[96];
	char log[112];		/* the paths of the log and the makefile */
	char rules[112];
};

void workspace_open(struct workspace *);

/*
 * Sets MAKEFLAGS, by which make and every make below it read the makefile, and
 * the variable of shell.h.
 */
void workspace_set_environment(const struct workspace *);

void workspace_close(void);

#endif
