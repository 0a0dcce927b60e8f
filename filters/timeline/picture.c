/* picture - arranges the tasks of a build in lanes */

#include <stdlib.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/build/build-names.h"
#include "common/build/build.h"
#include "common/build/lanes.h"
#include "common/build/paths.h"
#include "common/build/sweep.h"
#include "common/report/svg.h"
#include "filters/timeline/timeline.h"

/* With more lanes, those of each host and class become one. */
enum { LANES_MAX = 600 };

/* More lanes of copies or prepares than this become one. */
enum { OTHER_LANES_MAX = 2 };

/* With more steps of paths and failed tasks, the short ones are merged. */
enum { MARKED_MAX = 2000 };

enum { TEXT_BYTES_MAX = 300 };

/* Copies are gray and the last color, for the rest, is blue. */
const unsigned picture_colors[N_COLORS] = { SVG_SKY, SVG_ORANGE, SVG_GREEN,
    SVG_YELLOW, SVG_PURPLE, SVG_GRAY, SVG_BLUE };
enum { COLOR_COPY = N_COLORS - 2, COLOR_REST = N_COLORS - 1 };

enum { THREAD, SLACK };
const char *const picture_keys[] = { "thread", "slack_us", NULL };

/* A task to be drawn, before it has a lane. */
struct item {
	int64_t start_us, end_us;	/* since the start of the build */
	uint32_t task, host, lane;
	enum lane_class class;
};

/* A host or a thread of the build that is added. */
struct place {
	struct span name;
	int64_t thread;			/* its number, or INT_UNKNOWN */
};

struct arranger {
	struct pictures *all;
	struct picture *p;
	struct build *build;
	struct item *items;
	size_t n;
	struct place *places;
	size_t n_places, places_cap;
	uint32_t *place_of;		/* by symbol of a host; after these by
					   that of a thread; last of neither */
	uint32_t *n_attempts;		/* by the first task of an id */
	uint32_t *bar_of_task;		/* INDEX_NONE: it is not drawn */
};

/* Keeps a text in the form in which it is shown, which has its width. */
static struct span
keep_text(struct pictures *all, struct span text)
{
	char shown[TEXT_BYTES_MAX + 1];

	return arena_span(&all->arena, span_of(shown,
	    text_escape(shown, sizeof shown, text.p, text.n)));
}

void
pictures_init(struct pictures *p)
{
	*p = (struct pictures){ 0 };
	intern_init(&p->types);
}

void
pictures_release(struct pictures *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->list[i].bars);
		free(p->list[i].texts);
		free(p->list[i].hosts);
		free(p->list[i].lanes);
		free(p->list[i].path);
	}
	free(p->list);
	free(p->type_list);
	intern_release(&p->types);
	arena_release(&p->arena);
}

/* --- places --------------------------------------------------------------- */

/* The host of a task; else its thread; else the one place without a name. */
static uint32_t
find_place(struct arranger *a, const struct task *t)
{
	const struct build *b = a->build;
	sym thread = t->host != SYM_NONE ? SYM_NONE :
	    build_value(b, t, THREAD);
	sym name = t->host != SYM_NONE ? t->host : thread;
	struct place new = { .thread = INT_UNKNOWN };
	uint32_t *place = &a->place_of[2 * b->names.n];

	if (name != SYM_NONE)
		place = &a->place_of[name + (thread == name ? b->names.n : 0)];
	if (*place != INDEX_NONE)
		return *place;
	if (name != SYM_NONE)
		new.name = intern_span(&b->names, name);
	if (thread != SYM_NONE)
		text_i64(new.name, &new.thread);
	a->places = mem_grow(a->places, &a->places_cap, a->n_places + 1,
	    sizeof *a->places);
	a->places[a->n_places] = new;
	return *place = (uint32_t)a->n_places++;
}

static int
compare_places(const void *a, const void *b, void *context)
{
	const uint32_t *x = a, *y = b;
	const struct place *places = context;

	return text_compare_numbers(places[*x].name, places[*y].name);
}

