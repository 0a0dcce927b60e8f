/*
 * emit - send what the trees have counted
 *
 * A node's counters of calls and time only grow.  An emission contains, for
 * each node that has changed, the difference from the values last written to
 * the buffer, and all its samples, which are then set to 0.  That loses no
 * sample: helper.c adds samples only while it holds the link's lock, as an
 * emission does.  The buffer is kept until the socket has accepted it or the
 * wrapper is gone.  So no count is lost, however slowly the wrapper reads, and
 * no thread has to be stopped: what is counted during an emission is in that
 * emission or the next.  The exception is the last emission, when the program
 * exits or crashes: it waits for a limited time only (STALL_TIMEOUT_NS).  The
 * wrapper reads from the shared memory what has not been sent by then, except
 * for samples that were in the buffer; without shared memory it is lost.
 *
 * An emission takes three passes over all nodes.  The first, children first,
 * sets the index of each node that has changed, and of its ancestors, to 1.
 * The second, parents first, replaces this 1 by a number and writes the node,
 * so that a node can refer to its parent by number.  The third sets each index
 * to 0 again.
 */

#include <time.h>

#include "instrument/emit.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/marks.h"
#include "instrument/modules.h"
#include "instrument/put.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

static uint64_t sequence;	/* number of the next emission */
static int64_t start_ns;	/* time of emit_init() */
static uint64_t start_ticks;	/* the same, in ticks */
static int n_modules_sent;
static bool is_over;		/* the final emission was made */

struct emission {
	uint32_t n_nodes;
	uint64_t ticks, ns;		/* since emit_init(), in two units */
	int64_t stall_timeout_ns;
	int64_t deadline_ns;		/* the emission fails after this time */
	bool is_line_open;		/* a "nodes" line has no end yet */
	bool failed;
	bool has_unknown;		/* an address was found in no module */
};

void
emit_init(void)
{
	start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	start_ticks = ticks();
}

static void
put_module(struct out *o, const struct shared_module *m)
{
	put_begin_record(o, "module");
	put_text(o, "path", shared->paths + m->path);
	put_address(o, "base", m->base);
	put_address(o, "start", m->start);
	put_address(o, "end", m->end);
	put_str(o, ",\"build_id\":\"");
	for (int i = 0; i < m->build_id_len; i++)
		put_hex_byte(o, m->build_id[i]);
	put_str(o, "\"");
	put_end_record(o);
}

int
emit_modules(struct out *o, int first, int64_t stall_timeout_ns)
{
	int n = modules_count(), i;

	for (i = first; i < n; i++) {
		if (!out_has_room(o) && !link_flush(o, stall_timeout_ns))
			break;
		if (shared->modules[i].is_elf)
			put_module(o, &shared->modules[i]);
	}
	return i;
}

static void
flush(struct emission *e)
{
	if (!e->failed && (!link_flush(&link_out, e->stall_timeout_ns) ||
	    sys_clock_ns(CLOCK_MONOTONIC) > e->deadline_ns))
		e->failed = true;
}

static void
flag_changed(struct node *n, void *context)
{
	uint64_t calls = __atomic_load_n(&n->calls, __ATOMIC_RELAXED);
	struct emission *e = context;

	if (n->index == 0 && calls == n->sent_calls && n->samples == 0 &&
	    (!settings.timed || __atomic_load_n(&n->self_ticks,
	    __ATOMIC_RELAXED) == n->sent_ticks))
		return;
	n->index = 1;
	n->parent->index = 1;
	/*
	 * The module is unknown if another thread was reading /proc/self/maps
	 * when the node was added.  After one address that is in no module, no
	 * others are tried in this emission, since each attempt reads that
	 * file.
	 */
	if (!e->has_unknown)
		e->has_unknown = !modules_ensure_known(n->function) ||
		    !modules_ensure_known(n->call_site);
}

/* Uses the average frequency of the tick counter since emit_init(). */
static uint64_t
ticks_to_ns(const struct emission *e, uint64_t n)
{
	if (e->ticks == 0)
		return 0;
	return (uint64_t)((unsigned __int128)n * e->ns / e->ticks);
}

static void
close_line(struct emission *e)
{
	if (e->is_line_open) {
		put_str(&link_out, "]");
		put_end_record(&link_out);
	}
	e->is_line_open = false;
}

/*
 * Writes "PARENT FUNCTION CALL_SITE CALLS SELF_NS OFF_NS SAMPLES OFFSET" for a
 * node that flag_changed() has flagged.  PARENT is the parent's number in this
 * emission, or 0 if the parent is the root.  OFFSET is that of the node in the
 * shared memory.  FUNCTION, CALL_SITE and OFFSET are hexadecimal.
 */
