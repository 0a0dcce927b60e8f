/* distbuild - the log of a distributed build, its events in any order */

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/filter.h"
#include "common/map.h"
#include "filters/execlog-parse/formats.h"
#include "filters/execlog-parse/workers.h"

/*
 * What is known of a task is kept until the task is complete, and then
 * written and forgotten: memory follows what is open.  A task that has a
 * start and an end may lack its third event, which not all have: it lingers
 * until LINGER others do.  Since no order is promised, an event may come after
 * its task has gone, or when its place is taken (a second start before an
 * end).  Nothing is lost then: it is written as a record with the task's id
 * and without a start or an end, and whoever reads the stream puts the
 * attempts together (common/build.h).
 */
enum { LINGER = 4096 };

enum { FIELDS = 7, UNKNOWN_EVENTS_MAX = 1000 };

/* The log's milliseconds as microseconds, which fit REC_INT_BITS. */
enum { MS = 1000 };
#define MS_MOST (((INT64_C(1) << REC_INT_BITS) - 1) / MS)

enum { TIME, EVENT, ARG1, ARG2, ARG3, ARG4, ARG5 };

/* One line: its fields, those that are missing empty. */
struct event {
	struct span field[FIELDS];
	size_t n_fields;
	int64_t us;
};

enum task_kind { FREE, RUN, COPY };

/*
 * An open task.  The key is the piece of the line that names it: "UID HOST"
 * of a run task, "UID HOST DEP" of a copy.
 */
struct open {
	char *key;
	uint32_t key_len, key_cap;
	uint64_t hash;
	int64_t early_us;	/* deployed, dep_wait */
	int64_t start_us;	/* started, dep_start */
	int64_t end_us;		/* finished, dep_finished */
	int64_t size_bytes;
	sym word;		/* at the end: status, or origin host */
	enum task_kind kind;
	uint32_t serial;	/* of this use of the place; for lingering */
	uint32_t next_free;
};

/* An event that no handler knows: how often, and where first. */
struct unknown {
	uint64_t count;
	const char *file;
	uint64_t line;
};

static struct {
	struct filter *f;
	struct open *open;
	size_t n_open, open_cap;
	uint32_t free;
	struct map by_key;
	struct intern words;
	struct intern unknown_names;	/* of events */
	struct unknown *unknown;	/* by symbol */
	size_t unknown_cap;
	uint64_t n_others;		/* too many names to keep */
	struct { uint32_t open, serial; } lingering[LINGER];	/* a ring */
	size_t n_lingered;		/* ever */
	struct extent extent;
} state;

static struct span
key_of(const void *owner, uint32_t value)
{
	const struct open *o;

	(void)owner;
	o = &state.open[value];
	return span_of(o->key, o->key_len);
}

