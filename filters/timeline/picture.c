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
#include "filters/timeline/picture.h"

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
	uint32_t task, host;
	enum lane_class class;
};

/* A host or a thread of the build that is added. */
struct place {
	struct span name;
	int64_t thread;			/* its number, or INT_UNKNOWN */
};

struct arranger {
	struct build *build;
	struct item *items;
	size_t n;
	struct place *places;
	size_t n_places, places_cap;
	uint32_t *place_of_host, *place_of_thread;	/* by symbol */
	uint32_t *rank;			/* by place: its index in hosts */
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
	struct build *b = a->build;
	sym thread = t->host != SYM_NONE ? SYM_NONE :
	    build_value(b, t, THREAD);
	uint32_t *place = t->host != SYM_NONE ? &a->place_of_host[t->host] :
	    thread != SYM_NONE ? &a->place_of_thread[thread] :
	    &a->place_of_host[b->names.n];
	struct place new = { .thread = INT_UNKNOWN };

	if (*place != INDEX_NONE)
		return *place;
	if (t->host != SYM_NONE) {
		new.name = intern_span(&b->names, t->host);
	} else if (thread != SYM_NONE) {
		new.name = intern_span(&b->names, thread);
		text_i64(new.name, &new.thread);
	}
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

static void
add_hosts(struct pictures *all, struct picture *p, struct arranger *a)
{
	uint32_t *order = mem_resize(NULL, a->n_places, sizeof *order);
	struct buf name = { 0 };

	for (uint32_t i = 0; i < a->n_places; i++)
		order[i] = i;
	sort_with(order, a->n_places, sizeof *order, compare_places,
	    a->places);
	a->rank = mem_resize(NULL, a->n_places, sizeof *a->rank);
	p->hosts = mem_zero(a->n_places, sizeof *p->hosts);
	for (uint32_t i = 0; i < a->n_places; i++) {
		const struct place *place = &a->places[order[i]];

		a->rank[order[i]] = i;
		name.len = 0;
		if (place->thread != INT_UNKNOWN) {
			buf_str(&name, "thread ");
			p->has_threads = true;
		}
		buf_add(&name, place->name.p, place->name.n);
		p->hosts[i] = keep_text(all, buf_span(&name));
	}
	p->n_hosts = a->n_places;
	buf_release(&name);
	free(order);
}

/* --- tasks ---------------------------------------------------------------- */

static bool
is_drawn(const struct task *t)
{
	return t->start_us != INT_UNKNOWN && t->end_us != INT_UNKNOWN &&
	    !(t->flags & TASK_TOTAL) && t->end_us >= t->start_us;
}

/* The start of the build, or of the first task if that is earlier. */
static int64_t
find_origin(const struct build *b)
{
	int64_t origin_us = b->start_us;

	for (size_t i = 0; i < b->n_tasks; i++)
		if (is_drawn(&b->tasks[i]))
			origin_us = time_earlier(origin_us,
			    b->tasks[i].start_us);
	return origin_us;
}

static void
collect(struct arranger *a, struct picture *p)
{
	struct build *b = a->build;
	const struct task *t = b->tasks;
	int64_t origin_us = find_origin(b);

	a->items = mem_resize(NULL, b->n_tasks, sizeof *a->items);
	a->place_of_host = mem_ones(b->names.n + 1, sizeof *a->place_of_host);
	a->place_of_thread = mem_ones(b->names.n,
	    sizeof *a->place_of_thread);
	for (uint32_t i = 0; i < b->n_tasks; i++, t++) {
		if (t->flags & TASK_SUPERSEDED)
			continue;
		if (!is_drawn(t)) {
			p->n_left_out++;
			continue;
		}
		a->items[a->n++] = (struct item){ t->start_us - origin_us,
		    t->end_us - origin_us, i, find_place(a, t),
		    t->kind == b->copy ? LANE_COPY :
		    t->kind == b->prepare ? LANE_PREPARE : LANE_RUN };
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

/* --- lanes ---------------------------------------------------------------- */

static void
add_lanes(struct picture *p, size_t *cap, const struct item *of, uint32_t n,
    uint32_t n_slots)
{
	p->lanes = mem_grow(p->lanes, cap, p->n_lanes + n, sizeof *p->lanes);
	for (uint32_t i = 0; i < n; i++)
		p->lanes[p->n_lanes++] = (struct lane){ of->host, of->class,
		    n_slots };
}

/*
 * Arranges n items of one host and class, sorted by start, in lanes from
 * p->n_lanes on; all in one lane if they need more than n_max.
 */
static void
arrange_group(struct picture *p, size_t *cap, const struct item *items,
    size_t n, uint32_t n_max, struct lane_task *tasks)
{
	uint32_t first = (uint32_t)p->n_lanes, n_lanes;

	for (size_t i = 0; i < n; i++) {
		tasks[i].start = items[i].start_us;
		/* A task that took no time needs a place, too. */
		tasks[i].end = items[i].end_us + (items[i].end_us ==
		    items[i].start_us);
	}
	n_lanes = lanes_assign(tasks, n);
	if (n_lanes > n_max)
		add_lanes(p, cap, items, 1, n_lanes);
	else
		add_lanes(p, cap, items, n_lanes, 1);
	for (size_t i = 0; i < n; i++)
		tasks[i].lane = first + (n_lanes > n_max ? 0 : tasks[i].lane);
}

/* Sets tasks[i].lane for each item; forgets how they were arranged before. */
static void
arrange(struct picture *p, const struct arranger *a, struct lane_task *tasks,
    bool is_merged)
{
	size_t cap = 0, next;

	free(p->lanes);
	p->lanes = NULL;
	p->n_lanes = 0;
	for (size_t i = 0; i < a->n; i = next) {
		const struct item *first = &a->items[i];

		for (next = i + 1; next < a->n && a->items[next].host ==
		    first->host && a->items[next].class == first->class;
		    next++)
			;
		arrange_group(p, &cap, first, next - i, is_merged ? 1 :
		    first->class == LANE_RUN ? UINT32_MAX : OTHER_LANES_MAX,
		    tasks + i);
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
 * Adds a task to its type.  numbers maps the build's symbols to types, as far
 * as they are known.
 */
static uint32_t
add_to_type(struct pictures *all, struct build *b, const struct task *t,
    int64_t elapsed_us, struct column *numbers)
{
	sym name = build_type(b, t), number;
	struct type *type;

	number = name == SYM_NONE ? intern_type(all, span_str("run")) :
	    column_get(numbers, name);
	if (number == SYM_NONE) {
		number = intern_type(all, intern_span(&b->names, name));
		column_set(numbers, name, number);
	}
	type = &all->type_list[number];
	type->busy_us = saturating_add(type->busy_us, elapsed_us);
	return number;
}

/* Makes the bars, by lane: a counting sort, which keeps the order by start. */
static void
make_bars(struct pictures *all, struct picture *p, const struct arranger *a,
    const struct lane_task *tasks, uint32_t *bar_of_task)
{
	size_t *at = mem_zero(p->n_lanes + 1, sizeof *at);
	struct column types = { 0 };

	p->bars = mem_resize(NULL, a->n, sizeof *p->bars);
	p->n_bars = a->n;
	for (size_t i = 0; i < a->n; i++)
		at[tasks[i].lane + 1]++;
	for (size_t i = 1; i <= p->n_lanes; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < a->n; i++) {
		const struct item *item = &a->items[i];
		const struct task *t = &a->build->tasks[item->task];
		int64_t elapsed_us = item->end_us - item->start_us;
		size_t bar = at[tasks[i].lane]++;

		bar_of_task[item->task] = (uint32_t)bar;
		p->bars[bar] = (struct bar){ item->start_us, item->end_us,
		    INT_UNKNOWN, INT_UNKNOWN, tasks[i].lane, 0, INDEX_NONE,
		    add_to_type(all, a->build, t, elapsed_us, &types),
		    t->flags & TASK_CACHED, t->flags & TASK_FAILED };
		p->busy_us = saturating_add(p->busy_us, elapsed_us);
	}
	free(types.values);
	free(at);
}

/* The slack of a task, which critpath has written, or INT_UNKNOWN. */
static int64_t
slack_of(const struct build *b, const struct task *t)
{
	sym slack = build_value(b, t, SLACK);
	int64_t us;

	return slack != SYM_NONE && text_i64(intern_span(&b->names, slack),
	    &us) && us >= 0 ? us : INT_UNKNOWN;
}

static void
add_text(struct pictures *all, struct picture *p, const struct build *b,
    const struct task *t, struct bar *bar)
{
	struct buf id = { 0 };
	sym target = build_target(b, t);
	struct bar_text *text;

	if (bar->text != INDEX_NONE)
		return;
	build_put_id(b, t, &id);
	p->texts = mem_grow(p->texts, &p->texts_cap, p->n_texts + 1,
	    sizeof *p->texts);
	bar->text = (uint32_t)p->n_texts;
	text = &p->texts[p->n_texts++];
	text->id = keep_text(all, buf_span(&id));
	text->name = keep_text(all, build_name(b, t));
	/* The ids of instructions say nothing, unlike what they do. */
	if (p->has_threads && span_compare(text->name, text->id) == 0)
		text->name = keep_text(all, intern_span(&all->types,
		    bar->type));
	text->target = target == SYM_NONE ? span_of("", 0) :
	    keep_text(all, intern_span(&b->names, target));
	text->slack_us = slack_of(b, t);
	buf_release(&id);
}

static void
mark_path(struct pictures *all, struct picture *p, const struct build *b,
    const struct path_step *steps, size_t n, const uint32_t *bar_of_task)
{
	p->path = mem_resize(NULL, n, sizeof *p->path);
	p->has_path = n > 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t bar = bar_of_task[steps[i].task];

		if (bar == INDEX_NONE)		/* it has no times */
			continue;
		p->bars[bar].step = (uint32_t)i + 1;
		p->bars[bar].waiting_us = steps[i].waiting_us;
		p->bars[bar].potential_us = steps[i].potential_us;
		p->path[p->n_path++] = bar;
		p->path_us += bar_length_us(&p->bars[bar]);
		add_text(all, p, b, &b->tasks[steps[i].task], &p->bars[bar]);
	}
}

/* The length of the nth longest bar, from 0; 0 if there are not so many. */
static int64_t
nth_length(const struct picture *p, size_t n)
{
	uint64_t *lengths;
	int64_t length;

	if (n >= p->n_bars)
		return 0;
	lengths = mem_resize(NULL, p->n_bars, sizeof *lengths);
	for (size_t i = 0; i < p->n_bars; i++)
		lengths[i] = (uint64_t)(p->bars[i].end_us -
		    p->bars[i].start_us);
	sort_u64(lengths, p->n_bars);
	length = (int64_t)lengths[p->n_bars - 1 - n];
	free(lengths);
	return length;
}

/* Adds the texts of the n_texts longest tasks and of those that failed. */
static void
add_texts(struct pictures *all, struct picture *p, const struct arranger *a,
    const uint32_t *bar_of_task, size_t n_texts)
{
	int64_t length = nth_length(p, n_texts);

	for (size_t i = 0; i < a->n; i++) {
		uint32_t task = a->items[i].task;
		struct bar *bar = &p->bars[bar_of_task[task]];

		if (bar_length_us(bar) > length || bar->has_failed ||
		    n_texts >= p->n_bars)
			add_text(all, p, a->build, &a->build->tasks[task], bar);
	}
}

/* Says of each task with texts which attempt of how many it is. */
static void
add_attempts(struct picture *p, const struct arranger *a,
    const uint32_t *bar_of_task)
{
	const struct build *b = a->build;
	uint32_t *n_attempts = mem_zero(b->n_tasks, sizeof *n_attempts);
	const struct task *t = b->tasks;
	const struct bar *bar;
	struct bar_text *text;

	for (size_t i = 0; i < b->n_tasks; i++, t++)
		n_attempts[build_find_task(b, t->id)] +=
		    (t->flags & TASK_SUPERSEDED) == 0;
	for (size_t i = 0; i < a->n; i++) {
		t = &b->tasks[a->items[i].task];
		bar = &p->bars[bar_of_task[a->items[i].task]];
		if (bar->text == INDEX_NONE)
			continue;
		text = &p->texts[bar->text];
		text->n_attempts = n_attempts[build_find_task(b, t->id)];
		text->attempt = text->n_attempts > 1 ? t->attempt : 1;
	}
	free(n_attempts);
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

static void
release_arranger(struct arranger *a)
{
	free(a->items);
	free(a->places);
	free(a->place_of_host);
	free(a->place_of_thread);
	free(a->rank);
}

void
pictures_add(struct pictures *all, struct build *b,
    const struct path_step *steps, size_t n_steps, size_t n_texts)
{
	struct arranger a = { .build = b };
	struct picture *p;
	struct lane_task *tasks;
	uint32_t *bar_of_task = mem_ones(b->n_tasks, sizeof *bar_of_task);

	all->list = mem_grow(all->list, &all->cap, all->n + 1,
	    sizeof *all->list);
	p = &all->list[all->n++];
	*p = (struct picture){ 0 };
	if (b->run_name != NULL)
		p->run = keep_text(all, span_str(b->run_name)).p;

	collect(&a, p);
	add_hosts(all, p, &a);
	for (size_t i = 0; i < a.n; i++)
		a.items[i].host = a.rank[a.items[i].host];
	sort_with(a.items, a.n, sizeof *a.items, compare_items, b);

	tasks = mem_resize(NULL, a.n, sizeof *tasks);
	arrange(p, &a, tasks, false);
	if (p->n_lanes > LANES_MAX)
		arrange(p, &a, tasks, true);
	make_bars(all, p, &a, tasks, bar_of_task);
	mark_path(all, p, b, steps, n_steps, bar_of_task);
	add_texts(all, p, &a, bar_of_task, n_texts);
	add_attempts(p, &a, bar_of_task);

	p->n_running_max = most_running(p);
	p->wall_us = 1;		/* a width, even if nothing took time */
	if (b->end_us != INT_UNKNOWN && b->end_us > find_origin(b))
		p->wall_us = b->end_us - find_origin(b);
	for (size_t i = 0; i < p->n_bars; i++)
		if (p->bars[i].end_us > p->wall_us)
			p->wall_us = p->bars[i].end_us;
	if (p->wall_us > all->wall_us)
		all->wall_us = p->wall_us;
	free(tasks);
	free(bar_of_task);
	release_arranger(&a);
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

static size_t
count_marked(const struct pictures *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->list[i].n_bars; k++)
			n += all->list[i].bars[k].step > 0 ||
			    all->list[i].bars[k].has_failed;
	return n;
}

void
pictures_rank(struct pictures *all)
{
	sym type, copy = intern_find(&all->types, span_str("copy"));

	for (sym i = 0; i < all->types.n; i++)
		all->type_list[i].color = i == copy ? COLOR_COPY : COLOR_REST;
	for (unsigned color = 0; color < COLOR_COPY; color++) {
		type = next_type(all);
		if (type == SYM_NONE)
			break;
		all->type_list[type].color = color;
	}
	all->merges_marked = count_marked(all) > MARKED_MAX;
}