static void
put_node(struct node *n, void *context)
{
	struct emission *e = context;
	uint64_t calls, self_ticks, off_ns;

	if (n->index == 0 || e->failed)
		return;
	if (!out_has_room(&link_out)) {
		close_line(e);
		flush(e);
		if (e->failed)
			return;
	}
	if (!e->is_line_open) {
		put_begin_record(&link_out, "nodes");
		put_str(&link_out, ",\"nodes\":[");
	}
	put_str(&link_out, e->is_line_open ? ",\"" : "\"");
	e->is_line_open = true;
	calls = __atomic_load_n(&n->calls, __ATOMIC_RELAXED);
	put_u64(&link_out, n->parent->parent == NULL ? 0 : n->parent->index);
	put_str(&link_out, " ");
	put_call(&link_out, n);
	put_str(&link_out, " ");
	put_u64(&link_out, calls - n->sent_calls);
	n->sent_calls = calls;
	put_str(&link_out, " ");
	if (settings.timed) {
		self_ticks = __atomic_load_n(&n->self_ticks, __ATOMIC_RELAXED);
		put_u64(&link_out, ticks_to_ns(e, self_ticks - n->sent_ticks));
		n->sent_ticks = self_ticks;
		put_str(&link_out, " ");
		off_ns = __atomic_load_n(&n->off_ns, __ATOMIC_RELAXED);
		put_u64(&link_out, off_ns - n->sent_off_ns);
		n->sent_off_ns = off_ns;
	} else {
		put_str(&link_out, "0 0");
	}
	put_str(&link_out, " ");
	put_u64(&link_out, n->samples);
	n->samples = 0;
	put_str(&link_out, " ");
	put_hex(&link_out, (uintptr_t)n - (uintptr_t)shared);
	put_str(&link_out, "\"");
	n->index = ++e->n_nodes;
}

static void
clear_index(struct node *n, void *context)
{
	(void)context;
	n->index = 0;
}

static void
visit_all(void (*walk)(struct thread *, node_visitor *, void *),
    node_visitor *visit, void *context)
{
	FOR_EACH_THREAD(t)
		walk(t, visit, context);
}

/* Returns the number of overflowing calls since the previous emission. */
static uint64_t
count_overflow_calls(void)
{
	uint64_t n, sum = 0;

	FOR_EACH_THREAD(t) {
		n = __atomic_load_n(&t->overflow_calls, __ATOMIC_RELAXED);
		sum += n - t->sent_overflow_calls;
		t->sent_overflow_calls = n;
	}
	return sum;
}

static void
begin_emission(struct emission *e)
{
	int64_t now = sys_clock_ns(CLOCK_MONOTONIC);

	e->ticks = ticks() - start_ticks;
	e->ns = (uint64_t)(now - start_ns);
	e->deadline_ns = e->stall_timeout_ns == INT64_MAX ? INT64_MAX :
	    now + TOTAL_TIMEOUT_FACTOR * e->stall_timeout_ns;
	visit_all(tree_visit_children_first, flag_changed, e);
	flush(e);
	n_modules_sent = emit_modules(&link_out, n_modules_sent,
	    e->stall_timeout_ns);
	put_begin_record(&link_out, "begin");
	put_number(&link_out, "sequence", sequence++);
	put_number(&link_out, "time_us", (uint64_t)sys_time_us());
	if (settings.fold_recursion)
		put_true(&link_out, "folded_recursion");
	if (settings.timed && shared != NULL) {
		put_true(&link_out, "timed");
		put_number(&link_out, "probe_ps", ticks_to_ns(e,
		    shared->probe_ticks * 1000) / PROBE_SCALE);
		if (shared->has_off_time)
			put_true(&link_out, "off_time");
	}
	if (settings.sample_period_ns > 0)
		put_true(&link_out, "sampled");
	put_end_record(&link_out);
}

static void
put_path(const char *type, const struct shared_module *m)
{
	put_begin_record(&link_out, type);
	put_text(&link_out, "path", shared->paths + m->path);
	put_end_record(&link_out);
}

/* Reports the modules, of those loaded at the end, with wrong or no counts. */
static void
put_miscounted(struct emission *e)
{
	const struct shared_module *m;

	modules_read_all();
	for (int i = 0; i < modules_count(); i++) {
		m = &shared->modules[i];
		if (!out_has_room(&link_out))
			flush(e);
		if (m->is_replaced)
			put_path("replaced", m);
		else if (modules_calls_empty(m, "__cyg_profile_func_enter"))
			put_path("uncounted", m);
	}
}

static void
emit_locked(int64_t stall_timeout_ns, bool is_final)
{
	struct emission e = { .stall_timeout_ns = stall_timeout_ns };
	uint64_t n;

	if (!link_ensure_open())
		return;
	if (is_final)
		put_miscounted(&e);
	begin_emission(&e);
	visit_all(tree_visit_parents_first, put_node, &e);
	visit_all(tree_visit_parents_first, clear_index, NULL);
	close_line(&e);
	put_begin_record(&link_out, "end");
	if ((n = count_overflow_calls()) > 0)
		put_number(&link_out, "nodes_limited", n);
	if (dormant)
		put_true(&link_out, "dormant");
	if (is_final)
		put_true(&link_out, "final");
	if (is_final && is_misplaced)
		put_true(&link_out, "misplaced");
	put_end_record(&link_out);
	marks_emit();
	flush(&e);
}

void
emit(int64_t stall_timeout_ns, bool is_final)
{
	uint64_t mask;

	if (!link_lock(STALL_TIMEOUT_NS, &mask))
		return;
	/* The helper thread may be due again before the process has ended. */
	if (!is_over)
		emit_locked(stall_timeout_ns, is_final);
	is_over |= is_final;
	link_unlock(mask);
}

void
emit_fork(void)
{
	sequence = 0;
	n_modules_sent = 0;
	is_over = false;
	emit_init();
}
