/* file - what a file is, by its first bytes and by what a filter makes of it */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/filter/foreign.h"
#include "common/io/command.h"
#include "common/io/input.h"
#include "common/report/report-values.h"
#include "filters/weir/weir.h"

enum { HEAD_MAX = 16 << 20 };

/* The beginning of a file, decompressed. */
struct head {
	struct input input;
	struct span text;
	bool is_whole;
};

static void
read_head(struct head *h, const char *const *path)
{
	*h = (struct head){ 0 };
	input_init(&h->input, (char *const *)(uintptr_t)path, 1);
	h->input.survives = true;
	if (!input_next_file(&h->input))
		return;
	while (h->input.end - h->input.at < HEAD_MAX && !h->is_whole)
		h->is_whole = !input_more(&h->input);
	h->text = span_of(h->input.at,
	    (size_t)(h->input.end - h->input.at));
}

static void
put_counts(struct file *f, struct tally *t, const struct head *h)
{
	const char *before = h->is_whole ? ", " : ", in its first 16 MiB ";
	const struct record_type *type = record_types;

	for (size_t i = 0; i < N_RECORD_TYPES; i++, type++) {
		if (t->counts[i] == 0)
			continue;
		buf_str(&f->is, before);
		report_count(&f->is, t->counts[i], type->one, type->many);
		before = ", ";
		if (f->role == ROLE_NONE)
			f->role = type->role;
	}
	if (tally_useful(t) == 0 && t->n_other > 0) {
		buf_str(&f->is, before);
		report_count(&f->is, t->n_other, "record", "records");
	}
	if (h->input.damage != NULL)
		buf_printf(&f->is, "; the file ends early: %s",
		    h->input.damage);
	else if (h->is_whole && t->boundaries.n_rejected +
	    (int64_t)t->n_bad > 0) {
		buf_str(&f->is, "; rejected: ");
		report_count(&f->is, (uint64_t)t->boundaries.n_rejected +
		    t->n_bad, "line or value", "lines or values");
		if (t->why.len > 0) {
			buf_str(&f->is, ", the first: ");
			buf_add(&f->is, t->why.data, t->why.len);
		}
	}
	if (h->is_whole &&
	    boundary_count_open(&t->boundaries, false, NULL) > 0)
		buf_str(&f->is, "; the end record is missing");
	f->has_deps = t->has_deps;
	if (t->uids[1].len > 0) {
		quote_for_shell(&f->uids, buf_cstr(&t->uids[0]));
		buf_char(&f->uids, ' ');
		quote_for_shell(&f->uids, buf_cstr(&t->uids[1]));
	}
}

bool
file_own_folder(char *folder, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", folder, size - 1);

	if (n <= 0)
		return false;
	folder[n] = '\0';
	*strrchr(folder, '/') = '\0';
	return true;
}

/*
 * The folder of the adapters, seen from that of this program: where both are
 * installed or, in the source, built.
 */
static const char *
adapters_folder(void)
{
	static char folder[PATH_MAX];
	static const char *const places[] = { "/../share/weir/adapters",
	    "/../filters/adapters", NULL };
	char program[PATH_MAX / 2], path[PATH_MAX];

	if (folder[0] != '\0' || !file_own_folder(program, sizeof program))
		return folder;
	for (const char *const *p = places; *p != NULL; p++) {
		snprintf(path, sizeof path, "%s%s", program, *p);
		if (realpath(path, folder) != NULL)
			return folder;
	}
	snprintf(folder, sizeof folder, "/usr/local/share/weir/adapters");
	return folder;
}

static void
choose_adapter(struct file *f, const char *adapter)
{
	bool reads_text = strcmp(adapter, "go-bench.jq") == 0;
	struct buf path = { 0 };

	buf_printf(&path, "%s/%s", adapters_folder(), adapter);
	buf_str(&f->reader, reads_text ? "jq -cnRf " : "jq -cf ");
	quote_for_shell(&f->reader, buf_cstr(&path));
	buf_release(&path);
}

