/* check - classifies the files of a store and finds those that are unused */

#include <errno.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/base/search.h"
#include "common/filter/filter-reject.h"
#include "filters/pidx-fsck/pidx-fsck.h"

/*
 * Objects younger than this are never removed: Perun takes no lock, and writes
 * an object before the index that refers to it.
 */
enum { PRUNE_MIN_AGE_S = 3600 };

/* Where the file of this name is in the list, or where it belongs. */
static size_t
position_of(const struct check *c, const unsigned char *name)
{
	return SEARCH_FIRST(i, c->n,
	    memcmp(c->files[i].name, name, STORE_NAME_SIZE) >= 0);
}

struct file *
check_find(const struct check *c, const unsigned char *name)
{
	size_t i = position_of(c, name);

	return i < c->n && memcmp(c->files[i].name, name,
	    STORE_NAME_SIZE) == 0 ? &c->files[i] : NULL;
}

bool
check_is_valid(const struct check *c, const unsigned char *name)
{
	const struct file *file = check_find(c, name);

	return file != NULL && file->state == FILE_VALID;
}

/* Adds a file to the list, in order of names. */
static struct file *
insert_file(struct check *c, const unsigned char *name)
{
	size_t i = position_of(c, name);

	c->files = mem_grow(c->files, &c->cap, c->n + 1, sizeof *c->files);
	memmove(c->files + i + 1, c->files + i, (c->n - i) * sizeof *c->files);
	c->n++;
	c->files[i] = (struct file){ .state = FILE_GONE };
	memcpy(c->files[i].name, name, STORE_NAME_SIZE);
	return &c->files[i];
}

void
check_mark_references(void *context, struct span bytes)
{
	struct file *file;

	for (size_t at = 0; at + STORE_NAME_SIZE <= bytes.n; at++) {
		file = check_find(context,
		    (const unsigned char *)bytes.p + at);
		if (file != NULL)
			file->referenced = true;
	}
}

enum commit
check_commit(struct check *c, const unsigned char *name)
{
	unsigned char version[STORE_NAME_SIZE];
	char id[STORE_ID_SIZE];
	const char *why;

	if (c->no_vcs)
		return COMMIT_UNKNOWN;
	if (!perun_open_repository(c->perun, &why)) {
		err_warn("warning: cannot check whether indexes belong to "
		    "commits: %s", why);
		c->no_vcs = true;
		return COMMIT_UNKNOWN;
	}
	store_id(id, name);
	return perun_resolve_version(c->perun, id, version, &why) &&
	    (memcmp(name, version, STORE_NAME_SIZE) == 0 ||
	    perun_resolve_tag(c->perun, id, version)) ? COMMIT_PRESENT :
	    COMMIT_ABSENT;
}

bool
check_read(struct check *c, struct file *file, struct buf *b)
{
	enum store_found found;

	b->len = 0;
	found = store_read(&c->perun->store, file->name, b);
	if (found == STORE_ABSENT)
		file->state = FILE_GONE;
	return found == STORE_FOUND;
}

/* Perun itself stores files such as "01/2345....changes" beside objects. */
static bool
is_changes(const char *path)
{
	static const char suffix[] = ".changes";
	enum { SUFFIX_AT = 2 * STORE_NAME_SIZE + 1 };

	if (strcmp(path, "HE/AD.changes") == 0)
		return true;
	return strlen(path) == SUFFIX_AT + strlen(suffix) && path[2] == '/' &&
	    strspn(path + 3, "0123456789abcdef") == SUFFIX_AT - 3 &&
	    strcmp(path + SUFFIX_AT, suffix) == 0;
}

