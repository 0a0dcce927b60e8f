/*
 * distbuild - writes the log of an invented distributed build, and its graph
 *
 * The same seed and number of nodes give the same bytes on any machine: the
 * program uses no floating point, and random numbers of its own.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/gen/gen.h"

#define BUILD_START_MS	UINT64_C(1700000000000)
#define MAX_NODES	20000000
#define MAX_DEPS	8
#define MAX_HOSTS	400
#define LAYERS		60	/* about how deep the graph is */
#define JITTER_MS	500	/* how long after its event a line may be
				   written */
#define PATIENCE_MS	60000	/* how much longer a node waits for a worker on
				   the host of a dependency than for another */

#define LEN(a)	(sizeof(a) / sizeof(a)[0])

enum kind {
	PREPARE_START, REPOSITORY_PREPARED, RESOURCES_PREPARED,
	DEPLOY, DEPLOYED, STARTED, FINISHED, FINISHED_FROM_CACHE,
	DEP_WAIT, DEP_START, DEP_FINISHED,
	EXTRACT_QUEUE, EXTRACT_START, EXTRACT_FINISH,
	HEARTBEAT		/* unknown to execlog-parse */
};

/*
 * The fields after the time and the name:
 *	u	node		d	its dependency
 *	h	the node's host	o	the dependency's host
 *	z	the node's size	Z	the dependency's size
 *	w	worker		c	worker or host
 *	s	status		n	number of copies for the node
 *	r	number of ready nodes
 *	W	worker of an event that has no node
 *	p	pattern		-	empty
 */
static const struct {
	const char *name, *fields;
} kinds[] = {
	[PREPARE_START] = { "prepare_start", "-W" },
	[REPOSITORY_PREPARED] = { "repository_prepared", "pW" },
	[RESOURCES_PREPARED] = { "resources_prepared", "-W" },
	[DEPLOY] = { "deploy", "uwr" },
	[DEPLOYED] = { "deployed", "uh" },
	[STARTED] = { "started", "uh" },
	[FINISHED] = { "finished", "uhsz" },
	[FINISHED_FROM_CACHE] = { "finished_from_cache", "ucsz" },
	[DEP_WAIT] = { "dep_wait", "uhdn" },
	[DEP_START] = { "dep_start", "uhdn" },
	[DEP_FINISHED] = { "dep_finished", "uhdoZ" },
	[EXTRACT_QUEUE] = { "dep_extract_queue", "dho" },
	[EXTRACT_START] = { "dep_extract_start", "dho" },
	[EXTRACT_FINISH] = { "dep_extract_finish", "dho" },
	[HEARTBEAT] = { "worker_heartbeat", "-W" }
};

static const char *const patterns[] = {
	"sources/trunk", "sources/contrib", "tests/data", "tools/config"
};

static const struct type {
	const char *name, *input, *output;	/* file name extensions */
} types[] = {
	{ "CC", "cpp", "cpp.o" }, { "CC", "c", "c.o" },
	{ "PB", "proto", "pb.h" }, { "AR", "rsp", "a" },
	{ "LD", "rsp", "exe" }, { "TS", "exe", "tar" }
};

#define TYPE_LD	4
#define TYPE_TS	5	/* a test; only nodes that no node needs are tests */

struct node {
	uint64_t uid[2];
	uint32_t first_dep;	/* index into deps[] */
	uint32_t end_ms;	/* like all times since the build began */
	uint32_t size_bytes;
	uint16_t worker;
	uint8_t n_deps, n_copies, type, status;
	bool needed;		/* other nodes depend on it */
	bool cached;		/* finished_from_cache instead of a run */
	bool by_worker;		/* finished_from_cache names a worker, not a
				   host */
};

/* Has only 12 bytes, since there are about ten events for each node. */
struct event {
	uint32_t sort_ms;	/* time + jitter: the order of the lines */
	uint32_t subject;	/* node; or worker, in events without a node */
	uint16_t jitter_ms;
	uint8_t kind;
	uint8_t arg;		/* index of one of the node's dependencies, or
				   of a pattern; or the number of ready nodes */
};

