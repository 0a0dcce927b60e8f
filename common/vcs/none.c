/* none - the back end for trees without version control: a file of versions */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha1.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/hex.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/backend.h"

/*
 * weir-vcs(7) describes the file.  It is small, one line for each version that
 * was measured, so it is read completely when it is opened.
 */
#define FILE_NAME ".weir-versions"
#define BRANCH "main"

struct version_line {
	struct span line;	/* without its newline */
	struct span name, email;
	struct span message;	/* escaped, as it is in the file */
	int64_t time_s;
};

struct none {
	struct buf file;
	struct version_line *versions;	/* version N is versions[N - 1] */
	size_t n, cap;
	struct vcs_id parent;	/* of the version last returned */
	struct buf message;	/* of that version, without escapes */
	size_t next, end;	/* the walk goes from next down to end + 1 */
	bool branch_done;	/* the walk has returned the only branch */
};

/* Removes a field and its tab from the front of rest; false without a tab. */
static bool
next_field(struct span *rest, struct span *field)
{
	const char *tab = memchr(rest->p, '\t', rest->n);

	if (tab == NULL)
		return false;
	*field = span_of(rest->p, (size_t)(tab - rest->p));
	*rest = span_of(tab + 1, rest->n - field->n - 1);
	return true;
}

/* Sets name and email from "NAME <EMAIL>", or from a name alone. */
static void
split_author(struct version_line *to, struct span author)
{
	const char *open = memchr(author.p, '<', author.n);

	to->name = author;
	to->email = span_of(author.p, 0);
	if (open == NULL || author.p[author.n - 1] != '>')
		return;
	to->name.n = (size_t)(open - author.p);
	to->email = span_of(open + 1, author.n - to->name.n - 2);
	while (to->name.n > 0 && to->name.p[to->name.n - 1] == ' ')
		to->name.n--;
}

/*
 * Parses a line; returns what is wrong with it, or NULL.  Times of 2^53 or more
 * are rejected because records cannot represent them (json/rec.h).
 */
static const char *
read_line(struct span line, size_t number, struct version_line *to)
{
	struct span rest = line, field;
	uint64_t value;

	to->line = line;
	if (!next_field(&rest, &field) || !text_u64(field, &value) ||
	    value != number)
		return "the line does not begin with its number and a tab";
	if (!next_field(&rest, &field) || !text_i64(field, &to->time_s) ||
	    to->time_s < 0 || to->time_s >= INT64_C(1) << 53)
		return "there is no time in seconds after the number";
	if (!next_field(&rest, &field))
		return "there is no tab after the author";
	split_author(to, field);
	if (memchr(rest.p, '\t', rest.n) != NULL)
		return "there is a tab in the message";
	to->message = rest;
	return NULL;
}

static bool
read_lines(struct vcs *v, const char *path)
{
	struct none *none = v->state;
	const char *p = none->file.data, *end, *why;
	size_t n_left = none->file.len;	/* bytes from p on */

	for (; n_left > 0; n_left -= (size_t)(end + 1 - p), p = end + 1) {
		none->versions = mem_grow(none->versions, &none->cap,
		    none->n + 1, sizeof *none->versions);
		end = memchr(p, '\n', n_left);
		why = end == NULL ? "the line has no newline" :
		    read_line(span_of(p, (size_t)(end - p)), none->n + 1,
		    &none->versions[none->n]);
		none->n++;
		if (why != NULL)
			return vcs_fail(v, "%.400s:%zu: %s", path, none->n,
			    why);
	}
	return true;
}

