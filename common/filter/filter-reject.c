/* filter-reject - warns of input, and rejects bad input */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/lacks.h"
#include "common/json/scan.h"

enum {
	MESSAGES_SHOWN = 10,
	KINDS_MAX = 8		/* with one format string */
};

/*
 * The messages of one kind, of which the first MESSAGES_SHOWN are printed: they
 * have one format string, and are equal up to the first number or name.  The
 * last kind of a format string has all the others with it.
 */
struct message {
	const char *fmt;
	uint64_t count;
	char last[4096];		/* the last one that was printed */
};

/* Copies bytes to the --rejects file. */
static void
keep_rejected(struct filter *f, const char *p, size_t n)
{
	if (!f->rejecting.is_kept)
		return;
	buf_add(&f->rejecting.file.buf, p, n);
	output_done(&f->rejecting.file);
}

/* Whether two texts are equal up to the first quote or digit. */
static bool
begin_alike(const char *a, const char *b)
{
	size_t n = strcspn(a, "'\"0123456789");

	return strcspn(b, "'\"0123456789") == n && memcmp(a, b, n) == 0;
}

/*
 * Counts and formats a message.  Returns its text, or NULL after MESSAGES_SHOWN
 * of the same kind.
 */
static const char *
format_message(struct filter *f, const char *fmt, va_list ap)
{
	struct rejecting *r = &f->rejecting;
	struct message *m, *end = r->messages + r->n_messages;
	char text[sizeof m->last];
	size_t n_kinds = 0;

	vsnprintf(text, sizeof text, fmt, ap);
	/* Format strings are literals: the address identifies one. */
	for (m = r->messages; m < end; m++)
		if (m->fmt == fmt && (begin_alike(m->last, text) ||
		    ++n_kinds == KINDS_MAX))
			break;
	if (m == end) {
		r->messages = mem_grow(r->messages, &r->messages_cap,
		    r->n_messages + 1, sizeof *r->messages);
		m = &r->messages[r->n_messages++];
		m->fmt = fmt;
		m->count = 0;
	}
	if (m->count++ >= MESSAGES_SHOWN)
		return NULL;
	strcpy(m->last, text);
	return m->last;
}

void
filter_note_lacks(struct filter *f, unsigned lacks)
{
	f->lacks |= lacks;
	f->run_lacks |= lacks;
}

unsigned
filter_take_lacks(struct filter *f)
{
	unsigned lacks = f->run_lacks;

	f->run_lacks = 0;
	return lacks;
}

/* Reports a fault, with a position if file is not NULL. */
static void
report_fault(struct filter *f, const char *file, const char *fmt, va_list ap)
{
	const char *text = format_message(f, fmt, ap);

	f->rejected = true;
	f->rejecting.n++;
	filter_note_lacks(f, LACKS_REJECTED |
	    (f->reading.is_cut ? LACKS_TAIL : 0u));
	if (text != NULL && file != NULL)
		err_warn_at(file, f->current_line, "%s", text);
	else if (text != NULL)
		err_warn("%s", text);
}

void
filter_warn(struct filter *f, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = format_message(f, fmt, ap);
	va_end(ap);
	if (text != NULL && f->reading.each)
		err_warn("warning: %s: %s", f->input.name, text);
	else if (text != NULL)
		err_warn("warning: %s", text);
}

void
filter_warn_file(struct filter *f, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = format_message(f, fmt, ap);
	va_end(ap);
	if (text != NULL)
		err_warn("warning: %s: %s", f->input.name, text);
}

void
filter_stop(struct filter *f)
{
	if (f->rejecting.is_kept)
		output_close(&f->rejecting.file);
	exit(EXIT_FATAL);
}

/* Call it when all that is rejected has been copied to the --rejects file. */
static void
stop_if_strict(struct filter *f)
{
	if (f->rejecting.strict)
		filter_stop(f);
}

/* Reports f->current and copies it to the --rejects file. */
static void
reject_current(struct filter *f, const char *fmt, va_list ap)
{
	report_fault(f, f->input.name, fmt, ap);
	keep_rejected(f, f->current.p, f->current.n);
}

