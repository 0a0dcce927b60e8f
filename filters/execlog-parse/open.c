/* open - tasks of a distbuild log, between their first event and their last */

#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
#include "filters/execlog-parse/open.h"
#include "filters/execlog-parse/records.h"

/*
 * What is known of a task is kept until the task is complete, and then
 * written and forgotten: memory follows what is open.  A task that has a
 * start and an end may lack its third event, which not all have: it lingers
 * until LINGER others do.  Since no order is promised, an event may come after
 * its task has gone, or when its place is taken (a second start before an
 * end).  Nothing is lost then: it is written as a record with the task's id
 * and without a start or an end, and whoever reads the stream puts the
 * attempts together (common/build/build.h).
 */
enum { LINGER = 4096 };

struct open {
	struct buf text;	/* the key, and behind it, if there is an end,
				   a word: the status, or where from */
	uint32_t key_len;
	uint32_t host, dep;	/* where they begin in the key */
	uint32_t serial;	/* of this use of the place; for lingering */
	uint64_t hash;
	int64_t early_us;	/* deployed, dep_wait */
	int64_t start_us;	/* started, dep_start */
	int64_t end_us;		/* finished, dep_finished */
	int64_t size_bytes;
	enum task_kind kind;
	uint32_t next_free;
};

static struct {
	struct filter *f;
	struct open *open;
	size_t n_open, open_cap;
	uint32_t free;
	struct map by_key;
	struct { uint32_t open, serial; } lingering[LINGER];	/* a ring */
	size_t n_lingered;		/* ever */
} state;

static struct span
key_of(const void *owner, uint32_t value)
{
	const struct open *o;

	(void)owner;
	o = &state.open[value];
	return span_of(o->text.data, o->key_len);
}

static uint32_t
take_free(void)
{
	uint32_t i = state.free;

	if (i != INDEX_NONE) {
		state.free = state.open[i].next_free;
		return i;
	}
	state.open = mem_grow(state.open, &state.open_cap, state.n_open + 1,
	    sizeof *state.open);
	state.open[state.n_open] = (struct open){ 0 };
	return (uint32_t)state.n_open++;
}

/* The open task of this key, which is made if there is none. */
static struct open *
find_open(enum task_kind kind, struct task_key key)
{
	uint64_t hash = map_hash(key.text.p, key.text.n);
	size_t slot = map_find_slot(&state.by_key, hash, hash, key.text, key_of);
	uint32_t i = map_value(&state.by_key, slot);
	struct open *o;

	if (i != INDEX_NONE)
		return &state.open[i];
	i = take_free();
	o = &state.open[i];
	o->text.len = 0;
	buf_add(&o->text, key.text.p, key.text.n);
	o->key_len = (uint32_t)key.text.n;
	o->host = (uint32_t)key.host;
	o->dep = (uint32_t)key.dep;
	o->hash = hash;
	o->kind = kind;
	o->early_us = o->start_us = o->end_us = INT_UNKNOWN;
	map_put_at(&state.by_key, slot, hash, i);
	return o;
}

static void
close_open(struct open *o)
{
	uint32_t i = (uint32_t)(o - state.open);

	map_remove(&state.by_key, o->hash, i);
	o->kind = FREE;
	o->serial++;
	o->next_free = state.free;
	state.free = i;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a == INT_UNKNOWN || (b != INT_UNKNOWN && b < a) ? b : a;
}

static struct span
piece(const struct open *o, size_t from, size_t to)
{
	return span_of(o->text.data + from, to - from);
}

static struct span
word_of(const struct open *o)
{
	return piece(o, o->key_len, o->text.len);
}

static void
emit_run(const struct open *o)
{
	struct buf *b = filter_out(state.f);
	bool early = o->start_us == INT_UNKNOWN && o->early_us != INT_UNKNOWN;
	struct span uid = piece(o, 0, o->host - 1);

	json_begin(b, "task");
	json_str(b, "id", uid);
	json_word(b, "kind", "run");
	put_times(b, early ? o->early_us : o->start_us, o->end_us);
	json_str(b, "uid", uid);
	json_str(b, "host", piece(o, o->host, o->key_len));
	if (early)
		json_word(b, "start_event", "deployed");
	else if (o->early_us != INT_UNKNOWN)
		json_int(b, "deployed_us", o->early_us);
	if (o->end_us != INT_UNKNOWN)
		put_outcome(b, word_of(o), o->size_bytes);
	json_end(b);
	filter_emit(state.f);
}

/*
 * A copy's id is a digest of what names it, "UID HOST DEP": the names
 * themselves stand beside it, and would make it a hundred characters long.
 */
