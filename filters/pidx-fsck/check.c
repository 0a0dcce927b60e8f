/* check - what each file of a store is, and what nothing refers to */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/sort.h"
#include "filters/pidx-fsck/check.h"

/* Perun takes no lock, and writes an object before the index that names it. */
enum { YOUNG_S = 3600 };

static const char no_file[] = "it is no regular file";

static int
compare_names(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return memcmp(x->name, y->name, STORE_NAME);
}

struct file *
check_find(const struct check *c, const unsigned char *name)
{
	struct file key;

	if (c->n == 0)
		return NULL;
	memcpy(key.name, name, STORE_NAME);
	return bsearch(&key, c->files, c->n, sizeof key, compare_names);
}

bool
check_is_sound(void *check, const unsigned char *name)
{
	const struct file *file = check_find(check, name);

	return file != NULL && file->state == FILE_SOUND;
}

static struct file *
append(struct check *c, const unsigned char *name)
{
	struct file *file;

	c->files = mem_grow(c->files, &c->cap, c->n + 1, sizeof *c->files);
	file = &c->files[c->n++];
	*file = (struct file){ .state = FILE_GONE };
	memcpy(file->name, name, STORE_NAME);
	return file;
}

/* These objects are there now, and sound. */
static void
add_sound(struct check *c, const struct staged *names, size_t n)
{
	struct check new = { 0 };
	struct file *file;

	for (size_t i = 0; i < n; i++) {
		file = check_find(c, names[i].name);
		if (file == NULL)
			file = append(&new, names[i].name);
		file->state = FILE_SOUND;
	}
	sort(new.files, new.n, sizeof *new.files, compare_names);
	for (size_t i = 0; i < new.n; i++)
		if (i == 0 || compare_names(&new.files[i - 1],
		    &new.files[i]) != 0)
			append(c, new.files[i].name)->state = FILE_SOUND;
	if (new.n > 0)
		sort(c->files, c->n, sizeof *c->files, compare_names);
	free(new.files);
}

void
check_mark(void *check, struct span bytes)
{
	struct file *file;

	for (size_t at = 0; at + STORE_NAME <= bytes.n; at++) {
		file = check_find(check, (const unsigned char *)bytes.p + at);
		if (file != NULL)
			file->referenced = true;
	}
}

enum commit
check_commit(struct check *c, const unsigned char *name)
{
	unsigned char version[STORE_NAME];
	char hex[2 * STORE_NAME + 1];
	const char *why;

	if (c->no_vcs)
		return COMMIT_UNKNOWN;
	hex_encode(hex, name, STORE_NAME);
	/* The name of a tag is none of the commit that it stands for. */
	if (perun_version(c->perun, hex, version, &why))
		return memcmp(name, version, STORE_NAME) == 0 ? COMMIT_THERE :
		    COMMIT_NONE;
	if (c->perun->has_vcs)
		return COMMIT_NONE;
	err_warn("warning: which indexes are of commits is not checked: %s", why);
	c->no_vcs = true;
	return COMMIT_UNKNOWN;
}

/* Nobody can repair or prune what he cannot read. */
static void
tell_unreadable(struct check *c, struct file *file)
{
	struct finding f = { .kind = UNREADABLE_FILE, .why = strerror(errno) };
	char path[STORE_PATH];

	store_path(path, file->name);
	if (c->repair || c->prune)
		die("nothing was repaired or pruned: cannot read '%s/%s': %s",
		    c->perun->store.path, path, f.why);
	f.file = path;
	findings_add(&c->findings, &f);
	file->state = FILE_UNREADABLE;
}

bool
check_read(struct check *c, struct file *file, struct buf *b)
{
	b->len = 0;
	switch (store_read(&c->perun->store, file->name, b)) {
	case STORE_ABSENT:
		file->state = FILE_GONE;
		return false;
	case STORE_BAD:
		if (!store_is_no_file(errno))
			tell_unreadable(c, file);
		return false;
	default:
		return true;
	}
}

/* "01/2345....changes" is Perun's. */
static bool
is_changes(const char *path)
{
	return strlen(path) == 2 * STORE_NAME + 1 + 8 && path[2] == '/' &&
	    strspn(path + 3, "0123456789abcdef") == 2 * STORE_NAME - 2 &&
	    strcmp(path + 2 * STORE_NAME + 1, ".changes") == 0;
}

static void
list_file(void *check, const unsigned char *name, const char *path)
{
	struct check *c = check;
	struct finding f = { .kind = FOREIGN_FILE };
	struct buf file = { 0 };

	if (name != NULL) {
		append(c, name);
		return;
	}
	if (is_changes(path))
		return;
	buf_printf(&file, "objects/%s", path);
	if (!store_is_leftover(&c->perun->store, path)) {
		f.file = buf_cstr(&file);
		findings_add(&c->findings, &f);
	} else {
		c->leftovers = mem_grow(c->leftovers, &c->leftovers_cap,
		    c->n_leftovers + 1, sizeof *c->leftovers);
		c->leftovers[c->n_leftovers++] =
		    mem_strdup(buf_cstr(&file));
	}
	buf_release(&file);
}

static bool
is_index(const struct buf *b)
{
	return b->len >= 4 && memcmp(b->data, "pidx", 4) == 0;
}

/* Why what was read is no object; NULL if it is one, whatever its name. */
static const char *
fault_of(struct check *c)
{
	const char *why;

	return object_unpack(&c->object, buf_span(&c->bytes),
	    &why) ? NULL : why;
}