static bool
read_file(struct vcs *v, int fd, const char *path)
{
	enum { PIECE = 64 * 1024 };
	struct none *none = v->state;
	ssize_t n;

	do {
		buf_need(&none->file, PIECE);
		n = read(fd, none->file.data + none->file.len, PIECE);
		none->file.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return vcs_fail(v, "cannot read '%.400s': %s", path,
		    strerror(errno));
	return read_lines(v, path);
}

/*
 * Opens the file of versions in the directory path or, if upwards, in it or the
 * nearest one above it.  path is absolute, and empty for the root directory; it
 * is replaced by the path of the file.  Returns a descriptor, or -1 with errno.
 */
static int
find_file(struct buf *path, bool upwards)
{
	size_t n = path->len;
	int fd;

	for (;;) {
		path->len = n;
		buf_str(path, "/" FILE_NAME);
		fd = open(buf_cstr(path), O_RDONLY | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT || !upwards || n == 0)
			return fd;
		while (path->data[--n] != '/')
			;
	}
}

static void
close_none(struct vcs *v)
{
	struct none *none = v->state;

	buf_release(&none->file);
	buf_release(&none->message);
	free(none->versions);
	free(none);
}

static enum vcs_found
open_none(struct vcs *v, const char *path, bool upwards)
{
	char *folder = realpath(path != NULL ? path : ".", NULL);
	struct buf name = { 0 };
	enum vcs_found found;
	int fd;

	if (folder == NULL)
		return VCS_NOT_FOUND;
	buf_str(&name, strcmp(folder, "/") == 0 ? "" : folder);
	free(folder);
	v->state = mem_zero(1, sizeof (struct none));
	if ((fd = find_file(&name, upwards)) < 0) {
		found = errno == ENOENT ? VCS_NOT_FOUND : VCS_FAILED;
		vcs_fail(v, "cannot open '%.400s': %s", name.data,
		    strerror(errno));
	} else {
		found = read_file(v, fd, name.data) ? VCS_FOUND : VCS_FAILED;
		close(fd);
	}
	if (found != VCS_FOUND)
		close_none(v);
	buf_release(&name);
	return found;
}

/*
 * Creates the directory and in it an empty file, a history without versions,
 * unless they exist.
 */
static bool
init(struct vcs *v, const char *path)
{
	struct buf name = { 0 };
	int fd;

	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return vcs_fail(v, "cannot create '%.400s': %s", path,
		    strerror(errno));
	buf_str(&name, path);
	buf_str(&name, "/" FILE_NAME);
	fd = open(buf_cstr(&name), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		vcs_fail(v, "cannot create '%.400s': %s", name.data,
		    strerror(errno));
	else
		close(fd);
	buf_release(&name);
	return fd >= 0;
}

/* The id of a version: the SHA-1 of its line. */
static void
get_id(const struct none *none, size_t number, struct vcs_id *id)
{
	struct span line = none->versions[number - 1].line;
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx ctx;

	sha1_init(&ctx);
	sha1_update(&ctx, line.n, (const uint8_t *)line.p);
	sha1_digest(&ctx, sizeof digest, digest);
	hex_encode(id->hex, digest, sizeof digest);
}

static bool
get_minor_head(struct vcs *v, struct vcs_id *id)
{
	const struct none *none = v->state;

	if (none->n == 0)
		return vcs_fail(v, "there is no version yet");
	get_id(none, none->n, id);
	return true;
}

static bool
get_head_major_version(struct vcs *v, const char **name)
{
	(void)v;
	*name = BRANCH;
	return true;
}

/*
 * Sets *number to the version whose id begins with the digits, or to 0 if there
 * is none or there are too few digits.  False if several ids begin with them.
 */
static bool
find_id(struct vcs *v, struct span digits, size_t *number)
{
	enum { DIGITS_MIN = 4 };
	const struct none *none = v->state;
	struct vcs_id id;

	*number = 0;
	if (digits.n < DIGITS_MIN || digits.n > VCS_ID_LEN)
		return true;
	for (size_t i = 1; i <= none->n; i++) {
		get_id(none, i, &id);
		if (memcmp(id.hex, digits.p, digits.n) != 0)
			continue;
		if (*number != 0)
			return vcs_fail(v, "it is ambiguous: several ids begin "
			    "with it");
		*number = i;
	}
	return true;
}

/*
 * Resolves the part of a name before "~" or "^": HEAD, @, main, a number or an
 * id.  A number that no version has may be an abbreviated id.
 */
static bool
find_base(struct vcs *v, struct span base, size_t *number)
{
	const struct none *none = v->state;
	uint64_t value;

	if (span_eq(base, "HEAD") || span_eq(base, "@") ||
	    span_eq(base, BRANCH))
		*number = none->n;
	else if (base.n < VCS_ID_LEN && text_u64(base, &value) &&
	    value > 0 && value <= none->n)
		*number = (size_t)value;
	else if (!find_id(v, base, number))
		return false;
	if (*number == 0 && none->n == 0)
		return vcs_fail(v, "there is no version yet");
	return *number != 0 || vcs_fail(v, "nothing has this name");
}

/* Steps back by suffixes such as "~3^". */
static bool
go_back(struct vcs *v, struct span steps, size_t *number)
{
	uint64_t n;
	size_t end;

	while (steps.n > 0) {
		for (end = 1; end < steps.n && text_is_digit(steps.p[end]);
		    end++)
			;
		n = 1;
		if ((*steps.p != '~' && *steps.p != '^') || (end > 1 &&
		    !text_u64(span_of(steps.p + 1, end - 1), &n)) ||
		    (*steps.p == '^' && n > 1))
			return vcs_fail(v, "only ~N and ^ may follow the "
			    "name");
		if (n >= *number)
			return vcs_fail(v, "the history does not go back that "
			    "far");
		*number -= n;
		steps = span_of(steps.p + end, steps.n - end);
	}
	return true;
}

static bool
massage_parameter(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	size_t n = strcspn(name, "~^"), number;

	if (!find_base(v, span_of(name, n), &number) ||
	    !go_back(v, span_str(name + n), &number))
		return false;
	*actual_kind = VCS_COMMIT;
	if (kind != VCS_ANY && kind != VCS_COMMIT)
		return vcs_fail(v, "it is a commit");
	get_id(v->state, number, id);
	return true;
}

/* \n, \t and \\ become a newline, a tab and a backslash. */
static void
unescape(struct buf *to, struct span from)
{
	char c;

	to->len = 0;
	for (size_t i = 0; i < from.n; i++) {
		c = from.p[i];
		if (c == '\\' && i + 1 < from.n) {
			c = from.p[++i];
			if (c != 'n' && c != 't' && c != '\\')
				buf_char(to, '\\');
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		buf_char(to, c);
	}
}

static void
set_version(struct none *none, size_t number, struct vcs_version *version)
{
	const struct version_line *from = &none->versions[number - 1];

	*version = (struct vcs_version){ .author = from->name,
	    .email = from->email, .time_s = from->time_s,
	    .author_time_s = INT_UNKNOWN, .utc_offset_minutes = INT_UNKNOWN };
	get_id(none, number, &version->id);
	if (number > 1) {
		get_id(none, number - 1, &none->parent);
		version->parents = &none->parent;
		version->n_parents = 1;
	}
	unescape(&none->message, from->message);
	version->message = buf_span(&none->message);
}

static bool
get_minor_version_info(struct vcs *v, const struct vcs_id *id,
    struct vcs_version *version)
{
	size_t number;

	if (!find_id(v, span_of(id->hex, VCS_ID_LEN), &number))
		return false;
	if (number == 0)
		return vcs_fail(v, "there is no version %s", id->hex);
	set_version(v->state, number, version);
	return true;
}

/*
 * The history is linear: the walk goes from the latest tip down to the latest
 * excluded one, exclusive.  There are no merges, so first_parent is ignored.
 */
static bool
walk_minor_versions(struct vcs *v, const struct vcs_tip *tips, size_t n,
    bool first_parent)
{
	struct none *none = v->state;
	size_t number;

	(void)first_parent;
	none->next = none->end = 0;
	for (size_t i = 0; i < n; i++) {
		if (!find_id(v, span_of(tips[i].id.hex, VCS_ID_LEN),
		    &number))
			return false;
		if (tips[i].excluded && number > none->end)
			none->end = number;
		else if (!tips[i].excluded && number > none->next)
			none->next = number;
	}
	return true;
}

static enum vcs_found
next_minor_version(struct vcs *v, struct vcs_version *version)
{
	struct none *none = v->state;

	if (none->next <= none->end)
		return VCS_NOT_FOUND;
	set_version(none, none->next--, version);
	return VCS_FOUND;
}

static bool
walk_major_versions(struct vcs *v)
{
	((struct none *)v->state)->branch_done = false;
	return true;
}

static enum vcs_found
next_major_version(struct vcs *v, struct vcs_branch *branch)
{
	struct none *none = v->state;

	if (none->branch_done)
		return VCS_NOT_FOUND;
	none->branch_done = true;
	*branch = (struct vcs_branch){ .name = BRANCH, .is_head = true,
	    .has_id = none->n > 0 };
	return branch->has_id && !get_minor_head(v, &branch->id) ?
	    VCS_FAILED : VCS_FOUND;
}

/* Never dirty: the file does not record the contents of a version. */
static bool
is_dirty(struct vcs *v, bool *dirty)
{
	(void)v;
	*dirty = false;
	return true;
}

const struct vcs_backend vcs_none = {
	.type = "none",
	.open = open_none,
	.close = close_none,
	.init = init,
	.get_minor_head = get_minor_head,
	.get_head_major_version = get_head_major_version,
	.massage_parameter = massage_parameter,
	.get_minor_version_info = get_minor_version_info,
	.walk_minor_versions = walk_minor_versions,
	.next_minor_version = next_minor_version,
	.walk_major_versions = walk_major_versions,
	.next_major_version = next_major_version,
	.is_dirty = is_dirty,
};
