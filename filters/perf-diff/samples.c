/* samples - the samples of each key */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/base/sort.h"
#include "common/stats/values.h"
#include "filters/perf-diff/perf-diff.h"

static struct span
parts_of(const void *owner, uint32_t index)
{
	const struct samples *s = owner;

	return span_bytes(s->keys[index].parts, sizeof s->keys->parts);
}

void
samples_init(struct samples *s, bool of_sides)
{
	*s = (struct samples){ .of_sides = of_sides, .head = INDEX_NONE,
	    .last_text = SYM_NONE, .last_base = SYM_NONE,
	    .last_unit = { 1, 1, false, false, 0 } };
	intern_init(&s->texts);
	intern_init(&s->ids);
	map_init(&s->map, parts_of, s);
}

/* The program of a command; its arguments are behind it. */
static struct span
program_of(struct span command)
{
	const char *end = command.n > 0 ? memchr(command.p, ' ', command.n) :
	    NULL;

	return end == NULL ? command :
	    span_of(command.p, (size_t)(end - command.p));
}

/* A command without the folder of its program. */
static sym
name_of_command(struct samples *s, sym command)
{
	struct span text = samples_text(s, command);
	struct span name = span_base_name(program_of(text));

	return name.n == text.n ? command : intern_add(&s->texts,
	    span_of(name.p, (size_t)(text.p + text.n - name.p)));
}

/* Notes the command or the machine of a side. */
static void
note_place(sym *place, sym new)
{
	if (*place == PLACE_UNSET)
		*place = new;
	else if (*place != new)
		*place = PLACE_SEVERAL;
}

struct key *
samples_add(struct samples *s, const sym parts[N_PARTS], struct sample sample,
    bool exact)
{
	struct unit *unit = &s->last_unit;
	sym text = parts[PART_UNIT];
	struct key new = { .unit_text = text,
	    .commands = { PLACE_UNSET, PLACE_UNSET },
	    .machines = { PLACE_UNSET, PLACE_UNSET } }, *k;
	struct buf base = { 0 };
	uint32_t key;

	/* Most samples have the unit of the one before. */
	if (text != s->last_text) {
		*unit = unit_read(samples_text(s, text), &base);
		s->last_base = text == SYM_NONE ? SYM_NONE :
		    intern_add(&s->texts, buf_span(&base));
		s->last_text = text;
		buf_release(&base);
	}

	new.unit = *unit;
	new.more_is_better = unit->is_rate;
	memcpy(new.parts, parts, sizeof new.parts);
	new.parts[PART_UNIT] = s->last_base;
	if (s->of_sides) {
		new.parts[PART_MACHINE] = SYM_NONE;
		new.parts[PART_CMD] = name_of_command(s, parts[PART_CMD]);
	}
	s->keys = mem_grow(s->keys, &s->cap, s->n + 1, sizeof *s->keys);
	key = map_find_or_add(&s->map, span_bytes(new.parts,
	    sizeof new.parts), (uint32_t)s->n);
	if (key == s->n)
		s->keys[s->n++] = new;
	k = &s->keys[key];
	if (s->of_sides) {
		note_place(&k->commands[sample.version], parts[PART_CMD]);
		note_place(&k->machines[sample.version], parts[PART_MACHINE]);
	}
	if (text != k->unit_text)
		sample.value = sample.value * (unit->times * k->unit.per) /
		    (unit->per * k->unit.times);
	k->list = mem_grow(k->list, &k->cap, k->n + 1, sizeof *k->list);
	k->list[k->n++] = sample;
	k->n_exact += exact;
	s->n_samples++;
	return k;
}

/* The side of all samples of a key, or INDEX_NONE. */
static uint32_t
side_of(const struct key *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (k->list[i].version != k->list[0].version)
			return INDEX_NONE;
	return k->list[0].version;
}

/* Moves the samples of the new side to the key of the old one, which gets the
   other's name. */
static void
join(struct key *old, struct key *new)
{
	for (size_t i = 0; i < new->n; i++) {
		old->list = mem_grow(old->list, &old->cap, old->n + 1,
		    sizeof *old->list);
		old->list[old->n] = new->list[i];
		old->list[old->n++].value *= (new->unit.times * old->unit.per) /
		    (new->unit.per * old->unit.times);
	}
	old->n_exact += new->n_exact;
	memcpy(old->parts, new->parts, sizeof old->parts);
	old->commands[SIDE_NEW] = new->commands[SIDE_NEW];
	old->machines[SIDE_NEW] = new->machines[SIDE_NEW];
	new->n = 0;
}

