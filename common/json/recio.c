/* recio - reads JSON objects as records, with yajl */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "common/base/err.h"
#include "common/json/items.h"
#include "common/json/nonfinite.h"
#include "common/json/plain.h"
#include "common/json/recio.h"
#include "common/json/skip.h"

/*
 * One yajl handle reads all objects, so that yajl allocates only once.  yajl
 * gets each text in one call, because its lexer rescans a string from the start
 * when another chunk arrives.  open_level() limits the depth, which yajl does
 * not.  After an error the handle is unusable and is replaced.
 */
struct recio {
	yajl_handle yajl;
	struct rec rec;
	struct span text;		/* the input of recio_parse() */
	size_t token_end;		/* where in text the last token ends */
	size_t object_end;		/* where in text the record ends; 0
					   until yajl has got there */
	unsigned depth;			/* 1 within the record */
	size_t first_name[RECIO_DEPTH + 1];	/* by level: in rec.names */
	const char *why;		/* the reason for an error, or NULL */
	char message[256];
	bool is_python;			/* recio_accept_python() */
	struct buf hidden;		/* the text, from nonfinite_hide() */
};

/* The start of the token that yajl has just read. */
static const char *
token_start(const struct recio *io)
{
	const char *p = io->text.p + io->token_end;

	while (json_is_space(*p) || *p == ':' || *p == ',')
		p++;
	return p;
}

static void
set_token_end(struct recio *io)
{
	io->token_end = yajl_get_bytes_consumed(io->yajl);
}

/*
 * For a string without escapes, yajl passes its address in the text.  A string
 * with escapes is in a buffer that yajl reuses, and is therefore copied.
 */
static struct span
keep_string(struct recio *io, const unsigned char *p, size_t n)
{
	const char *s = (const char *)p;

	if (s >= io->text.p && s < io->text.p + io->text.n)
		return span_of(s, n);
	return arena_span(&io->rec.arena, span_of(s, n));
}

/* Sets the reason; returns 0, with which a callback makes yajl stop. */
static int PRINTF_LIKE(2, 3)
reject(struct recio *io, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(io->message, sizeof io->message, fmt, ap);
	va_end(ap);
	io->why = io->message;
	return 0;
}

static int
reject_duplicate(struct recio *io, struct span key)
{
	return reject(io, "duplicate key '%.*s'",
	    (int)(key.n < 128 ? key.n : 128), key.p);
}

/* The field whose value is being read. */
static struct field *
last_field(struct recio *io)
{
	return &io->rec.fields[io->rec.n - 1];
}

/* Whether the innermost open value is an array that is a field. */
static bool
is_in_field_array(struct recio *io)
{
	return io->depth == 2 && last_field(io)->kind == REC_ARRAY;
}

/* Adds a value that is neither an array nor an object. */
static int
add_scalar(struct recio *io, enum rec_kind kind, struct span text)
{
	struct field *f;

	if (io->depth == 0)
		return reject(io, "it is not an object");
	if (io->depth == 1) {
		f = last_field(io);
		f->kind = kind;
		f->text = text;
		f->token.p = token_start(io);
		set_token_end(io);
		f->token.n = (size_t)(io->text.p + io->token_end - f->token.p);
		return 1;
	}
	if (is_in_field_array(io)) {
		if (kind == REC_STRING)
			rec_add_item(&io->rec, text);
		else
			last_field(io)->mixed = true;
	}
	set_token_end(io);
	return 1;
}

static int
on_null(void *context)
{
	return add_scalar(context, REC_NULL, span_of("", 0));
}

static int
on_boolean(void *context, int value)
{
	return add_scalar(context, value ? REC_TRUE : REC_FALSE,
	    span_of("", 0));
}

static int
on_number(void *context, const char *p, size_t n)
{
	struct recio *io = context;

	rec_check_number(&io->rec, span_of(p, n));
	return add_scalar(io, REC_NUMBER, span_of(p, n));
}

static int
on_string(void *context, const unsigned char *p, size_t n)
{
	struct recio *io = context;

	/* A string deeper than the items of a field's array is not kept. */
	if (io->depth > 2)
		return add_scalar(io, REC_STRING, span_of("", 0));
	return add_scalar(io, REC_STRING, keep_string(io, p, n));
}

static int
on_key(void *context, const unsigned char *p, size_t n)
{
	struct recio *io = context;
	struct span key = keep_string(io, p, n);
	unsigned key_number = 0;

	set_token_end(io);
	if (io->depth == 1) {
		key_number = rec_key_number(&io->rec, key);
		if (rec_add_at(&io->rec, key, key_number) == NULL)
			return reject_duplicate(io, key);
	}
	if (key_number == 0)
		rec_add_name(&io->rec, key);
	return 1;
}

static int
open_level(struct recio *io, bool is_map)
{
	struct field *f;

	if (io->depth == 0 && (!is_map || io->object_end != 0))
		return reject(io, is_map ? "more than one object on the line" :
		    "it is not an object");
	if (io->depth == RECIO_DEPTH)
		return reject(io, "it has more than %d levels", RECIO_DEPTH);
	if (io->depth == 1) {
		f = last_field(io);
		f->kind = is_map ? REC_OBJECT : REC_ARRAY;
		f->token.p = token_start(io);
	} else if (is_in_field_array(io)) {
		last_field(io)->mixed = true;
	}
	io->depth++;
	io->first_name[io->depth] = io->rec.n_names;
	set_token_end(io);
	return 1;
}

