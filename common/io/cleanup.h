#ifndef WEIR_CLEANUP_H
#define WEIR_CLEANUP_H

/*
 * For temporary files, which the program must remove: has clean() called at
 * exit, and before SIGHUP, SIGINT, SIGPIPE, SIGTERM or SIGXFSZ ends the program
 * (unless that signal is ignored).  clean() must be async-signal-safe, and may
 * be called again if it was interrupted.  It is not called in a child process,
 * unless that adds it as well.  Adding a function twice has no effect.
 */
void cleanup_add(void (*clean)(void));

/*
 * Blocks these signals while something is created and then registered for
 * cleanup, so that no signal comes in between.  Calls do not nest.
 */
void cleanup_block_signals(void);
void cleanup_unblock_signals(void);

#endif
