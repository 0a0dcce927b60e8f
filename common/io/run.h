#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * State of this process at its start.  The program inherits it, although this
 * process changes it for itself.
 */
struct inherited {
	bool is_closed[3];	/* by standard descriptor: 0, 1 and 2 */
	void (*sigpipe_handler)(int), (*sigchld_handler)(int);	/* SIG_DFL or
							   SIG_IGN */
	sigset_t mask;
	struct rlimit files;		/* RLIMIT_NOFILE */
};

/* Saves this state, and then sets SIGCHLD to its default action. */
void inherited_save(struct inherited *);

/*
 * Starts the command; output_to_error redirects its standard output to standard
 * error.  If it cannot be executed, prints the reason and exits: with 127 if
 * there is no such program, else with 126.  Call it with signals blocked, so
 * that none is lost; the program starts with the mask that was saved.  Returns
 * -1, with errno, if there can be no further process.
 */
pid_t run_command(char **command, const struct inherited *,
    bool output_to_error);

/* Likewise, but the command replaces this process. */
_Noreturn void run_in_place(char **command, const struct inherited *,
    bool output_to_error);

/* Ends this process with the exit status or the signal of another one. */
_Noreturn void run_exit_as(int wait_status);