/* The command that makes records of what foreign_recognize() has found. */
static void
choose_reader(struct file *f, const struct foreign *known)
{
	const char *reader = known->reader;

	if (strstr(reader, "--deps") != NULL)
		f->role = ROLE_DEPS;
	else if (strcmp(reader, "malstat --db") == 0)
		f->role = ROLE_DATABASE;
	else if (strncmp(reader, "pidx-write", 10) == 0)
		f->role = ROLE_PROFILES;
	else if (foreign_has_adapter(known))
		choose_adapter(f, reader);
	else
		buf_str(&f->reader, reader);
}

/* Which databases malload has written, malstat knows. */
static void
examine_database(struct file *f)
{
	struct tally t = { 0 };
	struct buf command = { 0 };

	buf_str(&command, "malstat --json --db ");
	quote_for_shell(&command, f->path);
	tally_run(&t, buf_cstr(&command), span_of(NULL, 0));
	if (tally_useful(&t) > 0) {
		buf_str(&f->is, " of malload");
	} else {
		f->role = ROLE_NONE;
		buf_printf(&f->is, ", but not one of malload: %s",
		    buf_cstr(&t.why));
	}
	buf_release(&command);
	tally_release(&t);
}

static void
examine_known(struct file *f, const struct foreign *known,
    const struct head *h)
{
	char path[PATH_MAX];
	struct tally t = { 0 };

	report_text(&f->is, span_str(known->what));
	if (span_begins_with(h->text, "# ninja log v") && h->text.n > 13)
		buf_printf(&f->is, ", version %c", h->text.p[13]);
	if (known->reader == NULL) {
		buf_str(&f->is, ", which no filter reads");
		return;
	}
	choose_reader(f, known);
	if (foreign_has_adapter(known) &&
	    command_find("jq", path, sizeof path) == NULL) {
		buf_printf(&f->is, ", which the adapter %s reads, but jq is "
		    "not installed", known->reader);
		return;
	}
	if (f->role == ROLE_DATABASE)
		examine_database(f);
	if (f->role != ROLE_NONE)
		return;
	tally_run(&t, buf_cstr(&f->reader), h->text);
	put_counts(f, &t, h);
	if (f->role == ROLE_NONE) {
		buf_printf(&f->is, ", but %.*s makes nothing of it",
		    (int)strcspn(known->reader, " "), known->reader);
		if (t.why.len > 0)
			buf_printf(&f->is, ": %s", buf_cstr(&t.why));
	}
	tally_release(&t);
}

/*
 * Tries the filters some of whose formats the first bytes do not show.
 * Returns false if none makes more of it than it rejects.
 */
static bool
try_readers(struct file *f, const struct head *h)
{
	static const char *const readers[] = { "execlog-parse",
	    "buildgraph-parse", "malparse", NULL };

	for (const char *const *r = readers; *r != NULL; r++) {
		struct tally t = { 0 };

		tally_run(&t, *r, h->text);
		if ((int64_t)tally_useful(&t) > t.boundaries.n_rejected) {
			buf_printf(&f->is, "what %s reads", *r);
			if (t.format[0] != '\0')
				buf_printf(&f->is, " as %s", t.format);
			buf_str(&f->reader, *r);
			put_counts(f, &t, h);
		}
		tally_release(&t);
		if (f->role != ROLE_NONE)
			return true;
	}
	return false;
}

/* What is known by its name alone; NULL for all other files. */
static const char *
recognize_name(const char *path)
{
	struct span name = span_base_name(span_str(path));

	if (span_eq(name, "Makefile") || span_eq(name, "makefile") ||
	    span_eq(name, "GNUmakefile"))
		return "a makefile: 'make-record make' runs it, and writes its "
		    "targets as tasks";
	if (span_eq(name, "build.ninja"))
		return "what ninja is to do: name what it did, .ninja_log, and "
		    "what 'ninja -t graph' prints";
	return NULL;
}

