/* listing - lists the names in a directory */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/io/fd.h"
#include "common/io/listing.h"

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
listing_read(struct listing *l, int parent, const char *name)
{
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error;
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);
	struct dirent *e;

	*l = (struct listing){ 0 };
	if (dir == NULL) {
		if (fd != -1)
			fd_close(fd);
		return false;
	}
	/* readdir() returns NULL at the end, too, and then sets no errno. */
	while (errno = 0, (e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		l->names = mem_grow(l->names, &l->cap, l->n + 1,
		    sizeof *l->names);
		l->names[l->n++] = mem_strdup(e->d_name);
	}
	error = errno;
	closedir(dir);
	sort(l->names, l->n, sizeof *l->names, compare_names);
	errno = error;
	return error == 0;
}

void
listing_release(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	free(l->names);
}
