#pragma once

/*
 * Registers a function that removes the program's temporary files.  It is
 * called at exit, and before SIGHUP, SIGINT, SIGPIPE, SIGTERM or SIGXFSZ ends
 * the program (unless that signal is ignored).  It must be async-signal-safe,
 * and may be called again if a signal interrupts it.  Registering a
 * function twice has no effect, except in a forked child: the child calls none
 * of the functions that its parent registered until it registers one itself,
 * and from then on all of them.
 */
void cleanup_add(void (*clean)(void));

/* Calls these functions now, in a program that executes another one. */
void cleanup_run(void);

/*
 * Block and unblock the signals that cleanup_add() handles, so that none ends
 * the program between the creation of a file and its registration for cleanup.
 * Calls do not nest.
 */
void cleanup_block_signals(void);
void cleanup_unblock_signals(void);
