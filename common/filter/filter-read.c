/* filter-read - reads lines, records and values from the files of a filter */

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/foreign.h"
#include "common/filter/lacks.h"
#include "common/json/recio.h"
#include "common/json/scan.h"

static void
set_current(struct filter *f, const char *p, size_t n)
{
	f->current = span_of(p, n);
	f->current_line = f->input.line;
	f->reading.got_input = true;
}

void
filter_need_whole(struct filter *f)
{
	f->reading.needs_whole = true;
}

void
filter_add_lacks(struct filter *f, unsigned lacks, const char *what)
{
	unsigned lost = lacks & ~(unsigned)LACKS_REJECTED;
	struct buf text = { 0 };

	filter_note_lacks(f, lacks);
	if (lost != lacks) {
		err_warn("input of %s was rejected", what);
		f->rejected = true;
		f->rejecting.n++;
	}
	if (lost == 0 || !f->reading.needs_whole || f->reading.partial)
		return;
	lacks_put_clauses(&text, lost);
	err_warn("%s is not complete (see --partial): %s", what,
	    buf_cstr(&text));
	buf_release(&text);
	f->truncated = true;
}

/* Reports streams without an end record, or with only_head without a begin. */
static void
check_open(struct filter *f, bool only_head)
{
	const char *writer;

	if (boundary_count_open(&f->reading.boundaries, only_head,
	    &writer) == 0)
		return;
	filter_note_lacks(f, only_head ? LACKS_HEAD : LACKS_TAIL);
	if (f->reading.partial)
		return;
	err_warn("the input is truncated: the %s record of %s is missing",
	    only_head ? "begin" : "end", writer);
	f->truncated = true;
}

/*
 * Reports what the begin and end records of all files say: filters that wrote
 * the input rejected some of theirs, or a stream is truncated.
 */
static void
end_streams(struct filter *f)
{
	const struct boundaries *s = &f->reading.boundaries;
	struct rejecting *r = &f->rejecting;

	filter_add_lacks(f, s->lacks & ~(unsigned)LACKS_REJECTED, "the input");
	if (s->n_rejected > 0) {
		filter_note_lacks(f, LACKS_REJECTED);
		err_warn("input was rejected by %s", s->rejected_by);
		f->rejected = true;
		r->n = saturating_add(r->n, s->n_rejected);
		r->n_faults = saturating_add(r->n_faults, s->n_faults);
	}
	check_open(f, false);
	check_open(f, true);
	filter_report_unprinted(f);
	f->reading.boundaries = (struct boundaries){ 0 };
}

/*
 * Reports a file of records that is empty: a filter that could not start leaves
 * its reader such an input.  Logs may be empty: one file of Spark's always is.
 */
static void
check_not_empty(struct filter *f)
{
	struct reading *r = &f->reading;

	if (!r->records || !f->in_file || r->got_input || f->input.unreadable)
		return;
	filter_note_lacks(f, LACKS_TAIL);
	filter_fail(f, "nothing came: '%s' is empty", f->input.name);
	r->got_nothing = true;
	f->truncated |= r->first_is_needed && !r->partial;
}

/*
 * Rejects the current file, which another filter reads, with one message, and
 * moves to the next file.
 */
static bool
skip_foreign(struct filter *f, const struct foreign *foreign)
{
	f->in_file = f->reading.first_is_needed = false;
	f->reading.got_input = f->rejecting.met_foreign = true;
	f->current = span_of(NULL, 0);
	f->current_line = 1;
	if (foreign_has_adapter(foreign))
		filter_reject_file(f, "this is %s, which the adapter %s reads: "
		    "see weir-adapters(7)", foreign->what, foreign->reader);
	else if (foreign->reader != NULL)
		filter_reject_file(f, "this is %s, which %s reads",
		    foreign->what, foreign->reader);
	else
		filter_reject_file(f, "this is %s, which no filter reads",
		    foreign->what);
	return filter_next_file(f);
}

bool
filter_next_file(struct filter *f)
{
	struct reading *r = &f->reading;
	const struct foreign *foreign;
	bool was_needed = f->in_file && r->first_is_needed;

	if (f->in_file && f->input.unreadable) {
		filter_fail(f, "cannot %s", f->input.damage);
	} else if (f->in_file && f->input.damage != NULL) {
		set_current(f, NULL, 0);
		f->rejecting.n_faults++;
		filter_note_lacks(f, LACKS_TAIL);
		filter_reject(f, "the file ends early: %s", f->input.damage);
	} else if (f->in_file && f->input.misnamed != NULL) {
		set_current(f, NULL, 0);
		f->rejecting.n_faults++;
		filter_reject(f, "%s", f->input.misnamed);
	}
	check_not_empty(f);
	if (f->in_file && r->each) {
		f->in_file = false;
		return false;
	}

	if (r->what != NULL && input_next_is_terminal(&f->input))
		err_warn("reading %s from standard input: end it by Ctrl-D, or "
		    "name a file (see --help)", r->what);
	f->in_file = input_next_file(&f->input);
	f->rejecting.gave_up = false;
	if (f->in_file) {
		r->first_is_needed &= !was_needed;
		r->got_input = r->is_cut = false;
		foreign = f->input.damage != NULL ? NULL :
		    foreign_find(&f->input, r->name,
		    r->records ? r->recio : NULL);
		return foreign == NULL || skip_foreign(f, foreign);
	}
	end_streams(f);
	return false;
}

bool
filter_file_line(struct filter *f, struct line *line)
{
	while (f->in_file && input_line(&f->input, f->max_record, line)) {
		set_current(f, line->p, line->full_len);
		f->reading.is_cut = line->len == line->full_len;
		if (line->too_long)
			filter_reject_long_line(f);
		else if (f->input.damage != NULL && f->reading.is_cut)
			filter_reject(f, "the line is truncated");
		else
			return true;
	}
	return false;
}