static int
close_level(struct recio *io)
{
	struct field *f;

	io->depth--;
	set_token_end(io);
	if (io->depth == 0) {
		io->object_end = io->token_end;
	} else if (io->depth == 1) {
		f = last_field(io);
		f->token.n = (size_t)(io->text.p + io->token_end - f->token.p);
	}
	return 1;
}

static int
on_map_start(void *context)
{
	return open_level(context, true);
}

static int
on_map_end(void *context)
{
	struct recio *io = context;
	const struct span *duplicate = rec_take_names(&io->rec,
	    io->first_name[io->depth]);

	return duplicate != NULL ? reject_duplicate(io, *duplicate) :
	    close_level(io);
}

static int
on_array_start(void *context)
{
	return open_level(context, false);
}

static int
on_array_end(void *context)
{
	return close_level(context);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_map_start,
	.yajl_map_key = on_key,
	.yajl_end_map = on_map_end,
	.yajl_start_array = on_array_start,
	.yajl_end_array = on_array_end,
};

/*
 * yajl does not check what these functions return.  They do not return NULL: if
 * memory runs out, they end the program.
 */
static void *
yajl_malloc(void *context, size_t size)
{
	(void)context;
	return mem_alloc(size);
}

static void *
yajl_realloc(void *context, void *p, size_t size)
{
	(void)context;
	return mem_resize(p, size, 1);
}

static void
yajl_release(void *context, void *p)
{
	(void)context;
	free(p);
}

static void
start_yajl(struct recio *io)
{
	yajl_alloc_funcs functions = { yajl_malloc, yajl_realloc,
	    yajl_release, NULL };

	if (io->yajl != NULL)
		yajl_free(io->yajl);
	io->yajl = yajl_alloc(&callbacks, &functions, io);
	yajl_config(io->yajl, yajl_allow_multiple_values, 1);
}

struct recio *
recio_new(const char *const *keys)
{
	struct recio *io = mem_zero(1, sizeof *io);

	rec_init(&io->rec, keys);
	start_yajl(io);
	return io;
}

void
recio_accept_python(struct recio *io)
{
	io->is_python = true;
}

void
recio_free(struct recio *io)
{
	if (io == NULL)
		return;
	yajl_free(io->yajl);
	rec_release(&io->rec);
	buf_release(&io->hidden);
	free(io);
}

/*
 * Sets the reason unless it is already set.  For an error that yajl found, the
 * reason is the first line of yajl's message, with the position.
 */
static void
explain(struct recio *io, yajl_status status)
{
	unsigned char *words;

	if (io->why != NULL)
		return;
	if (status == yajl_status_ok) {
		reject(io, io->depth > 0 ? "it ends within an object" :
		    "it is not an object");
		return;
	}
	words = yajl_get_error(io->yajl, 0, NULL, 0);
	words[strcspn((char *)words, "\n")] = '\0';
	reject(io, "%s (byte %zu)", (char *)words,
	    yajl_get_bytes_consumed(io->yajl));
	yajl_free_error(io->yajl, words);
}

struct rec *
recio_parse(struct recio *io, struct span text, const char **why)
{
	yajl_status status = yajl_status_ok;
	const char *end;

	if (text.n > 0 && plain_read(&io->rec, text) == text.n)
		return &io->rec;
	if (io->is_python)
		text = nonfinite_hide(&io->hidden, text);
	end = text.p + text.n;
	io->text = text;
	io->token_end = io->object_end = 0;
	io->depth = 0;
	io->why = NULL;
	rec_clear(&io->rec);

	/* yajl accepts these two as white space; JSON does not. */
	if (memchr(text.p, '\f', text.n) != NULL ||
	    memchr(text.p, '\v', text.n) != NULL)
		reject(io, "it contains a form feed or vertical tab");
	/* yajl also accepts overlong forms and surrogates. */
	else if (!utf8_valid(text.p, text.n))
		reject(io, "it is not UTF-8");
	else
		status = yajl_parse(io->yajl, (const unsigned char *)text.p,
		    text.n);

	if (io->why == NULL && status == yajl_status_ok && io->depth == 0 &&
	    io->object_end != 0) {
		/* yajl does not report a number after the object: it ends with
		   the text, so yajl waits for more digits. */
		if (skip_space(text.p + io->object_end, end) == end)
			return &io->rec;
		reject(io, "something follows the object");
	}
	explain(io, status);
	*why = io->why;
	start_yajl(io);
	return NULL;
}

const struct rec *
recio_member(struct recio *io, const struct rec *r, unsigned key)
{
	const struct field *f = rec_get(r, key);
	const char *why;

	return f == NULL || f->kind != REC_OBJECT ? NULL :
	    recio_parse(io, f->token, &why);
}

struct rec *
recio_plain(struct recio *io, struct span text, size_t *n)
{
	*n = plain_read(&io->rec, text);
	return *n > 0 ? &io->rec : NULL;
}

struct rec *
recio_item(struct recio *io, struct span *rest, struct span *item,
    const char **why)
{
	struct rec *rec;
	size_t n;

	*why = NULL;
	if (!items_advance(rest))
		return NULL;
	rec = recio_plain(io, *rest, &n);
	*item = span_of(rest->p, n);
	if (rec != NULL) {
		*rest = span_of(rest->p + n, rest->n - n);
		return rec;
	}
	items_take(rest, item);
	return recio_parse(io, *item, why);
}
