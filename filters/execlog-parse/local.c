/* local - reads ya's local log, a JSON object with an entry for each uid */

#include "common/base/num.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/json/scan.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/records.h"

/* Keys of an entry.  Its `type`, KEY_TYPE, becomes the rule of the task. */
#define LOCAL_KEYS(K)							\
	K(TIMING, "timing") K(CACHED, "cached")				\
	K(DYNAMIC, "dynamically_resolved_cache") K(PREPARE, "prepare")	\
	K(TOTAL_TIME, "total_time") K(COUNT, "count")			\
	K(FAILURES, "failures") K(SIZE, "size")				\
	K(DOWNLOAD_MS, "download_time_ms") K(TRANSPORT, "transport")	\
	K(DETAILS, "detailed_timings")
KEY_LIST(local_keys, LOCAL_KEYS);

/* Members that are copied unchanged, and their names in the record. */
static const struct { int key; const char *name; } copied[] = {
	{ COUNT, "count" },
	{ FAILURES, "failures" },
	{ SIZE, "size_bytes" },
	{ DOWNLOAD_MS, "download_time_ms" },
	{ TRANSPORT, "transport" },
	{ DETAILS, "detailed_timings" },
};

/*
 * Reads "timing": [start, end].  The token is valid JSON, so no read goes past
 * its ']', at which strtod() stops.
 */
static bool
read_timing(const struct field *timing, int64_t *start_us, int64_t *end_us)
{
	const char *p = timing->token.p + 1;

	return timing->kind == REC_ARRAY && read_seconds(&p, start_us) &&
	    *p++ == ',' && read_seconds(&p, end_us) && *p == ']';
}

/*
 * A prepare task is identified by what is prepared, which is the text of
 * *prepare, and by the uid.  For a run, prepare is NULL.
 */
static void
put_id(struct buf *b, struct span uid, const struct span *prepare)
{
	static const char prefix[] = "prepare:";
	const size_t n = sizeof prefix - 1;
	struct buf name = { 0 };

	if (prepare == NULL) {
		json_str(b, "id", uid);
		json_word(b, "kind", "run");
		put_run(b);
		json_str(b, "uid", uid);
		return;
	}
	buf_str(&name, prefix);
	buf_add(&name, prepare->p, prepare->n);
	if (prepare->n > 0)
		buf_char(&name, ':');
	buf_add(&name, uid.p, uid.n);
	json_str(b, "id", buf_span(&name));
	json_word(b, "kind", "prepare");
	put_run(b);
	json_str(b, "prepare", span_of(name.data + n, name.len - n));
	buf_release(&name);
}

static void
put_rest(struct buf *b, const struct rec *entry)
{
	const struct field *field;
	struct span type;

	json_flag(b, "from_cache", rec_true(entry, CACHED));
	json_flag(b, "dynamically_resolved_cache", rec_true(entry, DYNAMIC));
	json_flag(b, "total_time", rec_true(entry, TOTAL_TIME));
	if (rec_str(entry, KEY_TYPE, &type) == REC_OK)
		json_str(b, "rule", type);
	for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
		field = rec_get(entry, (unsigned)copied[i].key);
		if (field != NULL && field->kind != REC_NULL)
			json_raw(b, copied[i].name, field->token);
	}
}

/*
 * Writes the task of an entry.  A task from the cache is written without times,
 * whatever its timing says.  An entry that has neither `prepare` nor `timing`
 * and is not cached is not a task.
 */
static void
emit_entry(struct filter *f, struct span uid, const struct rec *entry,
    struct extent *extent)
{
	const struct field *timing = rec_get(entry, TIMING);
	int64_t start_us = INT_UNKNOWN, end_us = INT_UNKNOWN;
	enum rec_found found;
	struct span prepare;
	struct buf *b;

	found = rec_str(entry, PREPARE, &prepare);
	if (timing != NULL && timing->kind == REC_NULL)
		timing = NULL;
	if (found == REC_BAD) {
		filter_reject(f, "prepare is not a string");
		return;
	}
	if (timing != NULL && !read_timing(timing, &start_us, &end_us)) {
		filter_reject(f, "timing is not [start, end] in seconds");
		return;
	}
	if (found == REC_ABSENT && timing == NULL &&
	    !rec_true(entry, CACHED))
		return;
	if (rec_true(entry, CACHED))
		start_us = end_us = INT_UNKNOWN;
	b = filter_begin_record(f, "task");
	put_id(b, uid, found == REC_OK ? &prepare : NULL);
	put_times(b, start_us, end_us);
	put_rest(b, entry);
	filter_end_record(f);
	/* As in ya, a task that took no time does not extend the build, nor
	   does a sum over several intervals (total_time). */
	if (start_us < end_us && !rec_true(entry, TOTAL_TIME)) {
		extent_add(extent, start_us);
		extent_add(extent, end_us);
	}
}

struct reader {
	struct filter *f;
	struct buf uid;		/* of the current entry */
	struct buf record;	/* from which the uid is decoded */
	struct extent extent;
};

/*
 * Reads "uid": entry, and writes the task.  Returns false if the rest of the
 * file cannot be read.
 */
static bool
read_pair(void *context)
{
	static const char *const names[] = { NULL };
	struct reader *r = context;
	struct filter *f = r->f;
	struct span uid, value;
	struct rec *rec;
	bool is_valid;

	if (filter_member(f, names) == NO_MEMBER)
		return false;
	/* Only whole records can be decoded, so the key is decoded as the
	   `type` of one. */
	r->uid.len = r->record.len = 0;
	buf_str(&r->record, "{\"type\":");
	buf_add(&r->record, f->reading.key.data, f->reading.key.len);
	buf_char(&r->record, '}');
	rec = filter_record(f, buf_span(&r->record));
	is_valid = rec != NULL && rec_str(rec, KEY_TYPE, &uid) == REC_OK;
	if (is_valid)
		buf_add(&r->uid, uid.p, uid.n);

	/* Until the value has been read, this is rejected with the rest. */
	buf_char(&f->reading.key, ':');
	if (!is_valid || !filter_value(f, &value))
		return false;
	if (*value.p != '{' && !span_eq(value, "null"))
		filter_reject(f, "%.*s is not an object: is this a local log "
		    "of ya?", (int)f->reading.key.len - 1, f->reading.key.data);
	f->reading.key.len = 0;
	if (*value.p != '{')
		return true;
	rec = filter_record(f, value);
	if (rec != NULL)
		emit_entry(f, buf_span(&r->uid), rec, &r->extent);
	return true;
}

static bool
local_detect(struct input *in)
{
	return scan_peek(in) == '{';
}

static void
local_read(struct filter *f, const struct format_options *options)
{
	struct reader r = { .f = f };

	(void)options;
	do {
		while (scan_peek(&f->input) != -1)
			if (!scan_each(&f->input, "{}", read_pair, &r))
				filter_reject_rest(f, buf_span(&f->reading.key),
				    "the log is not an object with an entry "
				    "for each uid");
	} while (filter_next_file(f));
	emit_build(f, local_format.name, &r.extent);
	buf_release(&r.uid);
	buf_release(&r.record);
}

const struct input_format local_format = {
	.name = "local",
	.help = "ya's local log, a JSON object",
	.keys = local_keys,
	.detect = local_detect,
	.read = local_read,
};
