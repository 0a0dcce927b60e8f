/* entry - writes an entry of an index as a record */

#include "common/base/hex.h"
#include "common/json/json.h"
#include "common/perun/entry.h"
#include "common/perun/store.h"

void
entry_put_strings(struct buf *b, const struct pidx_entry *e)
{
	const struct span *s = e->strings;
	struct span names = s[PIDX_POSTPROCESSORS];

	if (s[PIDX_TYPE].p == NULL)
		return;
	json_str(b, "profile_type", s[PIDX_TYPE]);
	json_str(b, "cmd", s[PIDX_CMD]);
	json_text(b, "args", s[PIDX_ARGS]);
	json_str(b, "workload", s[PIDX_WORKLOAD]);
	json_text(b, "label", s[PIDX_LABEL]);
	json_str(b, "collector", s[PIDX_COLLECTOR]);
	if (e->postprocessors.p != NULL) {
		json_raw(b, "postprocessors", e->postprocessors);
		return;
	}
	json_open(b, "postprocessors", '[');
	/* A space at the end is followed by an empty name. */
	for (size_t from = 0, to; names.n > 0 && from <= names.n;
	    from = to + 1) {
		to = from;
		while (to < names.n && names.p[to] != ' ')
			to++;
		json_item(b, span_of(names.p + from, to - from));
	}
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
	json_flag(b, "assumed", e->is_assumed);
	json_flag(b, "undecided", e->is_undecided);
}
