/* commit-graph - reads the times and parents of commits from git's files */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/search.h"
#include "common/vcs/commit-graph.h"

enum { ID_SIZE = 20, HASH_SHA1 = 1, DATA_SIZE = ID_SIZE + 16,
    HEADER_SIZE = 8, CHUNK_ENTRY_SIZE = 12, FANOUT_SIZE = 256 * 4,
    FILES_MAX = 1000 };
#define NO_PARENT 0x70000000u
#define IS_LAST 0x80000000u	/* of the further parents */
#define IS_EXTRA 0x80000000u	/* in place of the second parent */

struct graph_file {
	const unsigned char *bytes;	/* mapped */
	size_t n_bytes;
	uint32_t n, first;	/* commits; position of the first */
	const unsigned char *fanout, *ids, *data, *extra;
	size_t n_extra;		/* further parents of four bytes each */
};

static uint32_t
get_u32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static uint64_t
get_u64(const unsigned char *p)
{
	return (uint64_t)get_u32(p) << 32 | get_u32(p + 4);
}

/* --- opening -------------------------------------------------------------- */

struct chunk {
	const unsigned char *p;		/* NULL if there is no such chunk */
	size_t n;
};

/* Finds a chunk by its name of four letters; false if the table is wrong. */
static bool
find_chunk(const struct graph_file *f, const char *name, struct chunk *found)
{
	const unsigned char *entry = f->bytes + HEADER_SIZE;
	unsigned n_chunks = f->bytes[6];
	uint64_t from, to;

	*found = (struct chunk){ 0 };
	if (f->n_bytes < HEADER_SIZE + (n_chunks + 1u) * CHUNK_ENTRY_SIZE)
		return false;
	for (unsigned i = 0; i < n_chunks; i++, entry += CHUNK_ENTRY_SIZE) {
		if (memcmp(entry, name, 4) != 0)
			continue;
		from = get_u64(entry + 4);
		to = get_u64(entry + CHUNK_ENTRY_SIZE + 4);
		if (from > to || to > f->n_bytes)
			return false;
		*found = (struct chunk){ f->bytes + from,
		    (size_t)(to - from) };
		return true;
	}
	return true;
}

static bool
is_ascending(const unsigned char *fanout)
{
	for (int i = 1; i < 256; i++)
		if (get_u32(fanout + 4 * i) < get_u32(fanout + 4 * (i - 1)))
			return false;
	return true;
}

/* Sets the members from the bytes; false if they are not well-formed. */
static bool
parse_file(struct graph_file *f)
{
	struct chunk fanout, ids, data, extra;

	if (f->n_bytes < HEADER_SIZE || memcmp(f->bytes, "CGPH", 4) != 0 ||
	    f->bytes[4] != 1 || f->bytes[5] != HASH_SHA1 ||
	    !find_chunk(f, "OIDF", &fanout) || !find_chunk(f, "OIDL", &ids) ||
	    !find_chunk(f, "CDAT", &data) || !find_chunk(f, "EDGE", &extra) ||
	    fanout.n != FANOUT_SIZE || !is_ascending(fanout.p))
		return false;
	f->n = get_u32(fanout.p + 4 * 255);
	f->fanout = fanout.p;
	f->ids = ids.p;
	f->data = data.p;
	f->extra = extra.p;
	f->n_extra = extra.n / 4;
	return ids.n == (size_t)f->n * ID_SIZE &&
	    data.n == (size_t)f->n * DATA_SIZE;
}

/* Maps a file; false if it is not a regular file that can be read. */
static bool
map_file(struct graph_file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *bytes = MAP_FAILED;

	if (fd == -1)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
		    fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	*f = (struct graph_file){ .bytes = bytes,
	    .n_bytes = (size_t)st.st_size };
	return true;
}

/* Adds a file, whose positions follow those of the files before it. */
static bool
add_file(struct commit_graph *g, const char *path)
{
	struct graph_file f;

	if (!map_file(&f, path))
		return false;
	f.first = g->n_commits;
	if (!parse_file(&f) || f.n >= NO_PARENT - g->n_commits ||
	    f.bytes[7] != g->n_files) {
		munmap((void *)(uintptr_t)f.bytes, f.n_bytes);
		return false;
	}
	g->files = mem_resize(g->files, g->n_files + 1, sizeof *g->files);
	g->files[g->n_files++] = f;
	g->n_commits += f.n;
	return true;
}

