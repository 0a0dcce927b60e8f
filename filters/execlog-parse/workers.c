/* workers - which host a worker's number stands for, and what waits for it */

#include <stdio.h>
#include <stdlib.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/workers.h"

/*
 * What ties a uid to a worker and to a host is forgotten as soon as the host
 * is known - nearly: the last WINDOW of them are remembered, so that a deploy
 * which comes late, and may be nearer, still counts.  Likewise the last WINDOW
 * cached tasks wait for their worker's host.
 */
enum {
	WINDOW = 4096,
	FACTS_MOST = 64		/* of one uid: its list is searched */
};

/* A deploy to a worker, or the first event on a host, of one uid. */
struct fact {
	int64_t us;
	uint64_t worker;
	sym host;		/* SYM_NONE: this is a deploy */
	uint32_t next;
};

struct binding {
	struct buf uid;
	uint64_t hash;
	uint32_t facts;		/* a list, or INDEX_NONE */
	uint32_t n_facts;
	bool hosted;		/* one of them is no deploy */
};

struct prepared {
	int64_t us;
	sym what;
};

struct worker {
	uint64_t number;
	sym host;		/* by the best evidence, or SYM_NONE */
	uint64_t gap_us;	/* between its deploy and its host event */
	bool backwards;		/* the host event came before: weak */
	int64_t *starts_us;
	size_t n_starts, starts_cap;
	struct prepared *prepared;
	size_t n_prepared, prepared_cap;
};

struct cached {
	struct buf uid, status;
	uint32_t worker;
	int64_t us, size_bytes;
};

static struct {
	struct filter *f;
	struct intern names;		/* hosts, and what was prepared */
	struct worker *workers;
	size_t n_workers, workers_cap;
	struct map by_number;
	struct binding *bindings;
	size_t n_bindings, bindings_cap;
	struct map by_uid;
	struct fact *facts;
	size_t n_facts, facts_cap;
	uint32_t free_fact;
	uint32_t *free_bindings;
	size_t n_free, free_cap;
	uint32_t bound[WINDOW];		/* a ring of bindings */
	size_t n_bound;			/* ever */
	size_t n_concluded;		/* n_bound when all were looked at */
	bool all_seen;			/* the log has ended */
	struct cached cached[WINDOW];	/* a ring of tasks */
	size_t n_cached;		/* ever */
} all;

static struct span
number_of(const void *owner, uint32_t value)
{
	(void)owner;
	return span_of((const char *)&all.workers[value].number,
	    sizeof(uint64_t));
}

static struct span
uid_of(const void *owner, uint32_t value)
{
	const struct buf *uid;

	(void)owner;
	uid = &all.bindings[value].uid;
	return span_of(uid->data, uid->len);
}

static uint32_t
find_worker(uint64_t number)
{
	struct span key = span_of((const char *)&number, sizeof number);
	uint64_t hash = map_hash(key.p, key.n);
	size_t slot = map_find_slot(&all.by_number, hash, hash, key, number_of);
	uint32_t i = map_value(&all.by_number, slot);

	if (i != INDEX_NONE)
		return i;
	i = (uint32_t)all.n_workers;
	all.workers = mem_grow(all.workers, &all.workers_cap,
	    ++all.n_workers, sizeof *all.workers);
	all.workers[i] = (struct worker){ .number = number, .host = SYM_NONE };
	map_put_at(&all.by_number, slot, hash, i);
	return i;
}

static struct worker *
worker_of(uint64_t number)
{
	uint32_t i = find_worker(number);

	return &all.workers[i];
}

/* Evidence that a worker lives on a host; the best so far is kept. */
static void
weigh(struct worker *w, const struct fact *deploy, const struct fact *host)
{
	bool backwards = host->us < deploy->us;
	uint64_t gap_us = (uint64_t)(backwards ? deploy->us - host->us :
	    host->us - deploy->us);

	if (w->host != SYM_NONE) {
		if (w->backwards != backwards ? backwards :
		    gap_us > w->gap_us)
			return;
		if (w->backwards == backwards && gap_us == w->gap_us &&
		    intern_cmp(&all.names, host->host, w->host) >= 0)
			return;
	}
	w->host = host->host;
	w->gap_us = gap_us;
	w->backwards = backwards;
}

/* The nearest before the host event; else the nearest after it. */
static const struct fact *
nearest_deploy(const struct binding *b, const struct fact *host)
{
	const struct fact *best = NULL, *d;
	bool before, best_before = false;

	for (uint32_t i = b->facts; i != INDEX_NONE; i = all.facts[i].next) {
		d = &all.facts[i];
		if (d->host != SYM_NONE)
			continue;
		before = d->us <= host->us;
		if (best == NULL || (before && !best_before) ||
		    (before == best_before &&
		    (before ? d->us > best->us : d->us < best->us))) {
			best = d;
			best_before = before;
		}
	}
	return best;
}

