/* uid - what a record is about, as a text that is the same in the next run */

#include <string.h>

#include "filters/profile-make/keys.h"
#include "filters/profile-make/uid.h"

struct span
uid_first_text(const struct rec *rec, const unsigned *keys)
{
	struct span text;

	for (; *keys != KEY_TYPE; keys++)
		if (rec_str(rec, *keys, &text) == REC_OK && text.n > 0)
			return text;
	return span_of("", 0);
}

static bool
is_kind(const struct rec *rec, const char *kind)
{
	struct span text;

	return rec_str(rec, KIND, &text) == REC_OK && span_eq(text, kind);
}

/*
 * The id of a prepare task, prepare:WORKER:WHAT or prepare:WHAT, without the
 * worker.
 */
static struct span
skip_worker(struct span id)
{
	static const char prefix[] = "prepare:";
	size_t n = sizeof prefix - 1, i = n;

	if (id.n < n || memcmp(id.p, prefix, n) != 0)
		return id;
	while (i < id.n && text_is_digit(id.p[i]))
		i++;
	if (i > n && i < id.n && id.p[i] == ':')
		n = i + 1;
	return span_of(id.p + n, id.n - n);
}

/*
 * What is the same in the next run: not the ids of copies, instructions and
 * prepare tasks, which contain hosts, executions and workers.
 */
static bool
put_task(struct buf *b, const struct rec *rec)
{
	static const unsigned usual[] = { TARGET, NAME, ID, KEY_TYPE },
	    copy[] = { TARGET, NAME, UID, ID, KEY_TYPE },
	    prepare[] = { PREPARE, ID, KEY_TYPE },
	    instruction[] = { RULE, NAME, ID, KEY_TYPE };
	const unsigned *keys = usual;
	struct span text;

	if (is_kind(rec, "copy")) {
		buf_str(b, "copy of ");
		keys = copy;
	} else if (is_kind(rec, "prepare")) {
		buf_str(b, "prepare ");
		keys = prepare;
	} else if (is_kind(rec, "instruction") || is_kind(rec, "call")) {
		keys = instruction;
	}
	text = uid_first_text(rec, keys);
	if (keys == prepare)
		text = skip_worker(text);
	buf_add(b, text.p, text.n);
	return text.n > 0;
}

static bool
put_group(struct buf *b, const struct rec *rec)
{
	struct span by, value;

	if (rec_str(rec, BY, &by) != REC_OK ||
	    rec_str(rec, VALUE, &value) != REC_OK)
		return false;
	buf_add(b, by.p, by.n);
	buf_char(b, ' ');
	buf_add(b, value.p, value.n);
	return true;
}

static bool
put_member(struct buf *b, const struct rec *rec, unsigned key)
{
	struct span text;

	if (rec_str(rec, key, &text) != REC_OK || text.n == 0)
		return false;
	buf_add(b, text.p, text.n);
	return true;
}

/* The name or, without one, MODULE+ADDRESS as callgraph-stat shows it. */
static bool
put_function(struct buf *b, const struct rec *rec)
{
	if (put_member(b, rec, NAME))
		return true;
	put_member(b, rec, MODULE);
	buf_char(b, '+');
	return put_member(b, rec, FUNCTION);
}

/* Operations of one query are also in the answer about all queries. */
static bool
put_operation(struct buf *b, const struct rec *rec, struct span query)
{
	if (!put_member(b, rec, OPERATION))
		return false;
	if (rec_get(rec, QUERY) != NULL) {
		buf_str(b, " in ");
		buf_add(b, query.p, query.n);
	}
	return true;
}

bool
uid_put(struct buf *b, enum subject subject, const struct rec *rec,
    struct span query)
{
	switch (subject) {
	case NOTHING:
		return true;
	case A_TASK:
		return put_task(b, rec);
	case A_GROUP:
		return put_group(b, rec);
	case A_FUNCTION:
		return put_function(b, rec);
	case A_NAME:
		return put_member(b, rec, NAME);
	case AN_OPERATION:
		return put_operation(b, rec, query);
	case A_FILE:
		return put_member(b, rec, FILE_NAME);
	default:
		return put_member(b, rec, MODULE);
	}
}
