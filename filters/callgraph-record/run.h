#ifndef CALLGRAPH_RECORD_RUN_H
#define CALLGRAPH_RECORD_RUN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * What a program is given: the standard descriptors and the signals as they
 * were before anything was changed here.
 */
struct inherited {
	bool closed[3];		/* standard descriptors */
	void (*on_pipe)(int);	/* SIGPIPE: SIG_DFL or SIG_IGN */
};
void inherited_note(struct inherited *);

/*
 * Starts the command, with its standard output where standard error goes if
 * output_to_error.  If it cannot be started, says why and exits with 127 if
 * there is no such program, and 126 otherwise.  Signals are blocked when it is
 * called, and in the program they are not.
 */
pid_t run_command(char **command, const struct inherited *,
    bool output_to_error);

/* The file of a command, as execvp() finds it; NULL if there is none. */
char *run_find(const char *name);

/* Ends this process as another ended: its exit status, or its signal. */
_Noreturn void run_end_as(int wait_status);

/* A directory of our own and a socket in it, which listens. */
struct meeting {
	int fd;
	char directory[80], path[96];
};
void meeting_open(struct meeting *);
void meeting_close(struct meeting *);

#endif
