/* pending - reads the profiles of a store that are not registered yet */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/fd.h"
#include "common/io/listing.h"
#include "common/perun/pending.h"

static int
open_jobs(const struct store *s)
{
	return openat(s->dir, "jobs",
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

const char **
pending_names(const struct store *s, struct arena *arena, size_t *n)
{
	struct listing files;
	const char **names;
	struct span name;

	if (!listing_read(&files, s->dir, "jobs"))
		die_errno("cannot read '%s/jobs'", s->path);
	names = mem_resize(NULL, files.n, sizeof *names);
	*n = 0;
	for (size_t i = 0; i < files.n; i++) {
		name = span_str(files.names[i]);
		/* For Perun, these files are profiles. */
		if (name.n >= 4 && memcmp(name.p + name.n - 4, "perf", 4) == 0)
			names[(*n)++] = arena_span(arena, name).p;
	}
	listing_release(&files);
	return names;
}

int
pending_open(const struct store *s, const char *name, struct stat *st)
{
	int jobs = open_jobs(s), fd = -1;
	bool ok;

	if (jobs != -1) {
		fd = openat(jobs, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		fd_close(jobs);
	}
	ok = fd != -1 && fstat(fd, st) == 0;
	if (ok && S_ISREG(st->st_mode))
		return fd;
	if (ok)
		errno = EINVAL;
	if (err_is_failure(errno))
		die_errno("cannot open '%s/jobs/%s'", s->path, name);
	if (fd != -1)
		fd_close(fd);
	return -1;
}

void
pending_remove(const struct store *s, const char *name)
{
	int jobs = open_jobs(s);

	if ((jobs == -1 || unlinkat(jobs, name, 0) != 0) && errno != ENOENT)
		die_errno("cannot remove the pending profile '%s'", name);
	if (jobs != -1)
		close(jobs);
}

int64_t
pending_time(const struct stat *st)
{
	int64_t s = st->st_mtim.tv_sec;

	return s + (st->st_mtim.tv_nsec > 500000000 ||
	    (st->st_mtim.tv_nsec == 500000000 && s % 2 != 0));
}

/* False, with errno, if pending_open() fails. */
static bool
load(struct pending *p, const char *name, struct stat *st)
{
	int fd = pending_open(p->store, name, st);

	p->text.len = 0;
	if (fd == -1)
		return false;
	if (!store_read_all(fd, &p->text, SIZE_MAX))
		die_errno("cannot read '%s/jobs/%s'", p->store->path, name);
	return true;
}

/* Returns NULL, or why the file is not a profile. */
static const char *
describe(struct pending *p, const char *name, struct pidx_entry *e,
    struct span *origin)
{
	struct stat st;
	const char *why;

	if (!load(p, name, &st))
		return strerror(errno);
	if (pending_time(&st) < 0 || pending_time(&st) > UINT32_MAX)
		return "its time is not between 1970 and 2106";
	if (!profile_describe(&p->profile, buf_span(&p->text), &why))
		return why;
	*e = (struct pidx_entry){ .time = (uint32_t)pending_time(&st),
	    .path = span_str(name) };
	profile_strings(&p->profile, &p->arena, e);
	*origin = arena_span(&p->arena, p->profile.origin);
	return NULL;
}

void
pending_read(struct pending *p, const struct store *s)
{
	const char **names, *why;
	struct pidx *index = &p->index;
	size_t n;

	*p = (struct pending){ .store = s };
	profile_init(&p->profile);
	names = pending_names(s, &p->arena, &n);
	index->entries = mem_resize(NULL, n, sizeof *index->entries);
	p->origins = mem_resize(NULL, n, sizeof *p->origins);
	p->errors = mem_resize(NULL, n, sizeof *p->errors);
	for (size_t i = 0; i < n; i++) {
		why = describe(p, names[i], &index->entries[index->n],
		    &p->origins[index->n]);
		if (why == NULL)
			index->n++;
		else
			p->errors[p->n_errors++] = (struct pending_error){
			    names[i], arena_span(&p->arena,
			    span_str(why)).p };
	}
	free(names);
}

void
pending_release(struct pending *p)
{
	pidx_release(&p->index);
	free(p->origins);
	free(p->errors);
	arena_release(&p->arena);
	profile_release(&p->profile);
	buf_release(&p->text);
}

bool
pending_document(struct pending *p, const char *name, struct span *document,
    const char **why)
{
	struct stat st;

	if (!load(p, name, &st)) {
		*why = strerror(errno);
		return false;
	}
	*document = buf_span(&p->text);
	return profile_describe(&p->profile, *document, why);
}