/* Names the hosts, and changes the items' places to the indexes of hosts. */
static void
add_hosts(struct arranger *a)
{
	uint32_t *order = mem_resize(NULL, a->n_places, sizeof *order);
	uint32_t *rank = mem_resize(NULL, a->n_places, sizeof *rank);
	struct picture *p = a->p;
	struct buf name = { 0 };

	for (uint32_t i = 0; i < a->n_places; i++)
		order[i] = i;
	sort_with(order, a->n_places, sizeof *order, compare_places,
	    a->places);
	p->hosts = mem_zero(a->n_places, sizeof *p->hosts);
	p->n_hosts = a->n_places;
	for (uint32_t i = 0; i < a->n_places; i++) {
		const struct place *place = &a->places[order[i]];

		rank[order[i]] = i;
		name.len = 0;
		if (place->thread != INT_UNKNOWN) {
			buf_str(&name, "thread ");
			p->has_threads = true;
		}
		buf_add(&name, place->name.p, place->name.n);
		p->hosts[i] = keep_text(a->all, buf_span(&name));
	}
	for (size_t i = 0; i < a->n; i++)
		a->items[i].host = rank[a->items[i].host];
	buf_release(&name);
	free(rank);
	free(order);
}

/* --- tasks ---------------------------------------------------------------- */

static bool
is_drawn(const struct task *t)
{
	return t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN &&
	    !(t->flags & TASK_TOTAL) && t->end_us >= t->start_us;
}

static void
collect_items(struct arranger *a)
{
	struct build *b = a->build;
	struct picture *p = a->p;
	const struct task *t = b->tasks;
	int64_t origin_us = b->start_us;

	for (size_t i = 0; i < b->n_tasks; i++)
		if (is_drawn(&t[i]))
			origin_us = time_earlier(origin_us, t[i].start_us);
	p->wall_us = 1;		/* a width, even if nothing took time */
	if (b->end_us != INT_UNKNOWN && b->end_us > origin_us)
		p->wall_us = b->end_us - origin_us;

	a->items = mem_resize(NULL, b->n_tasks, sizeof *a->items);
	a->n_attempts = mem_zero(b->n_tasks, sizeof *a->n_attempts);
	a->place_of = mem_ones(2 * b->names.n + 1, sizeof *a->place_of);
	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->flags & TASK_SUPERSEDED)
			continue;
		a->n_attempts[build_find_task(b, t->id)]++;
		if (!is_drawn(t)) {
			p->n_left_out++;
			continue;
		}
		a->items[a->n++] = (struct item){ t->start_us - origin_us,
		    t->end_us - origin_us, i, find_place(a, t), 0,
		    t->kind == b->copy ? LANE_COPY :
		    t->kind == b->prepare ? LANE_PREPARE : LANE_RUN };
		p->wall_us = time_later(p->wall_us, t->end_us - origin_us);
	}
}

/* By host, class and start; then the longest and, of equals, the first by id */
static int
compare_items(const void *a, const void *b, void *context)
{
	const struct item *x = a, *y = b;
	const struct build *build = context;

	if (x->host != y->host)
		return cmp_u64(x->host, y->host);
	if (x->class != y->class)
		return (int)x->class - (int)y->class;
	if (x->start_us != y->start_us)
		return cmp_i64(x->start_us, y->start_us);
	if (x->end_us != y->end_us)
		return cmp_i64(y->end_us, x->end_us);
	return build_compare_tasks(build, &build->tasks[x->task],
	    &build->tasks[y->task]);
}

/*
 * Makes the lanes.  The items of one host and class share one lane if they need
 * more than n_max, or more than OTHER_LANES_MAX if they are not runs.
 */
static void
make_lanes(struct arranger *a, uint32_t n_max)
{
	size_t cap = 0, next;
	struct picture *p = a->p;

	free(p->lanes);
	p->lanes = NULL;
	p->n_lanes = 0;
	for (size_t i = 0; i < a->n; i = next) {
		const struct item *of = &a->items[i];
		uint32_t limit = of->class != LANE_RUN &&
		    n_max > OTHER_LANES_MAX ? OTHER_LANES_MAX : n_max;
		uint32_t first = (uint32_t)p->n_lanes, n;
		struct lanes lanes = { 0 };
		struct item *item;

		/* A task that took no time needs a place, too. */
		for (next = i; next < a->n && a->items[next].host == of->host &&
		    a->items[next].class == of->class; next++) {
			item = &a->items[next];
			item->lane = lanes_add(&lanes, item->start_us,
			    time_later(item->end_us, item->start_us + 1));
		}
		lanes_release(&lanes);
		n = lanes.n > limit ? 1 : lanes.n;

		p->lanes = mem_grow(p->lanes, &cap, p->n_lanes + n,
		    sizeof *p->lanes);
		for (uint32_t k = 0; k < n; k++)
			p->lanes[p->n_lanes++] = (struct lane){ of->host,
			    of->class, lanes.n > limit ? lanes.n : 1, 0, 0 };
		for (size_t k = i; k < next; k++)
			a->items[k].lane = first +
			    (lanes.n > limit ? 0 : a->items[k].lane);
	}
}

