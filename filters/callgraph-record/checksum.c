/* checksum - a cache of the checksums of executables */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/program/checksum.h"
#include "filters/callgraph-record/callgraph-record.h"

static struct cached {
	struct stat st;
	char hex[CHECKSUM_LEN + 1];
	struct cached *next;
} *cache;

static struct remembered {
	char *program;
	uint64_t inode;
	const char *checksum;
	struct remembered *next;
} *programs;

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

const char *
checksum_of(const char *path)
{
	struct cached *c = cache;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return "";
	if (fstat(fd, &st) != 0) {
		close(fd);
		return "";
	}
	while (c != NULL && !is_same(&c->st, &st))
		c = c->next;
	if (c == NULL) {
		c = mem_zero(1, sizeof *c);
		c->st = st;
		if (!checksum_fd(fd, c->hex))
			c->hex[0] = '\0';
		c->next = cache;
		cache = c;
	}
	close(fd);
	return c->hex;
}

static struct remembered *
find_program(const char *program, uint64_t inode)
{
	struct remembered *r = programs;

	while (r != NULL && (r->inode != inode ||
	    strcmp(r->program, program) != 0))
		r = r->next;
	return r;
}

void
checksum_remember(const char *program, uint64_t inode, const char *checksum)
{
	struct remembered *r = find_program(program, inode);

	if (r == NULL) {
		r = mem_zero(1, sizeof *r);
		r->program = mem_strdup(program);
		r->inode = inode;
		r->next = programs;
		programs = r;
	}
	r->checksum = checksum;
}

const char *
checksum_remembered(const char *program, uint64_t inode)
{
	const struct remembered *r = find_program(program, inode);

	return r == NULL ? "" : r->checksum;
}
