#ifndef WEIR_CLEANUP_H
#define WEIR_CLEANUP_H

/*
 * Registers a function that removes the program's temporary files.  It is
 * called at exit, and before SIGHUP, SIGINT, SIGPIPE, SIGTERM or SIGXFSZ ends
 * the program (unless that signal is ignored).  It must be async-signal-safe,
 * and may be called again if a signal interrupts it.  A forked child does not
 * call it, unless the child registers it as well.  Registering a function twice
 * has no effect.
 */
void cleanup_add(void (*clean)(void));

/*
 * Block and unblock these signals, so that none ends the program between the
 * creation of a file and its registration for cleanup.  Calls do not nest.
 */
void cleanup_block_signals(void);
void cleanup_unblock_signals(void);

#endif
