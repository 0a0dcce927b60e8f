/* listener - finds the program, and opens the socket for its processes */

#define _GNU_SOURCE	/* SOCK_CLOEXEC, strchrnul */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/io/cleanup.h"
#include "filters/callgraph-record/listener.h"

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

char *
run_find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *file;
	size_t n;

	if (strchr(name, '/') != NULL)
		return is_program(name) ? realpath(name, NULL) : NULL;
	for (; path != NULL; path = *end != '\0' ? end + 1 : NULL) {
		/* An empty entry of PATH means the current directory. */
		end = strchrnul(path, ':');
		n = (size_t)(end - path);
		file = mem_alloc(n + strlen(name) + sizeof "./");
		sprintf(file, "%.*s/%s", n > 0 ? (int)n : 1, n > 0 ? path : ".",
		    name);
		if (is_program(file))
			return file;
		free(file);
	}
	return NULL;
}

/* Global, because remove_listener() also runs at exit or on a signal. */
static struct listener *volatile open_listener;

static void
remove_listener(void)
{
	if (open_listener == NULL)
		return;
	unlink(open_listener->path);
	rmdir(open_listener->directory);
	open_listener = NULL;
}

void
listener_open(struct listener *l)
{
	const char *parents[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"),
	    "/tmp" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	bool is_made = false;

	cleanup_add(remove_listener);
	cleanup_block_signals();
	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		/* 16: "/weir-XXXXXX" and its NUL, with some to spare. */
		if (is_made || parents[i] == NULL || parents[i][0] != '/' ||
		    strlen(parents[i]) > sizeof l->directory - 16)
			continue;
		snprintf(l->directory, sizeof l->directory, "%s/weir-XXXXXX",
		    parents[i]);
		/* It sets mode 0700, so that only the owner can connect. */
		is_made = mkdtemp(l->directory) != NULL;
	}
	if (!is_made)
		die_errno("cannot create a directory in '/tmp'");
	snprintf(l->path, sizeof l->path, "%s/socket", l->directory);
	open_listener = l;
	cleanup_unblock_signals();

	memcpy(address.sun_path, l->path, strlen(l->path) + 1);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0 || bind(l->fd, (const struct sockaddr *)&address,
	    sizeof address) != 0 || listen(l->fd, SOMAXCONN) != 0)
		die_errno("cannot listen at '%s'", l->path);
}

void
listener_close(struct listener *l)
{
	close(l->fd);
	remove_listener();
}
