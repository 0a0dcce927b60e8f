/* worker-hosts - resolves worker numbers of a distbuild log to hosts */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/num.h"
#include "common/filter/filter.h"
#include "filters/execlog-parse/records.h"
#include "filters/execlog-parse/worker-hosts.h"

/*
 * The header explains deploys, host events and evidence; an observation is a
 * deploy or a host event.  To save memory, the observations of a uid are
 * dropped when REMEMBERED_MAX other uids have got a first host event, or have
 * come from the cache, after this uid.  Until then a deploy that comes later in
 * the log, and may be nearer in time, still counts.
 */
enum {
	REMEMBERED_MAX = 4096,
	OBSERVATIONS_MAX = 64	/* of one uid: the list is searched linearly */
};

/* A deploy of a uid, or a host event of it. */
struct observation {
	int64_t us;
	int64_t n_ready;	/* of a deploy, as in struct deploy */
	uint32_t worker;	/* of a deploy: its index */
	sym host;		/* of a host event; SYM_NONE for a deploy */
	uint32_t next;		/* of the same uid, or INDEX_NONE */
	bool is_used;		/* a record has this deploy */
};

struct uid {
	struct buf text;
	uint64_t hash;		/* of text */
	uint32_t observations;	/* the first of a list, or INDEX_NONE */
	uint32_t n_observations;	/* including those not stored */
	uint32_t generation;	/* counts the uids that had this entry before */
	bool is_remembered;	/* it has a host event or came from the cache,
				   so that it will be forgotten */
};

/*
 * A deploy of a uid to a worker and a host event of the uid, which together
 * show that the worker is on the host.
 */
struct evidence {
	sym host;		/* SYM_NONE: there is no evidence */
	bool is_backwards;	/* the host event is before the deploy */
	uint64_t gap_us;	/* between the deploy and the host event */
};

struct worker {
	uint64_t number;
	struct evidence best_dropped;	/* the strongest of the uids whose
					   observations were dropped */
	struct evidence best;	/* the strongest of all, when the worker was
				   last resolved */
};

static struct {
	struct filter *f;
	struct intern hosts;
	struct worker *workers;
	size_t n_workers, workers_cap;
	struct intern numbers;		/* in the order of workers */

	struct uid *uids;
	size_t n_uids, uids_cap;
	struct map by_text;		/* to indexes of uids */
	uint32_t *free_uids;		/* indexes that can be used again */
	size_t n_free_uids, free_uids_cap;

	struct observation *observations;
	size_t n_observations, observations_cap;
	uint32_t free_observation;	/* the first of a list, or INDEX_NONE */

	/* A ring buffer of the uids that will be forgotten, and how many were
	   ever added to it. */
	uint32_t remembered[REMEMBERED_MAX];
	size_t n_remembered;
	size_t n_with_host;	/* how many uids ever got a host event */
	size_t n_resolved;	/* n_with_host at the last call of
				   worker_hosts_resolve_all() */
} state;

static struct span
key_of_uid(const void *owner, uint32_t uid)
{
	(void)owner;
	return buf_span(&state.uids[uid].text);
}

/* Converts a worker's number to its index, and adds the worker if it is new. */
static uint32_t
worker_index(uint64_t number)
{
	sym i = intern_add(&state.numbers, span_bytes(&number, sizeof number));

	if (i < state.n_workers)
		return i;
	state.workers = mem_grow(state.workers, &state.workers_cap,
	    state.n_workers + 1, sizeof *state.workers);
	state.workers[state.n_workers++] = (struct worker){ number,
	    { .host = SYM_NONE }, { .host = SYM_NONE } };
	return i;
}

/* Returns < 0 if x is stronger than y, by rule 2 of worker-hosts.h. */
static int
compare_evidence(const struct evidence *x, const struct evidence *y)
{
	if (x->is_backwards != y->is_backwards)
		return x->is_backwards ? 1 : -1;
	if (x->gap_us != y->gap_us)
		return cmp_u64(x->gap_us, y->gap_us);
	return intern_cmp(&state.hosts, x->host, y->host);
}

/* Returns < 0 if deploy x is nearer to a host event than y, by rule 1. */
static int
compare_deploys(const struct observation *x, const struct observation *y,
    int64_t host_event_us)
{
	bool x_is_after = x->us > host_event_us;
	bool y_is_after = y->us > host_event_us;
	int order = cmp_i64(x->us, y->us);

	if (x_is_after != y_is_after)
		return x_is_after ? 1 : -1;
	if (order != 0)
		return x_is_after ? order : -order;
	return cmp_u64(state.workers[x->worker].number,
	    state.workers[y->worker].number);
}

/*
 * The deploy that is paired with a host event at us by rule 1 of
 * worker-hosts.h; NULL if the uid has none.
 */