static void
put_copy_id(struct buf *b, const struct open *o)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t digest = map_hash_public(o->text.data, o->key_len);
	char id[] = "copy:0123456789abcdef";

	for (size_t i = sizeof id - 2; i >= 5; i--, digest >>= 4)
		id[i] = digits[digest & 15];
	json_str(b, "id", span_of(id, sizeof id - 1));
}

static void
emit_copy(const struct open *o)
{
	struct buf *b = filter_out(state.f);
	int64_t start_us = earlier(o->early_us, o->start_us);

	json_begin(b, "task");
	put_copy_id(b, o);
	json_word(b, "kind", "copy");
	put_times(b, start_us, o->end_us);
	json_str(b, "uid", piece(o, o->dep, o->key_len));
	json_str(b, "consumer", piece(o, 0, o->host - 1));
	json_str(b, "host", piece(o, o->host, o->dep - 1));
	if (o->start_us != INT_UNKNOWN && o->start_us > start_us)
		json_int(b, "transfer_us", o->start_us);
	if (o->early_us != INT_UNKNOWN && o->early_us > start_us)
		json_int(b, "wait_us", o->early_us);
	if (o->end_us != INT_UNKNOWN) {
		if (word_of(o).n > 0)
			json_str(b, "origin_host", word_of(o));
		put_outcome(b, span_of("", 0), o->size_bytes);
	}
	json_end(b);
	filter_emit(state.f);
}

static void
emit(const struct open *o)
{
	if (o->kind == RUN)
		emit_run(o);
	else
		emit_copy(o);
}

/* A run that was deployed may still turn out to have a start of its own. */
static bool
has_both_ends(const struct open *o)
{
	return o->end_us != INT_UNKNOWN && (o->start_us != INT_UNKNOWN ||
	    (o->kind == COPY && o->early_us != INT_UNKNOWN));
}

static void
linger(const struct open *o)
{
	size_t at = state.n_lingered++ % LINGER;
	uint32_t oldest = state.lingering[at].open;
	uint32_t serial = state.lingering[at].serial;

	state.lingering[at].open = (uint32_t)(o - state.open);
	state.lingering[at].serial = o->serial;
	if (state.n_lingered <= LINGER ||
	    state.open[oldest].serial != serial)
		return;
	emit(&state.open[oldest]);
	close_open(&state.open[oldest]);
}

static void
settle(struct open *o)
{
	if (!has_both_ends(o))
		return;
	if (o->early_us == INT_UNKNOWN || o->start_us == INT_UNKNOWN) {
		linger(o);
		return;
	}
	emit(o);
	close_open(o);
}

/* Writes what is known, and goes on with another attempt of the same key. */
static void
start_over(struct open *o)
{
	emit(o);
	o->early_us = o->start_us = o->end_us = INT_UNKNOWN;
	o->serial++;
}

/* Of two starts without an end between them the later goes out by itself. */
static void
keep_earlier(struct open *o, bool early, int64_t *slot, int64_t us)
{
	struct open other = *o;
	int64_t later = *slot > us ? *slot : us;

	other.early_us = early ? later : INT_UNKNOWN;
	other.start_us = early ? INT_UNKNOWN : later;
	emit(&other);
	*slot = earlier(*slot, us);
}

/* Is us before all that is known of the task? */
static bool
is_earliest(const struct open *o, int64_t us)
{
	int64_t known_us = earlier(earlier(o->early_us, o->start_us),
	    o->end_us);

	return known_us == INT_UNKNOWN || us < known_us;
}

bool
open_start(enum task_kind kind, struct task_key key, bool early, int64_t us)
{
	struct open *o = find_open(kind, key);
	int64_t *slot = early ? &o->early_us : &o->start_us;
	bool earliest = is_earliest(o, us);

	if (has_both_ends(o) && (*slot != INT_UNKNOWN || us > o->end_us))
		start_over(o);
	if (*slot != INT_UNKNOWN) {
		keep_earlier(o, early, slot, us);
		return earliest;
	}
	*slot = us;
	settle(o);
	return earliest;
}

bool
open_finish(enum task_kind kind, struct task_key key, int64_t us,
    struct span word, int64_t size_bytes)
{
	struct open *o = find_open(kind, key);
	bool earliest = is_earliest(o, us);

	if (o->end_us != INT_UNKNOWN)
		start_over(o);
	o->end_us = us;
	o->text.len = o->key_len;
	buf_add(&o->text, word.p, word.n);
	o->size_bytes = size_bytes;
	settle(o);
	return earliest;
}

void
open_begin(struct filter *f)
{
	state.f = f;
	state.free = INDEX_NONE;
	map_init(&state.by_key, key_of, NULL);
}

void
open_end(void)
{
	for (size_t i = 0; i < state.n_open; i++) {
		if (state.open[i].kind != FREE)
			emit(&state.open[i]);
		buf_release(&state.open[i].text);
	}
	map_release(&state.by_key);
	free(state.open);
}