static struct node *nodes;
static uint32_t *deps;		/* indexes of nodes; see node.first_dep */
static uint32_t n_nodes, n_edges, n_copies, n_prepares;
static struct event *events;
static size_t n_events, cap_events;
static char hosts[MAX_HOSTS][48];
static uint32_t n_hosts, n_workers;
static uint32_t free_ms[2 * MAX_HOSTS];	/* when each worker is free */

static uint32_t
host_of(const struct node *n)
{
	return n->worker % n_hosts;
}

static struct node *
dep_of(const struct node *n, uint32_t i)
{
	return &nodes[deps[n->first_dep + i]];
}

/*
 * The build graph.
 */

/* Returns 0 to 8 (MAX_DEPS): 2 on average, and once in four times 2 more. */
static uint32_t
pick_n_deps(void)
{
	uint32_t n;

	n = below(5);
	return one_in(4) ? n + below(5) : n;
}

/*
 * Most dependencies are half a layer to two and a half layers back, which makes
 * the graph wide as well as deep.  The others are mostly near the beginning,
 * like tools and base libraries.
 */
static uint32_t
pick_dep(uint32_t node)
{
	uint32_t layer, back;

	layer = n_nodes / LAYERS + 1;
	back = layer / 2 + 1 + below(2 * layer);
	if (back > node || one_in(6))
		return (uint32_t)((uint64_t)below(node) * below(node) / node);
	return node - back;
}

static bool
has_dep(const struct node *n, uint32_t dep)
{
	for (uint32_t i = 0; i < n->n_deps; i++)
		if (deps[n->first_dep + i] == dep)
			return true;
	return false;
}

static void
add_deps(struct node *n, uint32_t index)
{
	uint32_t dep;

	n->first_dep = n_edges;
	for (uint32_t left = index > 0 ? pick_n_deps() : 0; left > 0; left--) {
		dep = pick_dep(index);
		if (has_dep(n, dep))
			continue;
		nodes[dep].needed = true;
		deps[n_edges++] = dep;
		n->n_deps++;
	}
}

static void
make_graph(void)
{
	struct node *n;

	nodes = resize(NULL, n_nodes, sizeof *nodes);
	deps = resize(NULL, (size_t)n_nodes * MAX_DEPS, sizeof *deps);
	for (uint32_t i = 0; i < n_nodes; i++) {
		n = &nodes[i];
		*n = (struct node){ 0 };
		n->uid[0] = next_random();
		n->uid[1] = next_random();
		n->size_bytes = magnitude(8, 24);
		n->cached = below(100) < 3;
		n->by_worker = one_in(2);
		add_deps(n, i);
	}
	for (uint32_t i = 0; i < n_nodes; i++) {
		n = &nodes[i];
		n->type = below(TYPE_TS);
		if (!n->needed)
			n->type = one_in(3) ? TYPE_LD : TYPE_TS;
		/* A node that others were built from cannot have failed. */
		if (!n->needed && !n->cached && one_in(2000))
			n->status = 1 + below(2);
	}
}

/*
 * The run of the build.
 */

static void
add_event(uint32_t time_ms, enum kind kind, uint32_t subject, uint32_t arg)
{
	struct event *e;

	if (n_events == cap_events) {
		cap_events = cap_events > 0 ? 2 * cap_events : 4096;
		events = resize(events, cap_events, sizeof *events);
	}
	e = &events[n_events++];
	e->jitter_ms = (uint16_t)below(JITTER_MS + 1);
	e->sort_ms = time_ms + e->jitter_ms;
	e->subject = subject;
	e->kind = (uint8_t)kind;
	e->arg = (uint8_t)arg;
}

/*
 * Worker w is on host w % n_hosts.  An eighth of the hosts have one worker, the
 * others two.
 */
static void
make_hosts(void)
{
	n_hosts = n_nodes / 100 + 2;
	if (n_hosts > MAX_HOSTS)
		n_hosts = MAX_HOSTS;
	n_workers = n_hosts + n_hosts * 7 / 8;
	for (uint32_t i = 0; i < n_hosts; i++)
		snprintf(hosts[i], sizeof hosts[i],
		    "linux-distbuild-%04" PRIu32 ".example.net", 17 + 23 * i);
}