static void
conclude(const struct binding *b)
{
	const struct fact *host, *deploy;

	for (uint32_t i = b->facts; i != INDEX_NONE; i = host->next) {
		host = &all.facts[i];
		if (host->host == SYM_NONE)
			continue;
		if ((deploy = nearest_deploy(b, host)) != NULL)
			weigh(worker_of(deploy->worker),
			    deploy, host);
	}
}

static void
forget(uint32_t binding)
{
	struct binding *b = &all.bindings[binding];
	uint32_t next;

	map_remove(&all.by_uid, b->hash, binding);
	for (uint32_t i = b->facts; i != INDEX_NONE; i = next) {
		next = all.facts[i].next;
		all.facts[i].next = all.free_fact;
		all.free_fact = i;
	}
	all.free_bindings = mem_grow(all.free_bindings, &all.free_cap,
	    all.n_free + 1, sizeof *all.free_bindings);
	all.free_bindings[all.n_free++] = binding;
}

static uint32_t
find_binding(struct span uid)
{
	uint64_t hash = map_hash(uid.p, uid.n);
	size_t slot = map_find_slot(&all.by_uid, hash, hash, uid, uid_of);
	uint32_t i = map_value(&all.by_uid, slot);
	struct buf kept = { 0 };

	if (i != INDEX_NONE)
		return i;
	if (all.n_free > 0) {
		i = all.free_bindings[--all.n_free];
		kept = all.bindings[i].uid;
	} else {
		i = (uint32_t)all.n_bindings;
		all.bindings = mem_grow(all.bindings, &all.bindings_cap,
		    ++all.n_bindings, sizeof *all.bindings);
	}
	kept.len = 0;
	buf_add(&kept, uid.p, uid.n);
	all.bindings[i] = (struct binding){ .uid = kept, .hash = hash,
	    .facts = INDEX_NONE };
	map_put_at(&all.by_uid, slot, hash, i);
	return i;
}

static void
add_fact(struct binding *b, struct fact fact)
{
	uint32_t i = all.free_fact;

	if (b->n_facts++ >= FACTS_MOST)
		return;
	if (i != INDEX_NONE) {
		all.free_fact = all.facts[i].next;
	} else {
		i = (uint32_t)all.n_facts;
		all.facts = mem_grow(all.facts, &all.facts_cap,
		    ++all.n_facts, sizeof *all.facts);
	}
	fact.next = b->facts;
	all.facts[i] = fact;
	b->facts = i;
}

/* A binding that has got its host takes the place of the oldest. */
static void
remember(uint32_t binding)
{
	uint32_t *place = &all.bound[all.n_bound % WINDOW];

	if (all.n_bound >= WINDOW) {
		conclude(&all.bindings[*place]);
		forget(*place);
	}
	*place = binding;
	all.n_bound++;
}

void
workers_deploy(struct span uid, uint64_t worker, int64_t us)
{
	uint32_t i = find_binding(uid);

	add_fact(&all.bindings[i], (struct fact){ .us = us, .worker = worker,
	    .host = SYM_NONE });
}

void
workers_host(struct span uid, struct span host, int64_t us)
{
	sym s = intern_add(&all.names, host);
	uint32_t i = find_binding(uid);
	struct binding *b = &all.bindings[i];
	struct fact *fact;

	for (uint32_t j = b->facts; j != INDEX_NONE; j = fact->next) {
		fact = &all.facts[j];
		if (fact->host == s) {
			fact->us = us < fact->us ? us : fact->us;
			return;
		}
	}
	add_fact(b, (struct fact){ .us = us, .host = s });
	if (!b->hosted)
		remember(i);
	all.bindings[i].hosted = true;
}

void
workers_prepare_start(uint64_t worker, int64_t us)
{
	struct worker *w = worker_of(worker);

	w->starts_us = mem_grow(w->starts_us, &w->starts_cap,
	    w->n_starts + 1, sizeof *w->starts_us);
	w->starts_us[w->n_starts++] = us;
}

void
workers_prepared(uint64_t worker, const char *what, struct span pattern,
    int64_t us)
{
	struct worker *w = worker_of(worker);
	struct buf name = { 0 };

	buf_str(&name, what);
	if (pattern.n > 0)
		buf_char(&name, ':');
	buf_add(&name, pattern.p, pattern.n);
	w->prepared = mem_grow(w->prepared, &w->prepared_cap,
	    w->n_prepared + 1, sizeof *w->prepared);
	w->prepared[w->n_prepared++] = (struct prepared){ us,
	    intern_add(&all.names, span_of(name.data, name.len)) };
	buf_release(&name);
}

static void
put_host(struct buf *b, const struct worker *w)
{
	char name[32];

	if (w->host != SYM_NONE) {
		json_str(b, "host", intern_span(&all.names, w->host));
		return;
	}
	snprintf(name, sizeof name, "worker-%llu",
	    (unsigned long long)w->number);
	json_cstr(b, "host", name);
}

