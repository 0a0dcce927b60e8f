#ifndef WEIR_TEXTS_H
#define WEIR_TEXTS_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* Texts by number, made when they are first asked for.  Start with { 0 }. */
struct texts {
	struct buf buf;		/* all of them */
	struct text {
		size_t at;
		uint32_t n;	/* 0: not made */
		uint32_t n_asked;
	} *list;
	size_t cap;
};

/* Borrowed until the next call. */
struct text *texts_at(struct texts *, uint32_t number);
void texts_release(struct texts *);

/* What is added to buf from here on is this text, up to texts_made(). */
static inline struct buf *
texts_make(struct texts *t, struct text *text)
{
	text->at = t->buf.len;
	return &t->buf;
}

static inline void
texts_made(struct texts *t, struct text *text)
{
	text->n = (uint32_t)(t->buf.len - text->at);
}

static inline void
texts_add(const struct texts *t, const struct text *text, struct buf *b)
{
	buf_add(b, t->buf.data + text->at, text->n);
}

/*
 * Whether a text has been asked for so often that it pays to keep it.  Many
 * long ones lie in memory that no cache holds: they are put together from
 * short ones in less time than it takes to write them there and read them back.
 */
static inline bool
texts_pays(struct text *text)
{
	return ++text->n_asked > 8;
}

#endif
