/*
 * emit - what has happened, as lines of JSON
 *
 * Counters only grow.  What goes out is by how much they have grown since what
 * was put into the buffer last, which is never given up while anybody reads:
 * so nothing is lost however slowly that goes, and no thread is stopped.
 */

#include <time.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

static uint64_t sequence;
static int64_t start_ns;
static uint64_t start_ticks;
static int modules_told;

struct emission {
	uint32_t n;			/* nodes */
	uint64_t ticks;			/* that ns have taken */
	uint64_t ns;
	int64_t patience_ns, end_ns;
	bool is_line_open, failed;
	bool has_stranger;		/* an address that is in no module */
};

void
emit_init(void)
{
	start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	start_ticks = ticks();
}

static void
put_module(struct out *o, const struct module *m)
{
	put_begin_record(o, "module");
	put_text(o, "path", module_paths + m->path);
	put_address(o, "base", m->base);
	put_address(o, "start", m->start);
	put_address(o, "end", m->end);
	put(o, ",\"build_id\":\"");
	for (int i = 0; i < m->build_id_len; i++)
		put_hex_byte(o, m->build_id[i]);
	put(o, "\"");
	put_end_record(o);
}

void
put_modules(struct out *o, int from, int64_t patience_ns)
{
	int n = modules_count();

	for (int i = from; i < n; i++) {
		if (!out_has_room(o) && !link_flush(o, patience_ns))
			return;
		if (modules->list[i].is_elf)
			put_module(o, &modules->list[i]);
	}
}

static void
flush(struct emission *e)
{
	if (!e->failed && (!link_flush(&wrapper, e->patience_ns) ||
	    sys_clock_ns(CLOCK_MONOTONIC) > e->end_ns))
		e->failed = true;
}

static void
find_changed(struct node *n, void *to)
{
	uint64_t calls = __atomic_load_n(&n->calls, __ATOMIC_RELAXED);
	struct emission *e = to;

	if (n->index == 0 && calls == n->sent_calls && n->samples == 0 &&
	    (!settings.timed || __atomic_load_n(&n->self_ticks,
	    __ATOMIC_RELAXED) == n->sent_ticks))
		return;
	n->index = 1;
	n->parent->index = 1;
	/* What was missed when the node was made; once is enough. */
	if (!e->has_stranger)
		e->has_stranger = !modules_note(n->function) ||
		    !modules_note(n->call_site);
}

static uint64_t
ns_of(const struct emission *e, uint64_t t)
{
	if (e->ticks == 0)
		return 0;
	return (uint64_t)((unsigned __int128)t * e->ns / e->ticks);
}

static void
close_line(struct emission *e)
{
	if (e->is_line_open) {
		put(&wrapper, "]");
		put_end_record(&wrapper);
	}
	e->is_line_open = false;
}

/* "PARENT FUNCTION CALL_SITE CALLS SELF_NS SAMPLES", the parent from 1 on */
static void
put_node(struct node *n, void *to)
{
	struct emission *e = to;
	uint64_t calls, time;

	if (n->index == 0 || e->failed)
		return;
	if (!out_has_room(&wrapper)) {
		close_line(e);
		flush(e);
		if (e->failed)
			return;
	}
	if (!e->is_line_open) {
		put_begin_record(&wrapper, "nodes");
		put(&wrapper, ",\"nodes\":[");
	}
	put(&wrapper, e->is_line_open ? ",\"" : "\"");
	e->is_line_open = true;
	calls = __atomic_load_n(&n->calls, __ATOMIC_RELAXED);
	put_u64(&wrapper, n->parent->parent == NULL ? 0 : n->parent->index);
	put(&wrapper, " ");
	put_call(&wrapper, n);
	put(&wrapper, " ");
	put_u64(&wrapper, calls - n->sent_calls);
	n->sent_calls = calls;
	put(&wrapper, " ");
	if (settings.timed) {
		time = __atomic_load_n(&n->self_ticks, __ATOMIC_RELAXED);
		put_u64(&wrapper, ns_of(e, time - n->sent_ticks));
		n->sent_ticks = time;
	} else {
		put(&wrapper, "0");
	}
	put(&wrapper, " ");
	put_u64(&wrapper, n->samples);
	n->samples = 0;
	put(&wrapper, "\"");
	n->index = ++e->n;
}

static void
forget_index(struct node *n, void *to)
{
	(void)to;
	n->index = 0;
}

static void
each_thread(void (*walk)(struct thread *, node_visitor *, void *),
    node_visitor *visit, void *to)
{
	FOR_EACH_THREAD(t)
		walk(t, visit, to);
}

static uint64_t
newly_limited(void)
{
	uint64_t n, sum = 0;

	FOR_EACH_THREAD(t) {
		n = __atomic_load_n(&t->limited, __ATOMIC_RELAXED);
		sum += n - t->sent_limited;
		t->sent_limited = n;
	}
	return sum;
}

static void
begin(struct emission *e)
{
	int64_t now = sys_clock_ns(CLOCK_MONOTONIC);

	e->ticks = ticks() - start_ticks;
	e->ns = (uint64_t)(now - start_ns);
	e->end_ns = e->patience_ns == INT64_MAX ? INT64_MAX :
	    now + PATIENCE_TIMES * e->patience_ns;
	each_thread(tree_visit_newest_first, find_changed, e);
	flush(e);
	put_modules(&wrapper, modules_told, e->patience_ns);
	modules_told = modules_count();
	put_begin_record(&wrapper, "begin");
	put_number(&wrapper, "sequence", sequence++);
	put_number(&wrapper, "time_us", (uint64_t)sys_time_us());
	if (settings.fold)
		put_true(&wrapper, "folded_recursion");
	if (settings.timed)
		put_true(&wrapper, "timed");
	if (settings.sample_ns > 0)
		put_true(&wrapper, "sampled");
	put_end_record(&wrapper);
}

static void
emit_now(int64_t patience_ns, bool is_final)
{
	struct emission e = { .patience_ns = patience_ns };
	uint64_t n;

	if (!link_usable())
		return;
	begin(&e);
	each_thread(tree_visit, put_node, &e);
	each_thread(tree_visit, forget_index, NULL);
	close_line(&e);
	put_begin_record(&wrapper, "end");
	if ((n = newly_limited()) > 0)
		put_number(&wrapper, "nodes_limited", n);
	if (dormant)
		put_true(&wrapper, "dormant");
	if (is_final)
		put_true(&wrapper, "final");
	put_end_record(&wrapper);
	marks_emit();
	flush(&e);
}

void
emit(int64_t patience_ns, bool is_final)
{
	uint64_t mask;

	if (!link_take(PATIENCE_NS, &mask))
		return;
	emit_now(patience_ns, is_final);
	link_drop(mask);
}

void
emit_fork(void)
{
	sequence = 0;
	modules_told = 0;
	emit_init();
}
