#ifndef MAKE_RECORD_SHELL_H
#define MAKE_RECORD_SHELL_H

/*
 * The part of make-record that make runs as its shell.
 *
 * make calls it by the name DIR/bin/sh, where DIR is the private directory of
 * workspace.h and /bin/sh the real shell.  The arguments of a recipe line are
 *
 *	weir:TARGET PREREQUISITE... | ORDER-ONLY... weir. FLAGS... LINE
 *
 * Other arguments are those of a call that is not a recipe line, such as
 * $(shell) or a script that a recipe runs with $(SHELL).
 */

/*
 * The variable of the environment by which a line passes its level of make and
 * its id to the lines of a make that it runs: "1:4711.1700000000000000".
 */
#define SHELL_VARIABLE "WEIR_MAKE_RECORD"

/* How the name of the private directory begins. */
#define SHELL_DIRECTORY "weir-make-"

/* The last component of the path of the log, in the private directory. */
#define SHELL_LOG "log"

/*
 * If make has called this program as its shell, runs the real shell and ends as
 * that ends; otherwise returns.
 */
void shell_run_if_called(char **argv);

#endif
