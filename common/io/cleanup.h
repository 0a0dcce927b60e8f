#ifndef WEIR_CLEANUP_H
#define WEIR_CLEANUP_H

/*
 * For what must not be left behind: has clean() called at exit, and before
 * SIGHUP, SIGINT, SIGPIPE, SIGTERM or SIGXFSZ ends the program, unless that is
 * ignored; not in a child, unless that adds it, too.  It does what POSIX lets a
 * signal handler do, and is called again if it was interrupted.  A function
 * that is there already is not added.
 */
void cleanup_add(void (*clean)(void));

/*
 * Those signals wait in between, so that what is made there and noted for the
 * cleaning is never only made.  Not to be nested.
 */
void cleanup_block_signals(void);
void cleanup_unblock_signals(void);

#endif