/* Adds the files of a chain, the names of which are the lines of a file. */
static bool
add_chain(struct commit_graph *g, const char *objects)
{
	struct graph_file list;
	struct buf path = { 0 };
	size_t n = 0, at = 0;
	bool ok = true;

	buf_printf(&path, "%s/info/commit-graphs/commit-graph-chain", objects);
	if (!map_file(&list, buf_cstr(&path))) {
		buf_release(&path);
		return false;
	}
	while (ok && at + 2 * ID_SIZE <= list.n_bytes && n++ < FILES_MAX) {
		path.len = 0;
		buf_printf(&path, "%s/info/commit-graphs/graph-%.*s.graph",
		    objects, 2 * ID_SIZE, (const char *)list.bytes + at);
		ok = add_file(g, buf_cstr(&path));
		at += 2 * ID_SIZE + 1;
	}
	munmap((void *)(uintptr_t)list.bytes, list.n_bytes);
	buf_release(&path);
	return ok;
}

void
commit_graph_open(struct commit_graph *g, const char *objects)
{
	struct buf path = { 0 };

	*g = (struct commit_graph){ 0 };
	buf_printf(&path, "%s/info/commit-graph", objects);
	if (!add_file(g, buf_cstr(&path)) && !add_chain(g, objects))
		commit_graph_close(g);
	buf_release(&path);
}

void
commit_graph_close(struct commit_graph *g)
{
	for (size_t i = 0; i < g->n_files; i++)
		munmap((void *)(uintptr_t)g->files[i].bytes,
		    g->files[i].n_bytes);
	free(g->files);
	*g = (struct commit_graph){ 0 };
}

/* --- reading -------------------------------------------------------------- */

/* Finds a commit in one file, by bisection within those of its first byte. */
static bool
find_in_file(const struct graph_file *f, const unsigned char *id,
    uint32_t *position)
{
	uint32_t low = id[0] == 0 ? 0 : get_u32(f->fanout + 4 * (id[0] - 1));
	size_t n = get_u32(f->fanout + 4 * id[0]) - low, found;
	const unsigned char *ids = f->ids + (size_t)low * ID_SIZE;

	found = SEARCH_FIRST(i, n, memcmp(ids + i * ID_SIZE, id, ID_SIZE) >= 0);
	*position = f->first + low + (uint32_t)found;
	return found < n && memcmp(ids + found * ID_SIZE, id, ID_SIZE) == 0;
}

bool
commit_graph_find(const struct commit_graph *g, const unsigned char *id,
    uint32_t *position)
{
	/* The last file is the newest, as are most commits in a range. */
	for (size_t i = g->n_files; i-- > 0;)
		if (find_in_file(&g->files[i], id, position))
			return true;
	return false;
}

static const struct graph_file *
file_of(const struct commit_graph *g, uint32_t position)
{
	size_t i = g->n_files - 1;

	while (g->files[i].first > position)
		i--;
	return &g->files[i];
}

const unsigned char *
commit_graph_id(const struct commit_graph *g, uint32_t position)
{
	const struct graph_file *f = file_of(g, position);

	return f->ids + (size_t)(position - f->first) * ID_SIZE;
}

void
commit_graph_read(const struct commit_graph *g, uint32_t position,
    struct graph_parents *p)
{
	const struct graph_file *f = file_of(g, position);
	const unsigned char *data = f->data + (size_t)(position - f->first) *
	    DATA_SIZE + ID_SIZE;

	*p = (struct graph_parents){ .graph = g, .file = f,
	    .fixed = { get_u32(data), get_u32(data + 4) },
	    .time_s = (int64_t)(get_u64(data + 8) & 0x3ffffffffu) };
	if (p->fixed[1] & IS_EXTRA) {
		p->next_extra = p->fixed[1] & ~IS_EXTRA;
		p->has_extra = true;
		p->fixed[1] = NO_PARENT;
	}
}

enum parents_found
graph_parents_next(struct graph_parents *p, uint32_t *position)
{
	uint32_t value;

	while (p->n_read < 2) {
		*position = p->fixed[p->n_read++];
		if (*position != NO_PARENT)
			return *position < p->graph->n_commits ?
			    PARENTS_FOUND : PARENTS_BAD;
	}
	if (!p->has_extra)
		return PARENTS_END;
	if (p->next_extra >= p->file->n_extra)
		return PARENTS_BAD;
	value = get_u32(p->file->extra + 4 * (size_t)p->next_extra++);
	p->has_extra = (value & IS_LAST) == 0;
	*position = value & ~IS_LAST;
	return *position < p->graph->n_commits ? PARENTS_FOUND : PARENTS_BAD;
}
