#ifndef WEIR_JSON_H
#define WEIR_JSON_H

#include "common/buf.h"
#include "common/text.h"

/*
 * Writes one record:
 *	json_begin(b, "task"); json_str(b, "id", id); ...; json_end(b);
 * Keys are written as they are: snake_case literals.  json_raw takes a JSON
 * token that somebody else wrote and copies it byte for byte.
 */
void json_begin(struct buf *, const char *type);
void json_end(struct buf *);

void json_str(struct buf *, const char *key, struct span);
void json_cstr(struct buf *, const char *key, const char *);
void json_int(struct buf *, const char *key, int64_t);
void json_uint(struct buf *, const char *key, uint64_t);
void json_ratio(struct buf *, const char *key, double);	/* six decimals */
void json_true(struct buf *, const char *key);
void json_raw(struct buf *, const char *key, struct span token);

/* An array or object as a value: key and bracket, then values without keys. */
void json_open(struct buf *, const char *key, char bracket);
void json_close(struct buf *, char bracket);
void json_item(struct buf *, struct span);		/* a string */

/* A member whose key came from an input. */
void json_int_member(struct buf *, struct span key, int64_t);

/*
 * A string token alone.  Quotes, backslashes and controls are escaped, all
 * else is copied; bytes that are not UTF-8 become U+FFFD.
 */
void json_quote(struct buf *, struct span);

#endif