static void
say_unknown(struct file *f, struct span text)
{
	const char *by_name = recognize_name(f->path);
	size_t n = text.n < 1000 ? text.n : 1000;
	const char *newline;

	if (n > 4 && memcmp(text.p, "\177ELF", 4) == 0) {
		buf_str(&f->is, "a program or library");
		f->role = ROLE_PROGRAM;
	} else if (n == 0) {
		buf_str(&f->is, "empty");
	} else if (by_name != NULL) {
		buf_str(&f->is, by_name);
	} else if (memchr(text.p, '\0', n) != NULL) {
		buf_str(&f->is, "not known: it is binary");
	} else if (*text.p == '{' || *text.p == '[') {
		buf_str(&f->is, "not known: weir-adapters(7) shows how to make "
		    "records of JSON");
	} else {
		newline = memchr(text.p, '\n', n);
		if (newline != NULL)
			n = (size_t)(newline - text.p);
		buf_str(&f->is, "not known: it begins with ");
		report_text(&f->is, span_of(text.p, n < 40 ? n : 40));
	}
}

/* Returns false if the file does not begin with a record. */
static bool
examine_stream(struct file *f, struct span text, const struct head *h)
{
	struct tally t = { 0 };

	if (text.n == 0 || *text.p != '{' ||
	    !tally_stream(&t, text, h->is_whole))
		return false;
	buf_str(&f->is, "a stream of records");
	if (t.boundaries.n_writers > 0) {
		buf_str(&f->is, " of ");
		report_text(&f->is, span_str(t.boundaries.writers[0].name));
	}
	put_counts(f, &t, h);
	tally_release(&t);
	return true;
}

static void
examine_text(struct file *f, const struct head *h)
{
	const struct foreign *known;
	struct span text = h->text;

	while (text.n > 0 && text_is_space(*text.p))
		text = span_of(text.p + 1, text.n - 1);
	if (examine_stream(f, text, h))
		return;
	if (span_begins_with(text, "{\"type\":"))
		buf_str(&f->is, "a stream of records whose first line is "
		    "damaged");
	else if ((known = foreign_recognize(text)) != NULL)
		examine_known(f, known, h);
	else if (text.n == 0 || !try_readers(f, h))
		say_unknown(f, text);
}

/* Whether the directory has an entry of this name. */
static bool
has_entry(const char *directory, const char *name)
{
	struct buf path = { 0 };
	struct stat st;
	bool has;

	buf_printf(&path, "%s/%s", directory, name);
	has = stat(buf_cstr(&path), &st) == 0;
	buf_release(&path);
	return has;
}

static void
examine_directory(struct file *f)
{
	if (has_entry(f->path, ".perun")) {
		buf_str(&f->is, "a repository with a Perun store");
		f->role = ROLE_STORE;
	} else if (has_entry(f->path, ".git")) {
		buf_str(&f->is, "a git repository, without a Perun store");
		f->role = ROLE_REPOSITORY;
	} else {
		buf_str(&f->is, "a directory: name files in it");
		f->is_unreadable = true;
	}
}

void
file_examine(struct file *f)
{
	struct stat st;
	struct head head;

	if (strcmp(f->path, "-") != 0 && stat(f->path, &st) == 0 &&
	    S_ISDIR(st.st_mode)) {
		examine_directory(f);
		return;
	}
	read_head(&head, &f->path);
	if (head.input.unreadable) {
		f->is_unreadable = true;
		buf_printf(&f->is, "cannot %s", head.input.damage);
	} else {
		examine_text(f, &head);
	}
	input_release(&head.input);
}

void
file_release(struct file *f)
{
	buf_release(&f->reader);
	buf_release(&f->is);
	buf_release(&f->uids);
}
