/* listener - opens the socket for the processes of the program */

#define _GNU_SOURCE	/* SOCK_CLOEXEC */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/err.h"
#include "filters/callgraph-record/callgraph-record.h"

void
listener_open(struct listener *l, uint64_t flags)
{
	/* A free number is found soon: few wrappers run at the same time. */
	enum { TRIES_MAX = 100, NUMBER_STEP = SOCKET_FLAGS + 1 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct rlimit limit;
	int tries = 0, error;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		die_errno("cannot create a socket");
	l->number = SOCKET_TAG | flags | ((uint64_t)clock_ns(CLOCK_MONOTONIC) *
	    NUMBER_STEP & INT32_MAX);
	do {
		l->number += NUMBER_STEP;
		snprintf(l->name, sizeof l->name, SOCKET_NAME,
		    (unsigned long long)l->number);
		memcpy(address.sun_path + 1, l->name + 1, SOCKET_NAME_LEN - 1);
		error = bind(l->fd, (const struct sockaddr *)&address,
		    offsetof(struct sockaddr_un, sun_path) + SOCKET_NAME_LEN);
	} while (error != 0 && errno == EADDRINUSE && ++tries < TRIES_MAX);
	if (error != 0 || listen(l->fd, SOMAXCONN) != 0)
		die_errno("cannot listen at '%s'", l->name);

	/* This fails if the hard limit is lower: then only the environment
	   has the name of the socket. */
	getrlimit(RLIMIT_LOCKS, &limit);
	limit.rlim_cur = l->number;
	setrlimit(RLIMIT_LOCKS, &limit);
}

bool
listener_is_descendant(const struct listener *l, pid_t pid)
{
	unsigned long long number = 0;
	char path[64], line[200];
	FILE *limits;

	/* prlimit() needs a privilege to read those of another user. */
	snprintf(path, sizeof path, "/proc/%ld/limits", (long)pid);
	limits = fopen(path, "re");
	while (limits != NULL && number == 0 &&
	    fgets(line, sizeof line, limits) != NULL)
		sscanf(line, "Max file locks %llu", &number);
	if (limits != NULL)
		fclose(limits);
	return number == l->number;
}

void
listener_close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