void
filter_reject(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reject_current(f, fmt, ap);
	va_end(ap);
	stop_if_strict(f);
}

/* The same without stopping: the caller has more to copy. */
static void PRINTF_LIKE(2, 3)
reject_beginning(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reject_current(f, fmt, ap);
	va_end(ap);
}

void
filter_reject_long_line(struct filter *f)
{
	struct line piece;

	reject_beginning(f, "the line is longer than %llu bytes "
	    "(--max-record)", (unsigned long long)f->max_record);
	boundary_note_line(&f->reading.boundaries, f->current, false);
	while (input_rest(&f->input, &piece)) {
		boundary_note_line(&f->reading.boundaries,
		    span_of(piece.p, piece.full_len), false);
		keep_rejected(f, piece.p, piece.full_len);
	}
	stop_if_strict(f);
}

void
filter_reject_value(struct filter *f, const struct rec *r, unsigned key,
    enum rec_found found, const char *kind)
{
	if (found == REC_ABSENT)
		filter_reject(f, "%.*s is missing", SPAN_ARG(r->keys[key]));
	else
		filter_reject(f, "%.*s is not %s", SPAN_ARG(r->keys[key]),
		    kind);
}

bool
filter_check_text(struct filter *f, const struct line *line)
{
	if (memchr(line->p, '\0', line->len) != NULL) {
		filter_reject(f, "the line contains a NUL byte");
		return false;
	}
	if (!utf8_valid(line->p, line->len)) {
		filter_reject(f, "the line is not UTF-8");
		return false;
	}
	return true;
}

void
filter_fail(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_fault(f, NULL, fmt, ap);
	va_end(ap);
	f->rejecting.n_faults++;
	stop_if_strict(f);
}

void
filter_answer_no(struct filter *f, const char *why)
{
	err_warn("%s", why);
	f->answered_no = true;
}

void
filter_leave_undecided(struct filter *f, const char *why)
{
	err_warn("%s", why);
	f->undecided = true;
}

void
filter_cannot_answer(struct filter *f, const char *why)
{
	if (why != NULL)
		err_warn("%s", why);
	f->cannot_answer = true;
}

void
filter_expect_records(struct filter *f, const char *why)
{
	if (f->n_records > 0 || f->rejecting.met_foreign)
		return;
	if (f->rejected)
		filter_fail(f, "%s", why);
	else
		err_warn("warning: %s", why);
}

void
filter_reject_file(struct filter *f, const char *fmt, ...)
{
	struct span piece;
	va_list ap;

	f->rejecting.gave_up = true;
	f->rejecting.n_faults++;
	va_start(ap, fmt);
	reject_current(f, fmt, ap);
	va_end(ap);
	while (scan_rest(&f->input, &piece))
		keep_rejected(f, piece.p, piece.n);
	stop_if_strict(f);
}

void
filter_reject_to_end(struct filter *f, const char *why)
{
	filter_note_lacks(f, LACKS_TAIL);
	filter_reject_file(f, "%s: the rest of the file is rejected", why);
}

void
filter_reject_rest(struct filter *f, struct span before, const char *why)
{
	if (f->rejecting.gave_up)
		return;
	f->current = before;
	f->current_line = f->input.line + 1;
	filter_reject_to_end(f, why);
}

/* Input of which nothing has been consumed is refused at its next line. */
void
filter_refuse(struct filter *f, struct span before, const char *why)
{
	struct buf text = { 0 };

	if (!f->reading.each)
		die("'%s' %s", f->input.name, why);
	buf_printf(&text, "the file %s", why);
	if (before.n == 0)
		f->current_line = f->input.line + 1;
	f->current = before;
	filter_reject_to_end(f, buf_cstr(&text));
	buf_release(&text);
}

void
filter_report_unprinted(struct filter *f)
{
	struct message *m = f->rejecting.messages,
	    *end = m + f->rejecting.n_messages;

	for (; m < end; m++) {
		if (m->count <= MESSAGES_SHOWN)
			continue;
		err_warn("%llu more like: %s", (unsigned long long)
		    (m->count - MESSAGES_SHOWN), m->last);
		m->count = MESSAGES_SHOWN;
	}
}
