/* command - finds the program that a command names */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* eaccess */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/io/command.h"

const char *
command_find(const char *program, char *buffer, size_t size)
{
	const char *path = getenv("PATH"), *end;
	struct stat st;
	int n;

	if (strchr(program, '/') != NULL)
		return program;
	if (path == NULL)
		path = "/bin:/usr/bin";
	for (;; path = end + 1) {
		end = path + strcspn(path, ":");
		n = snprintf(buffer, size, "%.*s/%s", end > path ?
		    (int)(end - path) : 1, end > path ? path : ".", program);
		if (n > 0 && (size_t)n < size && eaccess(buffer, X_OK) == 0 &&
		    stat(buffer, &st) == 0 && S_ISREG(st.st_mode))
			return buffer;
		if (*end == '\0')
			return NULL;
	}
}