/* worker is NULL where the log named a host. */
static void
emit_cached(struct span uid, const struct worker *w, struct span host,
    int64_t us, struct span status, int64_t size_bytes)
{
	struct buf *b = filter_out(all.f);

	json_begin(b, "task");
	json_str(b, "id", uid);
	json_word(b, "kind", "run");
	put_times(b, us, us);
	json_str(b, "uid", uid);
	if (w != NULL)
		put_host(b, w);
	else if (host.n > 0)
		json_str(b, "host", host);
	json_true(b, "from_cache");
	put_outcome(b, status, size_bytes);
	json_end(b);
	filter_emit(all.f);
}

/* All that the remembered bindings tell by now. */
static void
conclude_all(void)
{
	size_t first = all.n_bound > WINDOW ? all.n_bound - WINDOW : 0;

	if (all.n_concluded == all.n_bound && !all.all_seen)
		return;
	all.n_concluded = all.n_bound;
	for (size_t i = first; i < all.n_bound; i++)
		conclude(&all.bindings[all.bound[i % WINDOW]]);
}

static void
emit_waiting(const struct cached *c)
{
	if (all.workers[c->worker].host == SYM_NONE)
		conclude_all();
	emit_cached(span_of(c->uid.data, c->uid.len), &all.workers[c->worker],
	    span_of("", 0), c->us, span_of(c->status.data, c->status.len),
	    c->size_bytes);
}

void
workers_cached(struct span uid, struct span host, int64_t us,
    struct span status, int64_t size_bytes)
{
	struct cached *c;
	uint64_t worker;

	if (!text_u64(host, &worker)) {
		emit_cached(uid, NULL, host, us, status, size_bytes);
		return;
	}
	c = &all.cached[all.n_cached % WINDOW];
	if (all.n_cached++ >= WINDOW)
		emit_waiting(c);
	c->uid.len = c->status.len = 0;
	buf_add(&c->uid, uid.p, uid.n);
	buf_add(&c->status, status.p, status.n);
	c->worker = find_worker(worker);
	c->us = us;
	c->size_bytes = size_bytes;
}

static int
compare_prepared(const void *a, const void *b)
{
	const struct prepared *x = a, *y = b;

	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	return intern_cmp(&all.names, x->what, y->what);
}

static int
compare_workers(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void
emit_prepared(const struct worker *w, const struct prepared *p,
    int64_t start_us)
{
	struct buf *b = filter_out(all.f), id = { 0 };
	struct span what = intern_span(&all.names, p->what);

	buf_printf(&id, "prepare:%llu:", (unsigned long long)w->number);
	buf_add(&id, what.p, what.n);
	json_begin(b, "task");
	json_str(b, "id", span_of(id.data, id.len));
	json_word(b, "kind", "prepare");
	put_times(b, start_us, p->us);
	put_host(b, w);
	json_str(b, "prepare", what);
	json_end(b);
	filter_emit(all.f);
	buf_release(&id);
}

static int
compare_starts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Each with the latest prepare_start of the worker that is not after it. */
static void
emit_worker(struct worker *w)
{
	int64_t start_us = INT_UNKNOWN;
	size_t next = 0;

	if (w->n_prepared > 0)
		qsort(w->prepared, w->n_prepared, sizeof *w->prepared,
		    compare_prepared);
	if (w->n_starts > 0)
		qsort(w->starts_us, w->n_starts, sizeof *w->starts_us,
		    compare_starts);
	for (size_t i = 0; i < w->n_prepared; i++) {
		while (next < w->n_starts &&
		    w->starts_us[next] <= w->prepared[i].us)
			start_us = w->starts_us[next++];
		emit_prepared(w, &w->prepared[i], start_us);
	}
	free(w->prepared);
	free(w->starts_us);
}

void
workers_begin(struct filter *f)
{
	all.f = f;
	all.free_fact = INDEX_NONE;
	intern_init(&all.names);
	map_init(&all.by_number, number_of, NULL);
	map_init(&all.by_uid, uid_of, NULL);
}

static void
release(void)
{
	map_release(&all.by_number);
	map_release(&all.by_uid);
	intern_release(&all.names);
	for (size_t i = 0; i < all.n_bindings; i++)
		buf_release(&all.bindings[i].uid);
	for (size_t i = 0; i < WINDOW; i++) {
		buf_release(&all.cached[i].uid);
		buf_release(&all.cached[i].status);
	}
	free(all.workers);
	free(all.bindings);
	free(all.free_bindings);
	free(all.facts);
}

void
workers_end(void)
{
	size_t first;

	all.all_seen = true;
	conclude_all();
	first = all.n_cached > WINDOW ? all.n_cached - WINDOW : 0;
	for (size_t i = first; i < all.n_cached; i++)
		emit_waiting(&all.cached[i % WINDOW]);
	if (all.n_workers > 0)
		qsort(all.workers, all.n_workers, sizeof *all.workers,
		    compare_workers);
	for (size_t i = 0; i < all.n_workers; i++)
		emit_worker(&all.workers[i]);
	release();
}
