#ifndef CALLGRAPH_RECORD_RUN_H
#define CALLGRAPH_RECORD_RUN_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * State of this process at its start.  The program inherits it, although this
 * process changes it for itself.
 */
struct inherited {
	bool is_closed[3];	/* of the standard descriptors */
	void (*sigpipe_action)(int);	/* SIG_DFL or SIG_IGN */
};
void inherited_save(struct inherited *);

/*
 * Starts the command; output_to_error redirects its standard output to standard
 * error.  If it cannot be started, prints the reason and exits: with 127 if
 * there is no such program, else with 126.  Call it with signals blocked, so
 * that none is lost; the program starts with none blocked.
 */
pid_t run_command(char **command, const struct inherited *,
    bool output_to_error);

/*
 * The path of a command, as execvp() finds it, or NULL.  The caller frees it.
 */
char *run_find_program(const char *name);

/* Ends this process with the exit status or the signal of another one. */
_Noreturn void run_exit_as(int wait_status);

/*
 * A listening socket in a private directory.  listener_close() removes both,
 * and so does this process when it dies by an error or a signal.
 */
struct listener {
	int fd;
	char directory[80], path[96];
};
void listener_open(struct listener *);
void listener_close(struct listener *);

#endif