static void
prepare_worker(uint32_t worker)
{
	uint32_t at_ms, skipped;

	at_ms = below(5000);
	add_event(at_ms, PREPARE_START, worker, 0);
	skipped = below(LEN(patterns) + 1);	/* LEN(patterns): none */
	for (uint32_t i = 0; i < LEN(patterns); i++) {
		if (i == skipped)
			continue;
		add_event(at_ms += magnitude(8, 13), REPOSITORY_PREPARED,
		    worker, i);
		n_prepares++;
	}
	add_event(at_ms += magnitude(8, 14), RESOURCES_PREPARED, worker, 0);
	n_prepares++;
	free_ms[worker] = at_ms;
}

/* Returns the one of two workers that is free earlier. */
static uint32_t
earlier_free(uint32_t a, uint32_t b)
{
	return free_ms[b] < free_ms[a] ? b : a;
}

/*
 * Returns a worker on the host of a dependency, unless that worker is free much
 * later than the best of four random workers; then, and once in seven times,
 * returns the best of these four.
 */
static uint32_t
pick_worker(const struct node *n, uint32_t ready_ms)
{
	uint32_t any, near;

	any = below(n_workers);
	for (int tries = 0; tries < 3; tries++)
		any = earlier_free(any, below(n_workers));
	if (n->n_deps == 0 || one_in(7))
		return any;
	near = host_of(dep_of(n, below(n->n_deps)));
	/* The second worker of the host, if it has one. */
	if (near + n_hosts < n_workers)
		near = earlier_free(near, near + n_hosts);
	if (free_ms[any] > ready_ms)
		ready_ms = free_ms[any];
	return free_ms[near] < ready_ms + PATIENCE_MS ? near : any;
}

/* Adds the events of unpacking dependency i of a node. */
static void
extract(uint32_t at_ms, uint32_t index, uint32_t i)
{
	add_event(at_ms, EXTRACT_QUEUE, index, i);
	add_event(at_ms += below(50), EXTRACT_START, index, i);
	add_event(at_ms + magnitude(4, 10), EXTRACT_FINISH, index, i);
}

/*
 * Copies dependency i to the host of a node, rarely more than once.  Returns
 * the time at which the copy has arrived.
 */
static uint32_t
copy(uint32_t at_ms, uint32_t index, uint32_t i)
{
	uint32_t size_bytes;
	bool again;

	size_bytes = dep_of(&nodes[index], i)->size_bytes;
	do {
		add_event(at_ms += below(20), DEP_WAIT, index, i);
		add_event(at_ms += below(200), DEP_START, index, i);
		at_ms += 5 + magnitude(3, 9) + size_bytes / 65536;
		add_event(at_ms, DEP_FINISHED, index, i);
		n_copies++;
		again = one_in(1000);
	} while (again);
	if (one_in(20))
		extract(at_ms + below(20), index, i);
	return at_ms;
}

/*
 * Copies the dependencies that are not on the node's host.  Returns the time at
 * which the last copy has arrived.
 */
static uint32_t
copy_deps(uint32_t at_ms, uint32_t index)
{
	struct node *n = &nodes[index];
	uint32_t done_ms = at_ms, end_ms;

	for (uint32_t i = 0; i < n->n_deps; i++) {
		if (host_of(dep_of(n, i)) == host_of(n))
			continue;
		n->n_copies++;
		end_ms = copy(at_ms, index, i);
		if (end_ms > done_ms)
			done_ms = end_ms;
	}
	return done_ms;
}

/* Runs a node whose dependencies have ended at this time. */
static void
run(uint32_t at_ms, uint32_t index)
{
	struct node *n = &nodes[index];

	if (free_ms[n->worker] > at_ms)
		at_ms = free_ms[n->worker];
	at_ms += 1 + below(10);
	add_event(at_ms, DEPLOY, index, below(200));
	add_event(at_ms += 10 + below(100), DEPLOYED, index, 0);
	at_ms = copy_deps(at_ms, index);
	add_event(at_ms += 1 + below(10), STARTED, index, 0);
	at_ms += n->type == TYPE_TS ? magnitude(8, 17) : magnitude(6, 14);
	add_event(at_ms, FINISHED, index, 0);
	free_ms[n->worker] = n->end_ms = at_ms;
}