/* A callback: lists a file or staging directory, or reports a foreign file. */
static void
list_file(void *context, const unsigned char *name, const char *path)
{
	struct check *c = context;
	struct finding f = { .kind = FOREIGN_FILE };
	struct buf full_path = { 0 };	/* relative to .perun */

	if (name != NULL) {
		insert_file(c, name);
		return;
	}
	if (is_changes(path))
		return;
	buf_printf(&full_path, "objects/%s", path);
	if (!store_is_staging(&c->perun->store, path)) {
		f.file = buf_cstr(&full_path);
		if (c->prune)
			die("nothing was repaired or pruned: '%s' does not "
			    "belong there and may contain an index", f.file);
		findings_add(&c->findings, &f);
	} else {
		intern_add(&c->leftovers, buf_span(&full_path));
	}
	buf_release(&full_path);
}

static void
report(struct check *c, const struct file *file, struct finding f)
{
	char path[STORE_PATH_SIZE];

	store_path(path, file->name);
	f.file = path;
	findings_add(&c->findings, &f);
}

/*
 * Sets the state of a file.  Reports an object that is as it was written, but
 * that no filter can read as a profile.  check_damaged() later finds out which
 * of the damaged files are indexes.
 */
static void
classify(struct check *c, struct file *file)
{
	struct finding f = { .kind = UNREADABLE_PROFILE };

	file->state = FILE_DAMAGED;	/* also if it is not a regular file */
	if (!check_read(c, file, &c->bytes))
		return;
	c->totals.bytes += c->bytes.len;
	if (c->bytes.len >= 4 && memcmp(c->bytes.data, "pidx", 4) == 0)
		file->state = FILE_INDEX;
	else if (object_unpack(&c->object, buf_span(&c->bytes)) == NULL)
		file->state = memcmp(c->object.name, file->name,
		    STORE_NAME_SIZE) == 0 ? FILE_VALID : FILE_MISNAMED;
	if (file->state != FILE_VALID)
		return;
	c->totals.objects++;
	if (!profile_describe(&c->profile, c->object.body, &f.why))
		report(c, file, f);
}

/*
 * A file that is neither an index nor an object is a damaged index if its name
 * is that of a commit or if it contains the names of objects; otherwise it is a
 * damaged object.
 */
static void
check_damaged(struct check *c, struct file *file)
{
	struct finding f = { .kind = DAMAGED_OBJECT,
	    .why = "it is not a regular file" };
	char lost[STORE_LOST_SIZE];
	bool is_index = false;

	if (check_read(c, file, &c->bytes))
		f.why = object_unpack(&c->object, buf_span(&c->bytes));
	if (file->state != FILE_DAMAGED || f.why == NULL)
		return;
	for (size_t at = 0; at + STORE_NAME_SIZE <= c->bytes.len && !is_index;
	    at++)
		is_index = check_is_valid(c,
		    (unsigned char *)c->bytes.data + at);
	if (is_index || check_commit(c, file->name) == COMMIT_PRESENT) {
		file->state = FILE_INDEX;
		return;
	}
	if (c->repair) {
		store_move_to_lost(&c->perun->store, file->name, lost);
		file->state = FILE_GONE;
		f.repaired = true;
		f.lost = lost;
	}
	report(c, file, f);
}

/*
 * To repair, stages the object under its right name, unless another file keeps
 * that name; rename_misnamed() later removes the misnamed file.
 */
static void
check_misnamed(struct check *c, struct file *file)
{
	struct finding f = { .kind = MISNAMED_OBJECT,
	    .object = c->object.name };
	const struct file *other;
	struct span bytes;
	char lost[STORE_LOST_SIZE];

	if (!check_read(c, file, &c->bytes))
		return;
	bytes = buf_span(&c->bytes);
	if (object_unpack(&c->object, bytes) != NULL)
		return;
	if (c->repair) {
		other = check_find(c, c->object.name);
		/* Another misnamed file is going to be removed. */
		if (other == NULL || other->state == FILE_GONE ||
		    other->state == FILE_MISNAMED)
			store_stage(&c->perun->store, c->object.name, bytes,
			    STORE_READ_ONLY);
		store_copy_to_lost(&c->perun->store, file->name, bytes, lost);
		f.repaired = true;
		f.lost = lost;
	}
	report(c, file, f);
}