/* --- bars ----------------------------------------------------------------- */

/* The number of a type among those of all pictures. */
static uint32_t
intern_type(struct pictures *all, struct span name)
{
	sym type = intern_add(&all->types, keep_text(all, name));
	size_t had = all->types_cap;

	all->type_list = mem_grow(all->type_list, &all->types_cap, type + 1,
	    sizeof *all->type_list);
	for (; had < all->types_cap; had++)
		all->type_list[had] = (struct type){ 0 };
	return type;
}

/*
 * The type of a task.  numbers maps the build's symbols to types, as far as
 * they are known.
 */
static uint32_t
type_of(struct arranger *a, const struct task *t, struct column *numbers)
{
	sym name = build_type(a->build, t), number;

	if (name == SYM_NONE)
		return intern_type(a->all, span_str("run"));
	number = column_get(numbers, name);
	if (number == SYM_NONE) {
		number = intern_type(a->all, intern_span(&a->build->names,
		    name));
		column_set(numbers, name, number);
	}
	return number;
}

/* Makes the bars, by lane: a counting sort, which keeps the order by start. */
static void
make_bars(struct arranger *a)
{
	struct picture *p = a->p;
	struct column types = { 0 };
	struct lane *lane;
	size_t first = 0;

	p->bars = mem_resize(NULL, a->n, sizeof *p->bars);
	p->n_bars = a->n;
	for (size_t i = 0; i < a->n; i++)
		p->lanes[a->items[i].lane].n++;
	for (lane = p->lanes; lane < p->lanes + p->n_lanes; lane++) {
		lane->first = first;
		first += lane->n;
		lane->n = 0;
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct item *item = &a->items[i];
		const struct task *t = &a->build->tasks[item->task];
		uint32_t type = type_of(a, t, &types);
		int64_t elapsed_us = item->end_us - item->start_us;
		int64_t *busy_us = &a->all->type_list[type].busy_us;
		size_t bar;

		lane = &p->lanes[item->lane];
		bar = lane->first + lane->n++;
		a->bar_of_task[item->task] = (uint32_t)bar;
		p->bars[bar] = (struct bar){ item->start_us, item->end_us,
		    INT_UNKNOWN, INT_UNKNOWN, item->lane, 0, INDEX_NONE,
		    type, t->flags & TASK_CACHED, t->flags & TASK_FAILED };
		p->busy_us = saturating_add(p->busy_us, elapsed_us);
		*busy_us = saturating_add(*busy_us, elapsed_us);
	}
	free(types.values);
}

static void
add_text(struct arranger *a, uint32_t task)
{
	struct pictures *all = a->all;
	struct picture *p = a->p;
	const struct build *b = a->build;
	const struct task *t = &b->tasks[task];
	struct bar *bar = &p->bars[a->bar_of_task[task]];
	sym target = build_target(b, t), slack = build_value(b, t, SLACK);
	struct bar_text *text;
	struct buf id = { 0 };

	if (bar->text != INDEX_NONE)
		return;
	p->texts = mem_grow(p->texts, &p->texts_cap, p->n_texts + 1,
	    sizeof *p->texts);
	bar->text = (uint32_t)p->n_texts;
	text = &p->texts[p->n_texts++];
	build_put_id(b, t, &id);
	text->id = keep_text(all, buf_span(&id));
	buf_release(&id);
	text->name = keep_text(all, build_name(b, t));
	/* The ids of instructions say nothing, unlike what they do. */
	if (p->has_threads && span_compare(text->name, text->id) == 0)
		text->name = keep_text(all, intern_span(&all->types,
		    bar->type));
	text->target = target == SYM_NONE ? span_of("", 0) :
	    keep_text(all, intern_span(&b->names, target));
	if (slack == SYM_NONE || !text_i64(intern_span(&b->names, slack),
	    &text->slack_us) || text->slack_us < 0)
		text->slack_us = INT_UNKNOWN;
	text->n_attempts = a->n_attempts[build_find_task(b, t->id)];
	text->attempt = text->n_attempts > 1 ? t->attempt : 1;
}