static void
simulate(void)
{
	struct node *n;
	uint32_t ready_ms;

	for (uint32_t w = 0; w < n_workers; w++)
		prepare_worker(w);
	for (uint32_t i = 0; i < n_nodes; i++) {
		n = &nodes[i];
		ready_ms = 0;
		for (uint32_t d = 0; d < n->n_deps; d++)
			if (dep_of(n, d)->end_ms > ready_ms)
				ready_ms = dep_of(n, d)->end_ms;
		n->worker = (uint16_t)pick_worker(n, ready_ms);
		if (n->cached) {
			n->end_ms = ready_ms + 1 + below(100);
			add_event(n->end_ms, FINISHED_FROM_CACHE, i, 0);
		} else
			run(ready_ms, i);
		if (i % 10000 == 0)
			add_event(n->end_ms, HEARTBEAT, n->worker, 0);
	}
}

/* Sorts by sort_ms.  It is a radix sort, because qsort(3) is not stable. */
static void
sort_events(void)
{
	static size_t start[1 << 16];
	struct event *from = events, *to, *swap;
	size_t total, count;

	to = resize(NULL, n_events, sizeof *to);
	for (unsigned shift = 0; shift < 32; shift += 16) {
		memset(start, 0, sizeof start);
		for (size_t i = 0; i < n_events; i++)
			start[from[i].sort_ms >> shift & 0xffff]++;
		total = 0;
		for (size_t i = 0; i < LEN(start); i++) {
			count = start[i];
			start[i] = total;
			total += count;
		}
		for (size_t i = 0; i < n_events; i++)
			to[start[from[i].sort_ms >> shift & 0xffff]++] =
			    from[i];
		swap = from;
		from = to;
		to = swap;
	}
	events = from;
	free(to);
}

/*
 * Writing.
 */

#define UID	"%016" PRIx64 "%016" PRIx64
#define UID_OF(n)	(n)->uid[0], (n)->uid[1]

static FILE *
create(const char *path)
{
	FILE *fp;

	if ((fp = fopen(path, "w")) == NULL)
		fail("cannot create '%s': %s", path, strerror(errno));
	setvbuf(fp, NULL, _IOFBF, 1 << 20);
	return fp;
}

static void
finish(FILE *fp, const char *path)
{
	bool failed = ferror(fp) != 0;

	if (fclose(fp) != 0 || failed)
		fail("cannot write '%s'", path);
}

static void
write_field(FILE *fp, char field, const struct event *e, const struct node *n,
    const struct node *dep)
{
	if (field == 'c')
		field = n->by_worker ? 'w' : 'h';
	switch (field) {
	case 'u': fprintf(fp, " " UID, UID_OF(n)); break;
	case 'd': fprintf(fp, " " UID, UID_OF(dep)); break;
	case 'h': fprintf(fp, " %s", hosts[host_of(n)]); break;
	case 'o': fprintf(fp, " %s", hosts[host_of(dep)]); break;
	case 'z': fprintf(fp, " %" PRIu32, n->size_bytes); break;
	case 'Z': fprintf(fp, " %" PRIu32, dep->size_bytes); break;
	case 'w': fprintf(fp, " %d", n->worker + 1); break;
	case 's': fprintf(fp, " %d", n->status); break;
	case 'n': fprintf(fp, " %d", n->n_copies); break;
	case 'r': fprintf(fp, " %d", e->arg); break;
	case 'W': fprintf(fp, " %" PRIu32, e->subject + 1); break;
	case 'p': fprintf(fp, " %s", patterns[e->arg]); break;
	default: fputc(' ', fp); break;		/* empty */
	}
}