/*
 * Commits the staged objects and then removes the misnamed files: in this
 * order, because a crash must not lose an object.
 */
static void
rename_misnamed(struct check *c)
{
	struct store *s = &c->perun->store;
	struct file *file;

	/* The same object may be staged several times. */
	for (size_t i = 0; i < s->n_staged; i++) {
		file = check_find(c, s->staged[i]);
		if (file == NULL)
			file = insert_file(c, s->staged[i]);
		file->state = FILE_VALID;
	}
	store_commit(s);
	for (size_t i = 0; i < c->n; i++) {
		if (c->files[i].state != FILE_MISNAMED)
			continue;
		if (!store_remove(s, c->files[i].name))
			die_errno("cannot remove a file of '%s'", s->path);
		c->files[i].state = FILE_GONE;
	}
	store_sync(s);
}

void
check_files(struct check *c)
{
	bool misnamed = false;
	const char *why;

	/*
	 * To prune, all indexes must be known, and they are not known without
	 * the repository: another version control system may name indexes in
	 * another way, and a damaged index is recognized by its name, which is
	 * the id of a commit.
	 */
	if (c->prune && !perun_open_repository(c->perun, &why))
		die("nothing was repaired or pruned: which files are indexes "
		    "is not known without the repository: %s", why);
	profile_init(&c->profile);
	intern_init(&c->leftovers);
	store_for_each(&c->perun->store, list_file, c);
	for (size_t i = 0; i < c->n; i++)
		classify(c, &c->files[i]);
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].state == FILE_DAMAGED)
			check_damaged(c, &c->files[i]);
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].state == FILE_MISNAMED) {
			check_misnamed(c, &c->files[i]);
			misnamed = true;
		}
	if (c->repair && misnamed)
		rename_misnamed(c);
}

static void
check_unreferenced(struct check *c, const struct file *file)
{
	struct finding f = { .kind = UNREFERENCED_OBJECT };
	char path[STORE_PATH_SIZE];
	int64_t modified_s;

	if (!store_mtime(&c->perun->store, file->name, &modified_s))
		return;
	f.young = modified_s > c->now - PRUNE_MIN_AGE_S;
	store_path(path, file->name);
	f.file = path;
	f.removed = c->prune && !f.young &&
	    store_remove(&c->perun->store, file->name);
	if (c->prune && !f.young && !f.removed)
		die_errno("cannot remove '%s'", path);
	findings_add_sorted(&c->findings, &f);
}

void
check_references(struct check *c)
{
	size_t indexes = c->findings.counts[DAMAGED_INDEX];
	size_t objects = c->findings.counts[DAMAGED_OBJECT];
	bool only_prune = c->prune && !c->repair;
	struct finding f = { .kind = LEFTOVER };

	/* What damaged indexes refer to is not known. */
	if (only_prune && indexes > 0)
		die("nothing was pruned: %zu %s damaged, and what %s to is not "
		    "known (see --repair)", indexes, plural(indexes,
		    "index is", "indexes are"), plural(indexes, "it refers",
		    "they refer"));
	if (only_prune && objects > 0)
		die("nothing was pruned: %zu %s damaged, and may have been %s "
		    "(see --repair)", objects, plural(objects, "file is",
		    "files are"), plural(objects, "an index", "indexes"));

	store_for_each_lost(&c->perun->store, check_mark_references, c);
	for (sym i = 0; i < c->leftovers.n; i++) {
		f.file = intern_str(&c->leftovers, i);
		f.removed = c->prune && store_remove_staging(&c->perun->store,
		    f.file + strlen("objects/"));
		/* Its writer had finished, and has removed it itself. */
		if (c->prune && !f.removed && errno == ENOENT)
			continue;
		if (c->prune && !f.removed)
			die_errno("cannot remove '%s'", f.file);
		findings_add(&c->findings, &f);
	}

	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].state == FILE_VALID && !c->files[i].referenced)
			check_unreferenced(c, &c->files[i]);
	if (c->prune)
		store_sync(&c->perun->store);
}