static uint32_t
take_free(void)
{
	uint32_t i = state.free;

	if (i != MAP_NONE) {
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
find_open(enum task_kind kind, struct span key)
{
	uint64_t hash = map_hash(key.p, key.n);
	uint32_t i = map_get(&state.by_key, hash, key);
	struct open *o;

	if (i != MAP_NONE)
		return &state.open[i];
	i = take_free();
	o = &state.open[i];
	if (o->key_cap < key.n) {
		o->key = mem_resize(o->key, key.n, 1);
		o->key_cap = (uint32_t)key.n;
	}
	memcpy(o->key, key.p, key.n);
	o->key_len = (uint32_t)key.n;
	o->hash = hash;
	o->kind = kind;
	o->early_us = o->start_us = o->end_us = UNKNOWN;
	map_put(&state.by_key, hash, i);
	return o;
}

static void
close_open(struct open *o)
{
	uint32_t i = (uint32_t)(o - state.open);

	map_drop(&state.by_key, o->hash, i);
	o->kind = FREE;
	o->serial++;
	o->next_free = state.free;
	state.free = i;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a == UNKNOWN || (b != UNKNOWN && b < a) ? b : a;
}

/* Cuts a key at its spaces. */
static void
cut_key(const struct open *o, struct span part[3])
{
	const char *p = o->key, *end = o->key + o->key_len, *space;

	for (int i = 0; i < 3; i++, p = space < end ? space + 1 : end) {
		space = memchr(p, ' ', (size_t)(end - p));
		if (space == NULL || i == 2)
			space = end;
		part[i] = span_of(p, (size_t)(space - p));
	}
}

static void
emit_run(const struct open *o)
{
	struct buf *b = filter_out(state.f);
	bool early = o->start_us == UNKNOWN && o->early_us != UNKNOWN;
	struct span part[3];

	cut_key(o, part);
	json_begin(b, "task");
	json_str(b, "id", part[0]);
	json_cstr(b, "kind", "run");
	put_times(b, early ? o->early_us : o->start_us, o->end_us);
	json_str(b, "uid", part[0]);
	json_str(b, "host", part[1]);
	if (early)
		json_cstr(b, "start_event", "deployed");
	else if (o->early_us != UNKNOWN)
		json_int(b, "deployed_us", o->early_us);
	if (o->end_us != UNKNOWN)
		put_outcome(b, intern_span(&state.words, o->word),
		    o->size_bytes);
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
	uint64_t digest = map_hash_public(o->key, o->key_len);
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
	struct span part[3], origin;

	cut_key(o, part);
	json_begin(b, "task");
	put_copy_id(b, o);
	json_cstr(b, "kind", "copy");
	put_times(b, start_us, o->end_us);
	json_str(b, "uid", part[2]);
	json_str(b, "consumer", part[0]);
	json_str(b, "host", part[1]);
	if (o->start_us != UNKNOWN && o->start_us > start_us)
		json_int(b, "transfer_us", o->start_us);
	if (o->early_us != UNKNOWN && o->early_us > start_us)
		json_int(b, "wait_us", o->early_us);
	if (o->end_us != UNKNOWN) {
		origin = intern_span(&state.words, o->word);
		if (origin.n > 0)
			json_str(b, "origin_host", origin);
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
	return o->end_us != UNKNOWN && (o->start_us != UNKNOWN ||
	    (o->kind == COPY && o->early_us != UNKNOWN));
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
	if (o->early_us == UNKNOWN || o->start_us == UNKNOWN) {
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
	o->early_us = o->start_us = o->end_us = UNKNOWN;
	o->serial++;
}

/* Of two starts without an end between them the later goes out by itself. */
static void
keep_earlier(struct open *o, bool early, int64_t *slot, int64_t us)
{
	struct open other = *o;
	int64_t later = *slot > us ? *slot : us;

	other.early_us = early ? later : UNKNOWN;
	other.start_us = early ? UNKNOWN : later;
	emit(&other);
	*slot = earlier(*slot, us);
}

/* Learns when a task began, by one of its two events. */
static void
learn_start(struct open *o, bool early, int64_t us)
{
	int64_t *slot = early ? &o->early_us : &o->start_us;

	if (has_both_ends(o) && (*slot != UNKNOWN || us > o->end_us))
		start_over(o);
	if (*slot != UNKNOWN) {
		keep_earlier(o, early, slot, us);
		return;
	}
	*slot = us;
	settle(o);
}

/* Learns when a task ended. */
static void
learn_end(struct open *o, int64_t us, struct span word, int64_t size_bytes)
{
	if (o->end_us != UNKNOWN)
		start_over(o);
	o->end_us = us;
	o->word = intern_add(&state.words, word);
	o->size_bytes = size_bytes;
	settle(o);
}

/* The piece of the line that holds fields ARG1 to last. */
static struct span
key_to(const struct event *e, int last)
{
	const char *p = e->field[ARG1].p;

	return span_of(p, (size_t)(e->field[last].p + e->field[last].n - p));
}

/* SIZE, where it is a number: real logs have other words there. */
static int64_t
size_of(const struct event *e, int at)
{
	int64_t size;

	if (!text_i64(e->field[at], &size) || size < 0 ||
	    size >> REC_INT_BITS != 0)
		return UNKNOWN;
	return size;
}

/* A run's first event on its host tells where a worker lives. */
static struct open *
find_run(const struct event *e)
{
	struct open *o = find_open(RUN, key_to(e, ARG2));
	int64_t known_us = earlier(earlier(o->early_us, o->start_us),
	    o->end_us);

	if (known_us == UNKNOWN || e->us < known_us)
		workers_host(e->field[ARG1], e->field[ARG2], e->us);
	return o;
}

static bool
on_deploy(const struct event *e)
{
	uint64_t worker;

	if (!text_u64(e->field[ARG2], &worker)) {
		filter_reject(state.f, "worker '%.*s' is no number",
		    SHOWN(e->field[ARG2]));
		return false;
	}
	workers_deploy(e->field[ARG1], worker, e->us);
	return true;
}

static bool
on_deployed(const struct event *e)
{
	learn_start(find_run(e), true, e->us);
	return true;
}

static bool
on_started(const struct event *e)
{
	learn_start(find_run(e), false, e->us);
	return true;
}

static bool
on_finished(const struct event *e)
{
	learn_end(find_run(e), e->us, e->field[ARG3], size_of(e, ARG4));
	return true;
}

static bool
on_cached(const struct event *e)
{
	workers_cached(e->field[ARG1], e->field[ARG2], e->us, e->field[ARG3],
	    size_of(e, ARG4));
	return true;
}

static bool
on_dep_start(const struct event *e)
{
	learn_start(find_open(COPY, key_to(e, ARG3)), false, e->us);
	return true;
}

static bool
on_dep_wait(const struct event *e)
{
	learn_start(find_open(COPY, key_to(e, ARG3)), true, e->us);
	return true;
}

static bool
on_dep_finished(const struct event *e)
{
	learn_end(find_open(COPY, key_to(e, ARG3)), e->us, e->field[ARG4],
	    size_of(e, ARG5));
	return true;
}

static bool
on_prepare(const struct event *e)
{
	uint64_t worker;

	if (!text_u64(e->field[ARG2], &worker)) {
		filter_reject(state.f, "worker '%.*s' is no number",
		    SHOWN(e->field[ARG2]));
		return false;
	}
	if (span_eq(e->field[EVENT], "prepare_start"))
		workers_prepare_start(worker, e->us);
	else if (span_eq(e->field[EVENT], "resources_prepared"))
		workers_prepared(worker, "resources", span_of("", 0), e->us);
	else
		workers_prepared(worker, "repository", e->field[ARG1], e->us);
	return true;
}

/*
 * The events, the most frequent first; needs: the arguments that must not be
 * empty, as bits.  dep_extract_* tell nothing that a user gains from, and
 * cannot be told apart by key.
 */
enum { A1 = 1 << ARG1, A2 = 1 << ARG2, A3 = 1 << ARG3 };

#define NAME(s) { s, sizeof s - 1 }

static const struct handler {
	struct span name;
	bool (*act)(const struct event *);
	unsigned needs;
} handlers[] = {
	{ NAME("dep_start"), on_dep_start, A1 | A2 | A3 },
	{ NAME("dep_wait"), on_dep_wait, A1 | A2 | A3 },
	{ NAME("dep_finished"), on_dep_finished, A1 | A2 | A3 },
	{ NAME("deploy"), on_deploy, A1 | A2 },
	{ NAME("deployed"), on_deployed, A1 | A2 },
	{ NAME("started"), on_started, A1 | A2 },
	{ NAME("finished"), on_finished, A1 | A2 },
	{ NAME("finished_from_cache"), on_cached, A1 },
	{ NAME("dep_extract_queue"), NULL, 0 },
	{ NAME("dep_extract_start"), NULL, 0 },
	{ NAME("dep_extract_finish"), NULL, 0 },
	{ NAME("prepare_start"), on_prepare, A2 },
	{ NAME("repository_prepared"), on_prepare, A2 },
	{ NAME("resources_prepared"), on_prepare, A2 },
};

static const struct handler *
handler_of(struct span name)
{
	const struct handler *h = handlers;

	for (; h < handlers + sizeof handlers / sizeof *handlers; h++)
		if (h->name.n == name.n &&
		    memcmp(h->name.p, name.p, name.n) == 0)
			return h;
	return NULL;
}

/* Counted and named once each, at the end: they are no errors. */
static void
count_unknown(struct span name)
{
	sym s = intern_find(&state.unknown_names, name);

	if (s == SYM_NONE && state.unknown_names.n == UNKNOWN_EVENTS_MAX) {
		state.n_others++;
		return;
	}
	if (s == SYM_NONE) {
		s = intern_add(&state.unknown_names, name);
		state.unknown = mem_grow(state.unknown, &state.unknown_cap, s + 1,
		    sizeof *state.unknown);
		state.unknown[s] = (struct unknown){ 0, state.f->input.name,
		    state.f->place_line };
	}
	state.unknown[s].count++;
}

static void
tell_unknown(void)
{
	const struct unknown *u;

	for (sym s = 0; s < state.unknown_names.n; s++) {
		u = &state.unknown[s];
		warn_at(u->file, u->line,
		    "warning: unknown event '%s', %llu in all",
		    intern_str(&state.unknown_names, s),
		    (unsigned long long)u->count);
	}
	if (state.n_others > 0)
		warn("warning: %llu events of still other unknown names",
		    (unsigned long long)state.n_others);
}

static void
end_field(struct event *e, const char **from, const char *space)
{
	if (e->n_fields == FIELDS)
		return;
	e->field[e->n_fields++] = span_of(*from, (size_t)(space - *from));
	*from = space + 1;
}

/*
 * Cuts a line at single spaces: two in a row are an empty field, and so is
 * one at the end.  Fields behind the seventh are ignored.  Returns false if
 * the line may hold a NUL or bytes that are not ASCII.
 *
 * One pass over the line, eight bytes a step, for all of this: three passes
 * were a fifth of the parser's time.
 */
static bool
split(struct event *e, const char *p, size_t n)
{
	const uint64_t low = TEXT_BYTES(0x7f);
	const char *end = p + n, *from = p;
	uint64_t word, x, spaces, odd = 0;

	while (end > p && end[-1] != ' ' && end[-1] >= '\t' && end[-1] <= '\r')
		end--;
	e->n_fields = 0;
	for (; LITTLE_ENDIAN_BYTES && end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		odd |= word | TEXT_ZEROS(word);
		/* The top bit of each byte that is a space, and of no other. */
		x = word ^ TEXT_BYTES(' ');
		for (spaces = ~(((x & low) + low) | x | low); spaces != 0;
		    spaces &= spaces - 1)
			end_field(e, &from, p + __builtin_ctzll(spaces) / 8);
	}
	for (; p < end; p++) {
		odd |= *p <= 0 ? TEXT_BYTES(0x80) : 0;
		if (*p == ' ')
			end_field(e, &from, p);
	}
	end_field(e, &from, end);
	for (size_t i = e->n_fields; i < FIELDS; i++)
		e->field[i] = span_of(end, 0);
	return (odd & TEXT_BYTES(0x80)) == 0;
}

/* Is it text after all? */
static bool
is_text(const struct line *line)
{
	if (memchr(line->p, '\0', line->len) != NULL) {
		filter_reject(state.f, "a NUL byte");
		return false;
	}
	if (!utf8_valid(line->p, line->len)) {
		filter_reject(state.f, "the line is not UTF-8");
		return false;
	}
	return true;
}

static bool
has_needed(const struct event *e, const struct handler *h)
{
	for (int i = ARG1; i < FIELDS; i++)
		if ((h->needs & 1U << i) != 0 && e->field[i].n == 0) {
			filter_reject(state.f, "%s needs a field %d that is not "
			    "empty", h->name.p, i + 1);
			return false;
		}
	return true;
}

static bool
read_time(struct event *e)
{
	int64_t ms;

	if (!text_i64(e->field[TIME], &ms) || ms < 0 || ms > MS_MOST) {
		filter_reject(state.f, "time '%.*s' is no number of "
		    "milliseconds, or does not fit", SHOWN(e->field[TIME]));
		return false;
	}
	e->us = ms * MS;
	return true;
}

static void
read_line(const struct line *line)
{
	const struct handler *h;
	struct event e;

	if (!split(&e, line->p, line->len) && !is_text(line))
		return;
	if (e.n_fields < 3) {
		filter_reject(state.f, "fewer than three fields");
		return;
	}
	if (!read_time(&e))
		return;
	if ((h = handler_of(e.field[EVENT])) == NULL) {
		count_unknown(e.field[EVENT]);
		return;
	}
	if (!has_needed(&e, h) || (h->act != NULL && !h->act(&e)))
		return;
	extent_add(&state.extent, e.us);
}

static void
end_log(void)
{
	for (size_t i = 0; i < state.n_open; i++) {
		if (state.open[i].kind != FREE)
			emit(&state.open[i]);
		free(state.open[i].key);
	}
	workers_end();
	emit_build(state.f, "distbuild", &state.extent);
	tell_unknown();
	map_release(&state.by_key);
	intern_release(&state.words);
	intern_release(&state.unknown_names);
	free(state.open);
	free(state.unknown);
}

void
distbuild_read(struct filter *f)
{
	struct line line;

	state.f = f;
	state.free = MAP_NONE;
	map_init(&state.by_key, key_of, NULL);
	intern_init(&state.words);
	intern_init(&state.unknown_names);
	workers_begin(f);
	while (filter_line(f, &line))
		read_line(&line);
	end_log();
}