static void
write_event(FILE *fp, const struct event *e)
{
	const struct node *n = NULL, *dep = NULL;

	/*
	 * Kinds from DEPLOY on have a node, and those from DEP_WAIT on also a
	 * dependency; but HEARTBEAT has neither.
	 */
	if (e->kind >= DEPLOY && e->kind < HEARTBEAT)
		n = &nodes[e->subject];
	if (e->kind >= DEP_WAIT && e->kind < HEARTBEAT)
		dep = dep_of(n, e->arg);
	fprintf(fp, "%" PRIu64 " %s",
	    BUILD_START_MS + e->sort_ms - e->jitter_ms, kinds[e->kind].name);
	for (const char *field = kinds[e->kind].fields; *field != '\0'; field++)
		write_field(fp, *field, e, n, dep);
	fputc('\n', fp);
}

static void
write_log(const char *path)
{
	FILE *fp;

	fp = create(path);
	for (size_t i = 0; i < n_events; i++)
		write_event(fp, &events[i]);
	finish(fp, path);
}

static void
write_node(FILE *fp, uint32_t index)
{
	const struct node *n = &nodes[index];
	const struct type *type = &types[n->type];
	bool test = n->type == TYPE_TS;
	char path[48];

	fprintf(fp, "{\"uid\": \"" UID "\", \"deps\": [", UID_OF(n));
	for (uint32_t i = 0; i < n->n_deps; i++)
		fprintf(fp, "%s\"" UID "\"", i > 0 ? ", " : "",
		    UID_OF(dep_of(n, i)));
	snprintf(path, sizeof path, "module%" PRIu32 "/dir%" PRIu32 "/",
	    index / 1000, index / 40);
	fprintf(fp, "], \"inputs\": [\"$(S)/%sf%" PRIu32 ".%s\"", path, index,
	    type->input);
	if (index % 2 == 0)
		fprintf(fp, ", \"$(S)/%sya.make\"", path);
	fprintf(fp, "], \"outputs\": [\"$(B)/%sf%" PRIu32 ".%s\"], ", path,
	    index, type->output);
	fprintf(fp, "\"kv\": {\"p\": \"%s\", \"pc\": \"green\"%s}, "
	    "\"tags\": [], \"platform\": \"default-linux-x86_64\", %s"
	    "\"target_properties\": {\"module_lang\": \"cpp\"}}", type->name,
	    test ? ", \"run_test_node\": true" : "",
	    test ? "\"node-type\": \"test\", " : "");
}

/*
 * Writes the nodes in reverse order, so that a reader sees a uid in "deps"
 * before the node itself.
 */
static void
write_graph(const char *path)
{
	const char *separator = "\n";
	FILE *fp;

	fp = create(path);
	fputs("{\"graph\": [", fp);
	for (uint32_t i = n_nodes; i-- > 0; separator = ",\n") {
		fputs(separator, fp);
		write_node(fp, i);
	}
	fputs("\n], \"result\": [", fp);
	separator = "";
	for (uint32_t i = 0; i < n_nodes; i++)
		if (!nodes[i].needed) {
			fprintf(fp, "%s\"" UID "\"", separator,
			    UID_OF(&nodes[i]));
			separator = ", ";
		}
	fputs("]}\n", fp);
	finish(fp, path);
}

static void
usage(void)
{
	fputs("usage: distbuild [-s SEED] NODES LOG-FILE GRAPH-FILE\n", stderr);
	exit(2);
}

int
main(int argc, char **argv)
{
	int c;

	generator = "distbuild";
	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			usage();
		random_state = number(optarg, 0, UINT64_MAX);
	}
	if (argc - optind != 3)
		usage();
	n_nodes = (uint32_t)number(argv[optind], 1, MAX_NODES);

	make_graph();
	make_hosts();
	simulate();
	sort_events();
	write_log(argv[optind + 1]);
	write_graph(argv[optind + 2]);
	fprintf(stderr, "%zu events, %" PRIu32 " runs, %" PRIu32 " copies, %"
	    PRIu32 " prepares, %" PRIu32 " edges\n", n_events, n_nodes,
	    n_copies, n_prepares, n_edges);
	return 0;
}
