/* samples - the samples of each key */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "filters/perf-diff/samples.h"

const char *const part_names[N_PARTS] = { "uid", "resource_type", "subtype",
    "unit", "cmd", "workload", "machine", "trace" };

static struct span
parts_of(const void *owner, uint32_t index)
{
	const struct samples *s = owner;

	return span_bytes(s->keys[index].parts, sizeof s->keys->parts);
}

void
samples_init(struct samples *s)
{
	*s = (struct samples){ .head = INDEX_NONE, .last_text = SYM_NONE,
	    .last_base = SYM_NONE, .last_unit = { 1, 1, false, false } };
	intern_init(&s->texts);
	intern_init(&s->ids);
	map_init(&s->map, parts_of, s);
}

void
samples_release(struct samples *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->keys[i].list);
	free(s->keys);
	free(s->versions);
	map_release(&s->map);
	intern_release(&s->texts);
	intern_release(&s->ids);
	arena_release(&s->arena);
}

/* Most samples have the unit of the one before. */
static struct unit
unit_of(struct samples *s, sym text)
{
	struct buf base = { 0 };

	if (text != s->last_text) {
		s->last_unit = unit_read(samples_text(s, text), &base);
		s->last_base = text == SYM_NONE ? SYM_NONE :
		    intern_add(&s->texts, buf_span(&base));
		s->last_text = text;
		buf_release(&base);
	}
	return s->last_unit;
}

uint32_t
samples_key(struct samples *s, const sym parts[N_PARTS])
{
	struct unit unit = unit_of(s, parts[PART_UNIT]);
	struct key new = { .unit_text = parts[PART_UNIT], .unit = unit,
	    .more_is_better = unit.is_rate };
	uint32_t key;

	memcpy(new.parts, parts, sizeof new.parts);
	new.parts[PART_UNIT] = s->last_base;
	s->keys = mem_grow(s->keys, &s->cap, s->n + 1, sizeof *s->keys);
	key = map_find_or_add(&s->map, span_bytes(new.parts,
	    sizeof new.parts), (uint32_t)s->n);
	if (key == s->n)
		s->keys[s->n++] = new;
	return key;
}

void
samples_add(struct samples *s, uint32_t key, double value, sym text,
    bool exact, uint32_t version)
{
	struct key *k = &s->keys[key];
	struct unit unit;

	if (text != k->unit_text) {
		unit = unit_of(s, text);
		value = value * (unit.times * k->unit.per) /
		    (unit.per * k->unit.times);
	}
	k->list = mem_grow(k->list, &k->cap, k->n + 1, sizeof *k->list);
	k->list[k->n++] = (struct sample){ value, version };
	k->n_exact += exact;
	s->n_samples++;
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
samples_part(const struct samples *s, const struct key *k, enum part part)
{
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

bool
samples_differ_in(const struct samples *s, uint32_t a, uint32_t b,
    enum part part)
{
	for (unsigned i = 0; i < N_PARTS; i++)
		if (i != part && s->keys[a].parts[i] != s->keys[b].parts[i])
			return false;
	return true;
}