static void
classify(struct check *c, struct file *file)
{
	file->state = FILE_DAMAGED;
	if (!check_read(c, file, &c->bytes))
		return;
	c->totals.bytes += c->bytes.len;
	if (is_index(&c->bytes))
		file->state = FILE_INDEX;
	else if (fault_of(c) == NULL)
		file->state = memcmp(c->object.name, file->name,
		    STORE_NAME) == 0 ? FILE_SOUND : FILE_MISNAMED;
	c->totals.objects += file->state == FILE_SOUND;
}

/* Does the name of a sound object stand in what was read? */
static bool
names_objects(struct check *c)
{
	for (size_t at = 0; at + STORE_NAME <= c->bytes.len; at++)
		if (check_is_sound(c, (unsigned char *)c->bytes.data + at))
			return true;
	return false;
}

/*
 * What is neither index nor object is a damaged index if it has the name of a
 * commit or names objects, and else a damaged object.
 */
static void
check_damaged(struct check *c, struct file *file)
{
	struct finding f = { .kind = DAMAGED_OBJECT, .why = no_file };
	char path[STORE_PATH], lost[STORE_LOST];

	if (check_read(c, file, &c->bytes))
		f.why = fault_of(c);
	if (file->state != FILE_DAMAGED || f.why == NULL)
		return;
	if (names_objects(c) || check_commit(c, file->name) == COMMIT_THERE) {
		file->state = FILE_INDEX;
		return;
	}
	if (c->repair) {
		store_set_aside(&c->perun->store, file->name, lost);
		file->state = FILE_GONE;
		f.repaired = true;
		f.lost = lost;
	}
	store_path(path, file->name);
	f.file = path;
	findings_add(&c->findings, &f);
}

/* Is the place of the object at hand free, or taken by what will leave it? */
static bool
may_name(const struct check *c)
{
	const struct file *file = check_find(c, c->object.name);

	return file == NULL || file->state == FILE_GONE ||
	    file->state == FILE_MISNAMED;
}

/*
 * Stages it under its right name, if nothing sound is there, and keeps it in
 * lost; where it is, another may be about to get its right name.
 */
static void
check_misnamed(struct check *c, struct file *file)
{
	struct finding f = { .kind = MISNAMED_OBJECT,
	    .object = c->object.name };
	struct span bytes;
	char path[STORE_PATH], lost[STORE_LOST];

	if (!check_read(c, file, &c->bytes) || fault_of(c) != NULL)
		return;
	bytes = buf_span(&c->bytes);
	if (c->repair) {
		if (may_name(c))
			store_stage(&c->perun->store, c->object.name, bytes);
		store_keep(&c->perun->store, file->name, bytes, lost);
		f.repaired = true;
		f.lost = lost;
	}
	store_path(path, file->name);
	f.file = path;
	findings_add(&c->findings, &f);
}

/*
 * When what was staged has its name, what had a wrong one goes.  What was there
 * is staged[0 .. n_staged) of the store until then.
 */
static void
name_misnamed(struct check *c)
{
	struct store *s = &c->perun->store;
	size_t n = s->n_staged;
	struct staged *names = mem_resize(NULL, n, sizeof *names);

	if (n > 0)
		memcpy(names, s->staged, n * sizeof *names);
	store_commit(s);
	add_sound(c, names, n);
	free(names);
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
check_begin(struct check *c, struct perun *perun, struct filter *filter)
{
	c->perun = perun;
	c->findings.filter = filter;
	c->now = time(NULL);
}

void
check_files(struct check *c)
{
	bool misnamed = false;

	store_each(&c->perun->store, list_file, c);
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
		name_misnamed(c);
}

static void
check_leftovers(struct check *c)
{
	struct finding f = { .kind = LEFTOVER };
	const char *path;

	for (size_t i = 0; i < c->n_leftovers; i++) {
		f.file = c->leftovers[i];
		path = f.file + strlen("objects/");
		f.removed = c->prune &&
		    store_remove_leftover(&c->perun->store, path);
		/* A writer unlocks before it cleans up. */
		if (c->prune && !f.removed && errno == ENOENT)
			continue;
		if (c->prune && !f.removed)
			filter_fail(c->findings.filter, "cannot remove '%s': "
			    "%s", f.file, strerror(errno));
		findings_add(&c->findings, &f);
	}
}

static void
check_unreferenced(struct check *c, const struct file *file)
{
	struct finding f = { .kind = UNREFERENCED_OBJECT };
	char path[STORE_PATH];
	int64_t written;

	if (!store_age(&c->perun->store, file->name, &written))
		return;
	f.young = written > c->now - YOUNG_S;
	store_path(path, file->name);
	f.file = path;
	f.removed = c->prune && !f.young &&
	    store_remove(&c->perun->store, file->name);
	if (c->prune && !f.young && !f.removed)
		filter_fail(c->findings.filter, "cannot remove '%s': %s", path,
		    strerror(errno));
	findings_add_last(&c->findings, &f);
}

void
check_references(struct check *c)
{
	size_t damaged = c->findings.counts[DAMAGED_INDEX];

	if (c->prune && !c->repair && damaged > 0)
		die("nothing was pruned: %zu %s damaged, and what %s to is not "
		    "known (see --repair)", damaged, damaged == 1 ?
		    "index is" : "indexes are", damaged == 1 ? "it refers" :
		    "they refer");
	store_each_lost(&c->perun->store, check_mark, c);
	check_leftovers(c);
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].state == FILE_SOUND && !c->files[i].referenced)
			check_unreferenced(c, &c->files[i]);
	if (c->prune)
		store_sync(&c->perun->store);
}

void
check_release(struct check *c)
{
	findings_release(&c->findings);
	for (size_t i = 0; i < c->n_leftovers; i++)
		free(c->leftovers[i]);
	free(c->leftovers);
	free(c->files);
	buf_release(&c->bytes);
	buf_release(&c->other);
	buf_release(&c->object.text);
}
