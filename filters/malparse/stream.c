/* stream - reads the objects of a profiler's stream */

#define _GNU_SOURCE	/* memmem() */

#include <string.h>

#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/json.h"
#include "common/json/recio.h"
#include "common/json/scan.h"
#include "filters/malparse/malparse.h"

#define W001 "W001: ignoring an object that contains errors: "

void
stream_init(struct stream *s, struct filter *f)
{
	*s = (struct stream){ .f = f, .recio = recio_new(event_keys) };
}

/* How many bytes the input's buffer has from the current position on. */
static size_t
n_buffered(const struct input *in)
{
	return (size_t)(in->end - in->at);
}

/* Consumes n bytes, and makes them what filter_reject() rejects. */
static void
consume(struct stream *s, size_t n)
{
	struct input *in = &s->f->input;

	s->f->current_line = in->line + 1;
	s->f->current = scan_consume(in, n);
}

void
stream_reject(struct stream *s, const char *why)
{
	filter_reject(s->f, W001 "%s", why);
}

/*
 * The offset, from `at` on, at which an object or tuple may begin, or a line of
 * a table of TRACE, of which *line is then the kind; n if there is none.
 */
static size_t
find_next(struct stream *s, size_t at, size_t n, enum mclient_line *line)
{
	const char *p = s->f->input.at, *newline;
	size_t object = boundary_next(span_of(p, n), at);

	*line = MCLIENT_NONE;
	for (; at < object; at = (size_t)(newline - p) + 1) {
		if (at == 0 || p[at - 1] == '\n')
			*line = mclient_classify(&s->mclient,
			    span_of(p + at, n - at));
		if (*line != MCLIENT_NONE)
			return at;
		newline = memchr(p + at, '\n', object - at);
		if (newline == NULL)
			break;
	}
	return object;
}

/*
 * Rejects the input up to the next byte at which an object or a line of a table
 * may begin or, if there is none, all that is in the buffer.  The search starts
 * at the offset `at`, and ends when the buffer has more than max_record bytes.
 * What mclient prints before a table, such as the query's own result, is not
 * rejected.
 */
static void
reject_to_next_object(struct stream *s, size_t at, const char *why)
{
	/*
	 * Bytes to search again after more input has been read, because the
	 * buffer may have ended within a key or the first bytes of a line.
	 */
	enum { AGAIN = MCLIENT_PREFIX };
	struct input *in = &s->f->input;
	bool is_text = at == 0, is_rest = false;
	enum mclient_line line;
	struct span lost;
	size_t next;

	for (;;) {
		next = find_next(s, at, n_buffered(in), &line);
		if (next < n_buffered(in) || n_buffered(in) > s->f->max_record)
			break;
		at = next > at + AGAIN ? next - AGAIN : at;
		if (!input_more(in)) {
			is_rest = true;
			break;
		}
	}
	consume(s, next);
	if (is_text && line >= MCLIENT_HEADER)
		return;
	lost = s->f->current;
	/* Only a single line is tolerated. */
	if (!is_rest || memchr(lost.p, '\n', lost.n - 1) == NULL) {
		stream_reject(s, why);
		return;
	}
	s->repaired.len = 0;
	buf_printf(&s->repaired, W001 "%s", why);
	filter_reject_to_end(s->f, buf_cstr(&s->repaired));
}

/*
 * The offset of the end of the line that begins at `at`; if the line is longer
 * than max_record, that of any byte after max_record.
 */
static size_t
line_end(struct stream *s, size_t at)
{
	struct input *in = &s->f->input;
	size_t limit = at + s->f->max_record;
	const char *newline;

	for (;;) {
		newline = memchr(in->at + at, '\n', n_buffered(in) - at);
		if (newline != NULL)
			return (size_t)(newline - in->at);
		at = n_buffered(in);
		if (at > limit || !input_more(in))
			return at;
	}
}

/*
 * The length of the line, but 0 if it was asked for before: of a line with many
 * objects, the end would be searched for as many times.
 */
static size_t
first_line_length(struct stream *s)
{
	uint64_t line = s->f->input.line + 1;

	if (s->measured_line == line)
		return 0;
	s->measured_line = line;
	return line_end(s, 0);
}

/*
 * Reads the current line as one object; NULL if it is not one.  Nearly all
 * lines are, so this is tried first.
 */
static const struct rec *
read_line(struct stream *s)
{
	size_t n = first_line_length(s);
	const char *p = s->f->input.at, *why;
	const struct rec *r;

	while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\r'))
		n--;
	if (n < 2 || p[n - 1] != '}' || n > s->f->max_record)
		return NULL;
	r = recio_parse(s->recio, span_of(p, n), &why);
	if (r != NULL)
		consume(s, n);
	return r;
}