static struct observation *
nearest_deploy(const struct uid *u, int64_t us)
{
	struct observation *best = NULL, *o;

	for (uint32_t i = u->observations; i != INDEX_NONE; i = o->next) {
		o = &state.observations[i];
		if (o->host == SYM_NONE && (best == NULL ||
		    compare_deploys(o, best, us) < 0))
			best = o;
	}
	return best;
}

/* Pairs the observations of a uid and adds each pair as evidence. */
static void
add_evidence_of_uid(const struct uid *u, bool is_dropped)
{
	const struct observation *o, *deploy;
	struct evidence e, *best;
	struct worker *w;

	for (uint32_t i = u->observations; i != INDEX_NONE; i = o->next) {
		o = &state.observations[i];
		if (o->host == SYM_NONE)
			continue;
		deploy = nearest_deploy(u, o->us);
		if (deploy == NULL)
			continue;
		e.host = o->host;
		e.is_backwards = o->us < deploy->us;
		e.gap_us = (uint64_t)(e.is_backwards ? deploy->us - o->us :
		    o->us - deploy->us);
		w = &state.workers[deploy->worker];
		best = is_dropped ? &w->best_dropped : &w->best;
		if (best->host == SYM_NONE || compare_evidence(&e, best) < 0)
			*best = e;
	}
}

static struct deploy
deploy_of(const struct observation *o)
{
	return (struct deploy){ o->us, state.workers[o->worker].number,
	    o->n_ready };
}

/* Writes a deploy of which no start, end or answer of the cache is known. */
static void
emit_queued(struct span uid, const struct deploy *deploy)
{
	struct buf *b = filter_begin_record(state.f, "task");

	json_str(b, "id", uid);
	json_word(b, "kind", "run");
	put_run(b);
	json_str(b, "uid", uid);
	worker_hosts_put(b, deploy->worker);
	worker_hosts_put_deploy(b, deploy);
	filter_end_record(state.f);
}

/* Writes the deploys of a uid that no record has, and frees its list. */
static void
drop_observations(struct uid *u)
{
	struct observation *o;
	struct deploy deploy;
	uint32_t i = u->observations, next;

	u->observations = INDEX_NONE;
	for (; i != INDEX_NONE; i = next) {
		o = &state.observations[i];
		next = o->next;
		if (o->host == SYM_NONE && !o->is_used) {
			deploy = deploy_of(o);
			emit_queued(buf_span(&u->text), &deploy);
		}
		o->next = state.free_observation;
		state.free_observation = i;
	}
}

static uint32_t
find_uid(struct span text)
{
	uint64_t hash = map_hash(text.p, text.n);
	size_t slot = map_find_slot(&state.by_text, hash, hash, text,
	    key_of_uid);
	uint32_t i = map_value(&state.by_text, slot);
	struct uid reused = { 0 };

	if (i != INDEX_NONE)
		return i;
	if (state.n_free_uids > 0) {
		i = state.free_uids[--state.n_free_uids];
		reused = state.uids[i];
	} else {
		i = (uint32_t)state.n_uids;
		state.uids = mem_grow(state.uids, &state.uids_cap,
		    ++state.n_uids, sizeof *state.uids);
	}
	reused.text.len = 0;
	buf_add(&reused.text, text.p, text.n);
	state.uids[i] = (struct uid){ .text = reused.text, .hash = hash,
	    .observations = INDEX_NONE, .generation = reused.generation };
	map_put_at(&state.by_text, slot, hash, i);
	return i;
}

/* Returns false if the uid has too many to keep this one. */
static bool
add_observation(struct uid *u, struct observation o)
{
	uint32_t i = state.free_observation;

	if (u->n_observations++ >= OBSERVATIONS_MAX)
		return false;
	if (i != INDEX_NONE) {
		state.free_observation = state.observations[i].next;
	} else {
		i = (uint32_t)state.n_observations;
		state.observations = mem_grow(state.observations,
		    &state.observations_cap, ++state.n_observations,
		    sizeof *state.observations);
	}
	o.next = u->observations;
	state.observations[i] = o;
	u->observations = i;
	return true;
}

/*
 * Puts a uid into the ring, unless it is there.  It replaces the oldest uid,
 * whose observations are turned into evidence and dropped.
 */
static void
remember_uid(uint32_t uid)
{
	uint32_t *oldest = &state.remembered[state.n_remembered %
	    REMEMBERED_MAX];
	struct uid *u;

	if (state.uids[uid].is_remembered)
		return;
	state.uids[uid].is_remembered = true;
	if (state.n_remembered >= REMEMBERED_MAX) {
		u = &state.uids[*oldest];
		add_evidence_of_uid(u, true);
		map_remove(&state.by_text, u->hash, *oldest);
		drop_observations(u);
		u->generation++;
		state.free_uids = mem_grow(state.free_uids,
		    &state.free_uids_cap, state.n_free_uids + 1,
		    sizeof *state.free_uids);
		state.free_uids[state.n_free_uids++] = *oldest;
	}
	*oldest = uid;
	state.n_remembered++;
}

