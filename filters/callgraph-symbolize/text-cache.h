#ifndef CALLGRAPH_SYMBOLIZE_TEXT_CACHE_H
#define CALLGRAPH_SYMBOLIZE_TEXT_CACHE_H

#include <stdbool.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/* A cache of texts by number.  Start with { 0 }. */
struct text_cache {
	struct buf buf;		/* all texts */
	struct text {
		size_t start;	/* in buf */
		uint32_t n;	/* bytes */
		uint32_t n_requests;	/* see text_cache_count_request() */
		bool is_cached;		/* perhaps an empty text */
	} *list;
	size_t cap;
};

/* The text of a number, cached or not: borrowed until the next call. */
struct text *text_cache_at(struct text_cache *, uint32_t number);
void text_cache_release(struct text_cache *);

/*
 * Begins to cache a text: returns a buffer, and what the caller appends to it
 * until text_cache_end() is the text.
 */
static inline struct buf *
text_cache_begin(struct text_cache *t, struct text *text)
{
	text->start = t->buf.len;
	return &t->buf;
}

static inline void
text_cache_end(struct text_cache *t, struct text *text)
{
	text->n = (uint32_t)(t->buf.len - text->start);
	text->is_cached = true;
}

/* Appends a cached text to another buffer. */
static inline void
text_cache_copy(const struct text_cache *t, const struct text *text,
    struct buf *b)
{
	buf_add(b, t->buf.data + text->start, text->n);
}

/*
 * Counts a request for a long text and returns whether there were enough to
 * cache it.  Many long texts do not fit into the processor's caches: composing
 * one from short texts is faster than storing it and reading it back once or
 * twice.  So a text is stored only when it is requested for the ninth time.
 */
static inline bool
text_cache_count_request(struct text *text)
{
	return ++text->n_requests > 8;
}

#endif
