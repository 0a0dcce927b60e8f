/* workspace - a private directory with the library and the log */

#define _GNU_SOURCE	/* ST_NOEXEC */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/cleanup.h"
#include "filters/make-record/follow.h"
#include "filters/make-record/workspace.h"

/* The bytes of the library, so that it need not be installed or found. */
__asm__(".pushsection .rodata\n"
    ".globl library_start, library_end\n"
    ".hidden library_start, library_end\n"
    "library_start: .incbin \"" LIBRARY "\"\n"
    "library_end:\n"
    ".popsection");
extern const char library_start[] __attribute__((visibility("hidden")));
extern const char library_end[] __attribute__((visibility("hidden")));

/* Empty: there is none.  Global, because a signal may remove it. */
static char directory[FOLLOW_PATH_MAX];

void
workspace_remove(void)
{
	static const char *const names[] = { FOLLOW_LOG, FOLLOW_LIBRARY };
	char path[FOLLOW_PATH_MAX + sizeof FOLLOW_LIBRARY];
	size_t n = strlen(directory);

	if (n == 0)
		return;
	/* Only functions that a signal handler may call. */
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		memcpy(path, directory, n);
		memcpy(path + n, names[i], strlen(names[i]) + 1);
		unlink(path);
	}
	rmdir(directory);
	directory[0] = '\0';
}

static bool
write_file(const char *name, const char *text, size_t n)
{
	char path[FOLLOW_PATH_MAX + sizeof FOLLOW_LIBRARY];
	bool ok;
	int fd;

	snprintf(path, sizeof path, "%s%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0)
		return false;
	ok = write(fd, text, n) == (ssize_t)n;
	return close(fd) == 0 && ok;
}

/*
 * Whether LD_PRELOAD may have a path in this directory: it ends at a blank or
 * colon, and programs must be allowed to run from there.
 */
static bool
is_usable(const char *parent)
{
	struct statvfs fs;

	return parent != NULL && parent[0] == '/' &&
	    parent[strcspn(parent, " \t\n:%$")] == '\0' &&
	    statvfs(parent, &fs) == 0 && (fs.f_flag & ST_NOEXEC) == 0;
}

bool
workspace_create(struct follow *follow)
{
	const char *parents[] = { getenv("TMPDIR"), "/tmp", "/dev/shm",
	    getenv("HOME") };
	char path[FOLLOW_PATH_MAX];
	bool ok = false;

	cleanup_add(workspace_remove);
	for (size_t i = 0; i < sizeof parents / sizeof *parents && !ok; i++) {
		if (!is_usable(parents[i]) || snprintf(path, sizeof path,
		    "%s/weir-make-XXXXXX", parents[i]) >= (int)sizeof path)
			continue;
		cleanup_block_signals();
		if (mkdtemp(path) != NULL)
			memcpy(directory, path, sizeof directory);
		cleanup_unblock_signals();
		ok = directory[0] != '\0' && write_file(FOLLOW_LOG, "", 0) &&
		    write_file(FOLLOW_LIBRARY, library_start,
		    (size_t)(library_end - library_start));
		if (!ok)
			workspace_remove();
	}
	memcpy(follow->directory, directory, sizeof directory);
	return ok;
}
