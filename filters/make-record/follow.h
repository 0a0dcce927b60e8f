#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * How make-record reaches each make: by a library (library/recorder.c) that is
 * loaded into make, and into the programs through which a recipe runs one.  A
 * program that is followed gets two variables in its environment, LD_PRELOAD
 * and FOLLOW_VARIABLE; the library removes both before the program's main(), so
 * that neither the program nor what else it runs has them.
 *
 * This file is part of make-record and of the library.
 */

#define FOLLOW_VARIABLE "WEIR_MAKE_RECORD"

enum { FOLLOW_PATH_MAX = 256, FOLLOW_ID_MAX = 80 };

/* What the variable says: "OFFSET ID DIRECTORY". */
struct follow {
	long long offset_us;	/* from CLOCK_MONOTONIC to the time of day: the
				   same in all processes, even if the clock is
				   set meanwhile */
	char id[FOLLOW_ID_MAX];	/* of the recipe line that runs this process */
	char directory[FOLLOW_PATH_MAX];	/* of the log and the library */
};

/* The names of files in the directory. */
#define FOLLOW_LOG "/log"
#define FOLLOW_LIBRARY "/recorder.so"

/* False if the value of the variable is not as above. */
bool follow_parse(struct follow *, const char *value);

/*
 * Whether the library can be loaded into a program: it is linked dynamically,
 * with the same C library for the same machine, gains no rights when it is
 * executed, and can read the library.  Of a script the interpreter counts.
 */
bool follow_can_load(const struct follow *, const char *path);

/*
 * Whether a make may be run by this program: it is a make, a shell or a script
 * of one, or a make is in its arguments, as in `nice make` or `su -c "make"`.
 */
bool follow_leads_to_make(const char *path, char *const argv[]);

/*
 * Writes the environment of a followed program to `to`: envp with the two
 * variables.  The caller provides room: follow_count() pointers, and
 * follow_size() bytes of text.  Allocates nothing, because a child of vfork(2)
 * calls it.
 */
size_t follow_count(char *const envp[]);
size_t follow_size(const struct follow *, char *const envp[]);
void follow_extend(const struct follow *, const char *id, char *const envp[],
    char **to, char *text);

/* Removes the two variables again. */
void follow_remove(const struct follow *, char **envp);