void
worker_hosts_add_deploy(struct span uid, uint64_t number, int64_t us,
    int64_t n_ready)
{
	struct observation new = { .us = us, .host = SYM_NONE,
	    .n_ready = n_ready, .worker = worker_index(number) }, *o;
	struct deploy deploy = { us, number, n_ready };
	uint32_t index = find_uid(uid);
	struct uid *u = &state.uids[index];

	/* The log may contain a line twice. */
	for (uint32_t i = u->observations; i != INDEX_NONE; i = o->next) {
		o = &state.observations[i];
		if (o->host == SYM_NONE && o->us == us &&
		    o->worker == new.worker && o->n_ready == n_ready)
			return;
	}
	if (!add_observation(u, new))
		emit_queued(uid, &deploy);
}

struct uid_ref
worker_hosts_add_host_event(struct span uid, struct span host, int64_t us)
{
	sym s = intern_add(&state.hosts, host);
	uint32_t i = find_uid(uid);
	struct uid *u = &state.uids[i];
	struct uid_ref ref = { i, u->generation };
	struct observation *o;
	bool has_host = false;

	for (uint32_t j = u->observations; j != INDEX_NONE; j = o->next) {
		o = &state.observations[j];
		has_host |= o->host != SYM_NONE;
		if (o->host == s) {
			o->us = us < o->us ? us : o->us;
			return ref;
		}
	}
	add_observation(u, (struct observation){ .us = us, .host = s });
	state.n_with_host += !has_host;
	remember_uid(i);
	return ref;
}

bool
worker_hosts_take_deploy(struct uid_ref ref, int64_t us, struct deploy *deploy)
{
	const struct uid *u = &state.uids[ref.index];
	struct observation *o = u->generation == ref.generation ?
	    nearest_deploy(u, us) : NULL;

	if (o == NULL || o->us > us)
		return false;
	o->is_used = true;
	*deploy = deploy_of(o);
	return true;
}

bool
worker_hosts_take_cached(struct span uid, int64_t us, struct deploy *deploy)
{
	uint64_t hash = map_hash(uid.p, uid.n);
	uint32_t i = map_value(&state.by_text, map_find_slot(&state.by_text,
	    hash, hash, uid, key_of_uid));

	if (i == INDEX_NONE || !worker_hosts_take_deploy((struct uid_ref){ i,
	    state.uids[i].generation }, us, deploy))
		return false;
	remember_uid(i);
	return true;
}

void
worker_hosts_report_unused(void)
{
	for (size_t i = 0; i < state.n_uids; i++)
		drop_observations(&state.uids[i]);
}

void
worker_hosts_resolve_all(void)
{
	size_t first = state.n_remembered > REMEMBERED_MAX ?
	    state.n_remembered - REMEMBERED_MAX : 0;

	/* Observations that are not dropped yet may be paired differently than
	   at the last call. */
	for (size_t i = 0; i < state.n_workers; i++)
		state.workers[i].best = state.workers[i].best_dropped;
	for (size_t i = first; i < state.n_remembered; i++)
		add_evidence_of_uid(&state.uids[
		    state.remembered[i % REMEMBERED_MAX]], false);
	state.n_resolved = state.n_with_host;
}

/*
 * If the worker has no host yet, resolves all workers at once, but only if
 * another uid has got its first host event since: a pass over all remembered
 * uids for each task would be too slow.
 */
void
worker_hosts_put(struct buf *b, uint64_t number)
{
	uint32_t i = worker_index(number);
	const struct worker *w = &state.workers[i];
	char name[32];

	if (w->best.host == SYM_NONE && state.n_resolved != state.n_with_host)
		worker_hosts_resolve_all();
	if (w->best.host != SYM_NONE) {
		json_str(b, "host", intern_span(&state.hosts, w->best.host));
		return;
	}
	snprintf(name, sizeof name, "worker-%llu",
	    (unsigned long long)number);
	json_cstr(b, "host", name);
}

void
worker_hosts_put_deploy(struct buf *b, const struct deploy *d)
{
	json_uint(b, "worker", d->worker);
	json_int(b, "deploy_us", d->us);
	json_int(b, "ready_tasks", d->n_ready);
}

void
worker_hosts_init(struct filter *f)
{
	state.f = f;
	state.free_observation = INDEX_NONE;
	intern_init(&state.hosts);
	intern_init(&state.numbers);
	map_init(&state.by_text, key_of_uid, NULL);
}

void
worker_hosts_release(void)
{
	intern_release(&state.numbers);
	map_release(&state.by_text);
	intern_release(&state.hosts);
	for (size_t i = 0; i < state.n_uids; i++)
		buf_release(&state.uids[i].text);
	free(state.workers);
	free(state.uids);
	free(state.free_uids);
	free(state.observations);
	memset(&state, 0, sizeof state);
}