void
samples_join_sides(struct samples *s, enum part part)
{
	/* Keys that have all but the part in common: one of each side. */
	struct group {
		uint32_t keys[2];
		size_t n;
	} *groups = mem_zero(s->n, sizeof *groups), *g;
	struct intern names;
	sym parts[N_PARTS];
	struct span rest;
	uint32_t side;
	size_t n;

	intern_init(&names);
	for (uint32_t key = 0; key < s->n; key++) {
		if (s->keys[key].n == 0)
			continue;
		memcpy(parts, s->keys[key].parts, sizeof parts);
		rest = samples_text(s, parts[part]);
		n = part == PART_CMD ? program_of(rest).n : rest.n;
		parts[part] = n == rest.n ? SYM_NONE : intern_add(&s->texts,
		    span_of(rest.p + n, rest.n - n));
		g = &groups[intern_add(&names, span_bytes(parts,
		    sizeof parts))];
		if (g->n++ == 0)
			g->keys[SIDE_OLD] = g->keys[SIDE_NEW] = INDEX_NONE;
		side = side_of(&s->keys[key]);
		if (side != INDEX_NONE)
			g->keys[side] = key;
	}
	for (g = groups; g < groups + names.n; g++)
		if (g->n == 2 && g->keys[SIDE_OLD] != INDEX_NONE &&
		    g->keys[SIDE_NEW] != INDEX_NONE)
			join(&s->keys[g->keys[SIDE_OLD]],
			    &s->keys[g->keys[SIDE_NEW]]);
	intern_release(&names);
	free(groups);
}

double
samples_value(const struct key *k, double *values, size_t n, bool best)
{
	values_sort(values, n);
	return !best ? values_median_sorted(values, n) :
	    values[k->more_is_better ? n - 1 : 0];
}

/* Of equal runs the samples in the order of the input. */
size_t
samples_find_runs(const struct key *k, const struct sample *list, size_t n,
    bool best, bool within, double *values)
{
	uint64_t *order;
	double *room;
	size_t n_runs = 0, end, size;

	for (end = 0; end < n && (within || list[end].run == SYM_NONE); end++)
		values[end] = list[end].value;
	if (end == n)
		return n;
	order = mem_table(n, sizeof *order);
	room = mem_table(2 * n, sizeof *room);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint64_t)list[i].run << 32 | i;
	sort_u64(order, n);
	for (size_t i = 0; i < n; i = end) {
		size = 0;
		for (end = i; end < n && (end == i || (list[(uint32_t)
		    order[i]].run != SYM_NONE && order[end] >> 32 ==
		    order[i] >> 32)); end++)
			room[n + size++] = list[(uint32_t)order[end]].value;
		room[n_runs] = samples_value(k, room + n, size, best);
		/* Runs are in the order of their first samples. */
		order[n_runs] = (order[i] & UINT32_MAX) << 32 | n_runs;
		n_runs++;
	}
	sort_u64(order, n_runs);
	for (size_t i = 0; i < n_runs; i++)
		values[i] = room[(uint32_t)order[i]];
	free(order);
	free(room);
	return n_runs;
}

uint32_t
samples_version(struct samples *s, struct span id)
{
	size_t n = s->ids.n;
	uint32_t version = intern_add(&s->ids, id);

	if (version < n)
		return version;
	s->versions = mem_grow(s->versions, &s->versions_cap, n + 1,
	    sizeof *s->versions);
	s->versions[version] = (struct version){ .author = SYM_NONE,
	    .subject = SYM_NONE, .time_s = INT_UNKNOWN };
	return version;
}

struct span
samples_text(const struct samples *s, sym text)
{
	return text == SYM_NONE ? span_of("", 0) :
	    intern_span(&s->texts, text);
}

struct span
samples_part(const struct samples *s, uint32_t key, enum part part)
{
	const struct key *k = &s->keys[key];

	return samples_text(s, part == PART_UNIT ? k->unit_text :
	    k->parts[part]);
}

int
samples_compare(const struct samples *s, uint32_t a, uint32_t b)
{
	int order = 0;

	for (unsigned i = 0; i < N_PARTS && order == 0; i++)
		order = intern_cmp(&s->texts, s->keys[a].parts[i],
		    s->keys[b].parts[i]);
	return order;
}