/* Finds the end of the object, however many lines it has, or sets b->why. */
static enum boundary_result
find_end(struct stream *s, struct object_scan *b)
{
	struct input *in = &s->f->input;
	enum boundary_result result;

	for (;;) {
		result = boundary_find(b, span_of(in->at, n_buffered(in)));
		if (b->skip.at > s->f->max_record) {
			b->why = "it is longer than --max-record";
			return BOUNDARY_BROKEN;
		}
		if (result != BOUNDARY_MORE)
			return result;
		if (!input_more(in)) {
			b->why = "the file ends within it";
			return BOUNDARY_BROKEN;
		}
	}
}

/*
 * Reads an object in any framing, repaired if needed; NULL if it is rejected.
 */
static const struct rec *
read_object(struct stream *s)
{
	const struct rec *r = read_line(s);
	struct object_scan b = { 0 };
	struct span text;
	const char *why;

	if (r != NULL)
		return r;
	if (find_end(s, &b) != BOUNDARY_FOUND) {
		reject_to_next_object(s, 1, b.why);
		return NULL;
	}
	text = span_of(s->f->input.at, b.skip.at);
	r = recio_parse(s->recio, text, &why);
	if (r == NULL) {
		repair_object(text, &s->repaired);
		r = recio_parse(s->recio, buf_span(&s->repaired), &why);
	}
	if (r != NULL)
		consume(s, b.skip.at);
	else
		reject_to_next_object(s, 1, why);
	return r;
}

/*
 * Reads what begins with a bracket.  A tuple is returned as an object; NULL if
 * it is rejected.  If the bracket begins an array of objects, skips only the
 * bracket and returns NULL.
 */
static const struct rec *
read_bracket(struct stream *s)
{
	size_t n = first_line_length(s), i = 1;
	struct span line = span_of(s->f->input.at, n);
	const struct rec *r;
	const char *why;

	while (i < n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	/* The first column of a tuple is a number. */
	if (i >= n || !text_is_digit(line.p[i])) {
		consume(s, 1);
		return NULL;
	}
	consume(s, n);
	if (n > s->f->max_record) {
		stream_reject(s, "it is longer than --max-record");
		return NULL;
	}
	if (!tuple_to_object(line, &s->repaired)) {
		stream_reject(s, "a tuple has 14 columns, the third of the "
		    "form function[pc]tag");
		return NULL;
	}
	r = recio_parse(s->recio, buf_span(&s->repaired), &why);
	if (r == NULL)
		stream_reject(s, why);
	return r;
}

/*
 * Reads text: a line of a table of TRACE, with those that continue it, or what
 * is rejected.  A row is returned as an object; NULL for all else.
 */
static const struct rec *
read_text(struct stream *s)
{
	struct input *in = &s->f->input;
	size_t n = line_end(s, 0), next, end;
	enum mclient_line kind = mclient_classify(&s->mclient,
	    span_of(in->at, n));
	const struct rec *r = NULL;
	const char *why;

	if (kind == MCLIENT_NONE) {
		reject_to_next_object(s, 0, "no object begins here");
		return NULL;
	}
	/* Other rows have one line, so that no more need be waited for. */
	while (n <= s->f->max_record && (*in->at == '|' || *in->at == '-') &&
	    (n + 1 < n_buffered(in) || input_more(in))) {
		next = n + 1;
		end = line_end(s, next);
		if (!mclient_continues(kind, span_of(in->at + next,
		    end - next)))
			break;
		n = end;
	}
	consume(s, n);
	why = n > s->f->max_record ? "it is longer than --max-record" :
	    mclient_read(&s->mclient, kind, s->f->current, &s->repaired);
	if (why == NULL && s->repaired.len > 0)
		r = recio_parse(s->recio, buf_span(&s->repaired), &why);
	if (why != NULL)
		stream_reject(s, why);
	else if (r != NULL && s->mclient.is_truncated)
		filter_warn(s->f, "line %llu: the statement is truncated",
		    (unsigned long long)s->f->current_line);
	return r;
}

bool
stream_next_line_has(const struct filter *f, const char *text)
{
	const char *p = f->input.at, *end = f->input.end, *newline;

	while (p < end && (json_is_space(*p) || *p == ','))
		p++;
	newline = memchr(p, '\n', (size_t)(end - p));
	return memmem(p, (size_t)((newline != NULL ? newline : end) - p), text,
	    strlen(text)) != NULL;
}

const struct rec *
stream_next(struct stream *s)
{
	struct input *in = &s->f->input;
	const struct rec *r = NULL;

	while (r == NULL) {
		switch (s->f->in_file ? scan_peek(in) : -1) {
		case -1:
			if (!filter_next_file(s->f))
				return NULL;
			s->measured_line = 0;
			mclient_reset(&s->mclient);
			break;
		case '{':
			r = read_object(s);
			break;
		case '[':
			r = read_bracket(s);
			break;
		case ']':
		case ',':
			consume(s, 1);
			break;
		case '#':	/* a comment */
			consume(s, line_end(s, 0));
			break;
		default:
			r = read_text(s);
		}
	}
	return r;
}