static void
mark_path(struct arranger *a, const struct path_step *steps, size_t n)
{
	struct picture *p = a->p;

	p->path = mem_resize(NULL, n, sizeof *p->path);
	p->has_path = n > 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t bar = a->bar_of_task[steps[i].task];

		if (bar == INDEX_NONE)		/* it has no times */
			continue;
		p->bars[bar].step = (uint32_t)i + 1;
		p->bars[bar].waiting_us = steps[i].waiting_us;
		p->bars[bar].potential_us = steps[i].potential_us;
		p->path[p->n_path++] = bar;
		p->path_us += bar_length_us(&p->bars[bar]);
		add_text(a, steps[i].task);
	}
}

/* Adds the texts of the n_texts longest tasks and of those that failed. */
static void
add_texts(struct arranger *a, size_t n_texts)
{
	const struct bar *bars = a->p->bars;
	int64_t length_us = -1;		/* bars that are longer have texts */
	uint64_t *lengths;

	if (n_texts < a->n) {
		lengths = mem_resize(NULL, a->n, sizeof *lengths);
		for (size_t i = 0; i < a->n; i++)
			lengths[i] = (uint64_t)bar_length_us(&bars[i]);
		sort_u64(lengths, a->n);
		length_us = (int64_t)lengths[a->n - 1 - n_texts];
		free(lengths);
	}
	for (size_t i = 0; i < a->n; i++) {
		const struct bar *bar =
		    &bars[a->bar_of_task[a->items[i].task]];

		if (bar_length_us(bar) > length_us || bar->has_failed)
			add_text(a, a->items[i].task);
	}
}

/* At least 1, even if no task took time: pictures are scaled by it. */
static uint32_t
most_running(const struct picture *p)
{
	struct sweep s = { 0 };
	struct sweep_event e;
	uint32_t most = 1, n = 0;

	for (size_t i = 0; i < p->n_bars; i++)
		if (bar_length_us(&p->bars[i]) > 0)
			sweep_add(&s, p->bars[i].start_us, p->bars[i].end_us,
			    0);
	sweep_sort(&s);
	while (sweep_next(&s, &e)) {
		n += (uint32_t)e.change;
		if (n > most)
			most = n;
	}
	sweep_release(&s);
	return most;
}

void
pictures_add(struct pictures *all, struct build *b,
    const struct path_step *steps, size_t n_steps, size_t n_texts)
{
	struct arranger a = { .all = all, .build = b };
	struct picture *p;

	all->list = mem_grow(all->list, &all->cap, all->n + 1,
	    sizeof *all->list);
	p = a.p = &all->list[all->n++];
	*p = (struct picture){ 0 };
	if (b->run_name != NULL)
		p->run = keep_text(all, span_str(b->run_name)).p;

	collect_items(&a);
	add_hosts(&a);
	sort_with(a.items, a.n, sizeof *a.items, compare_items, b);
	make_lanes(&a, UINT32_MAX);
	if (p->n_lanes > LANES_MAX)
		make_lanes(&a, 1);

	a.bar_of_task = mem_ones(b->n_tasks, sizeof *a.bar_of_task);
	make_bars(&a);
	mark_path(&a, steps, n_steps);
	add_texts(&a, n_texts);
	p->n_running_max = most_running(p);
	all->wall_us = time_later(all->wall_us, p->wall_us);

	free(a.items);
	free(a.places);
	free(a.place_of);
	free(a.n_attempts);
	free(a.bar_of_task);
}

/* The type with the most time that has no color yet, or SYM_NONE. */
static sym
next_type(const struct pictures *all)
{
	const struct type *list = all->type_list;
	sym best = SYM_NONE;

	for (sym i = 0; i < all->types.n; i++)
		if (list[i].color == COLOR_REST && (best == SYM_NONE ||
		    list[i].busy_us > list[best].busy_us ||
		    (list[i].busy_us == list[best].busy_us &&
		    intern_cmp(&all->types, i, best) < 0)))
			best = i;
	return best;
}

void
pictures_rank(struct pictures *all)
{
	sym type, copy = intern_find(&all->types, span_str("copy"));
	size_t n_marked = 0;

	for (sym i = 0; i < all->types.n; i++)
		all->type_list[i].color = i == copy ? COLOR_COPY : COLOR_REST;
	for (unsigned color = 0; color < COLOR_COPY; color++) {
		type = next_type(all);
		if (type == SYM_NONE)
			break;
		all->type_list[type].color = color;
	}
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].n_bars; k++)
			n_marked += all->list[i].bars[k].step > 0 ||
			    all->list[i].bars[k].has_failed;
	all->merges_marked = n_marked > MARKED_MAX;
}
