/* entry - writes an entry of an index as a record */

#include "common/base/hex.h"
#include "common/json/json.h"
#include "common/perun/entry.h"
#include "common/perun/store.h"

/*
 * Moves the next name from the front of *rest, an entry's string of
 * postprocessors, to *name; false after the last one.  An empty string, such as
 * what follows a space at the end, contains one empty name; a string whose
 * address is NULL contains none.
 */
static bool
next_postprocessor(struct span *rest, struct span *name)
{
	const char *space;

	if (rest->p == NULL)
		return false;
	space = rest->n == 0 ? NULL : memchr(rest->p, ' ', rest->n);
	*name = *rest;
	*rest = span_of(NULL, 0);
	if (space == NULL)
		return true;
	*rest = span_of(space + 1, name->n - (size_t)(space - name->p) - 1);
	name->n = (size_t)(space - name->p);
	return true;
}

void
entry_put_strings(struct buf *b, const struct pidx_entry *e)
{
	const struct span *s = e->strings;
	struct span rest = s[PIDX_POSTPROCESSORS], name;

	if (s[PIDX_TYPE].p == NULL)
		return;
	json_str(b, "profile_type", s[PIDX_TYPE]);
	json_str(b, "cmd", s[PIDX_CMD]);
	if (s[PIDX_ARGS].n > 0)
		json_str(b, "args", s[PIDX_ARGS]);
	json_str(b, "workload", s[PIDX_WORKLOAD]);
	if (s[PIDX_LABEL].n > 0)
		json_str(b, "label", s[PIDX_LABEL]);
	json_str(b, "collector", s[PIDX_COLLECTOR]);
	if (e->postprocessors.p != NULL) {
		json_raw(b, "postprocessors", e->postprocessors);
		return;
	}
	if (rest.n == 0)
		rest.p = NULL;	/* no postprocessors, so no empty name */
	json_open(b, "postprocessors", '[');
	while (next_postprocessor(&rest, &name))
		json_item(b, name);
	json_close(b, ']');
}

void
entry_put(struct buf *b, const unsigned char *version,
    const struct pidx_entry *e)
{
	char id[STORE_ID_SIZE], hex[2 * PIDX_SHA_SIZE + 1];

	store_id(id, version);
	json_cstr(b, "minor_version", id);
	json_str(b, "path", e->path);
	json_int(b, "time", e->time);
	hex_encode(hex, e->object, PIDX_SHA_SIZE);
	json_cstr(b, "object", hex);
	entry_put_strings(b, e);
	if (e->is_assumed)
		json_true(b, "assumed");
	if (e->is_undecided)
		json_true(b, "undecided");
}