bool
filter_line(struct filter *f, struct line *line)
{
	do
		if (filter_file_line(f, line))
			return true;
	while (filter_next_file(f));
	return false;
}

struct rec *
filter_record(struct filter *f, struct span text)
{
	const char *why;
	struct rec *rec = recio_parse(f->reading.recio, text, &why);

	if (rec != NULL)
		return rec;
	/* `current` includes the newline of a line: with equal lengths there
	   is none, so it is the last line. */
	if (f->reading.records)
		boundary_note_line(&f->reading.boundaries, text,
		    text.n == f->current.n);
	filter_reject(f, "%s", why);
	return NULL;
}

/*
 * The next record, of *n bytes, without consuming it.  NULL if it does not have
 * the plain form (plain.h), is not complete in the buffer, or is longer than
 * --max-record.  Faster than the usual way, which searches for the end of the
 * line or value before reading it.
 */
static struct rec *
peek_plain(struct filter *f, size_t *n)
{
	struct input *in = &f->input;
	struct rec *rec = recio_plain(f->reading.recio, span_of(in->at,
	    (size_t)(in->end - in->at)), n);

	return rec != NULL && *n <= f->max_record ? rec : NULL;
}

/* filter_next() for a line that is nothing but a record of the plain form. */
static struct rec *
next_plain(struct filter *f)
{
	struct input *in = &f->input;
	size_t n;
	struct rec *rec = peek_plain(f, &n);

	if (rec == NULL || in->at + n == in->end || in->at[n] != '\n')
		return NULL;
	in->line++;
	set_current(f, in->at, n + 1);
	in->at += n + 1;
	return rec;
}

static void
set_limit(struct filter *f, bool has_documents)
{
	if (!f->reading.limit_is_given)
		f->max_record = has_documents || boundary_count_open(
		    &f->reading.boundaries, false, NULL) > 0 ?
		    FILTER_RECORD_MAX : FILTER_LINE_MAX;
}

bool
filter_consume_boundary(struct filter *f, const struct rec *rec)
{
	if (!boundary_note(&f->reading.boundaries, rec))
		return false;
	set_limit(f, false);
	return true;
}

bool
filter_is_stream(struct filter *f)
{
	set_limit(f, true);
	return scan_is_stream(&f->input, f->reading.limit_is_given ?
	    f->max_record : FILTER_LINE_MAX);
}

int64_t
filter_n_begun(const struct filter *f)
{
	return f->reading.boundaries.n_begun;
}

bool
filter_have_ended(const struct filter *f, int64_t n)
{
	const struct boundaries *s = &f->reading.boundaries;

	return f->reading.partial ||
	    s->n_begun - boundary_count_open(s, false, NULL) >= n;
}

struct rec *
filter_next(struct filter *f)
{
	struct line line;
	struct rec *rec;

	do {
		rec = next_plain(f);
		while (rec == NULL && filter_line(f, &line))
			rec = filter_record(f, span_of(line.p, line.len));
	} while (rec != NULL && filter_consume_boundary(f, rec));
	return rec;
}

bool
filter_value(struct filter *f, struct span *value)
{
	uint64_t line;
	enum scan_result result;

	result = scan_value(&f->input, f->max_record, value, &line);
	if (result == SCAN_NONE)
		return false;
	f->current = *value;
	f->current_line = line + 1;
	f->reading.got_input = true;
	f->reading.is_cut = false;
	if (result == SCAN_WHOLE)
		return true;
	filter_reject_to_end(f, result == SCAN_TRUNCATED ?
	    "the file ends within a value" :
	    "a value is longer than --max-record");
	return false;
}

/* The next value of the current file; false at its end. */
static bool
next_file_value(struct filter *f, struct span *value)
{
	struct line line;

	if (f->reading.is_stream) {
		if (!filter_file_line(f, &line))
			return false;
		*value = span_of(line.p, line.len);
		return true;
	}
	while (scan_peek(&f->input) != -1) {
		if (filter_value(f, value))
			return true;
		filter_reject_rest(f, span_of(NULL, 0),
		    "no JSON value begins here");
	}
	return false;
}

struct rec *
filter_next_document(struct filter *f, struct span *text)
{
	struct rec *rec;

	for (;;) {
		while (f->in_file && next_file_value(f, text)) {
			rec = filter_record(f, *text);
			if (rec != NULL && !filter_consume_boundary(f, rec))
				return rec;
		}
		if (!filter_next_file(f))
			return NULL;
		f->reading.is_stream = filter_is_stream(f);
	}
}

bool
filter_object(struct filter *f, struct rec **rec)
{
	struct input *in = &f->input;
	struct span value;
	size_t n;

	scan_peek(in);
	if ((*rec = peek_plain(f, &n)) != NULL) {
		/* The plain form contains no newline to count. */
		f->current = span_of(in->at, n);
		f->current_line = in->line + 1;
		in->at += n;
		return true;
	}
	if (!filter_value(f, &value))
		return false;
	*rec = filter_record(f, value);
	return true;
}

int
filter_member(struct filter *f, const char *const *names)
{
	struct span key;
	int i = 0;

	f->reading.key.len = 0;
	if (scan_peek(&f->input) != '"' || !filter_value(f, &key))
		return NO_MEMBER;
	/* Copied, because the search for the colon may move the input. */
	buf_add(&f->reading.key, key.p, key.n);
	f->current = buf_span(&f->reading.key);
	key = span_of(f->reading.key.data + 1, f->reading.key.len - 2);
	while (names[i] != NULL && !span_eq(key, names[i]))
		i++;
	return scan_accept(&f->input, ':') ? i : NO_MEMBER;
}
