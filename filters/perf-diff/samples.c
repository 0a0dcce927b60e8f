/* samples - the samples of each key */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "filters/perf-diff/samples.h"

const char *const part_names[N_PARTS] = { "uid", "resource_type", "subtype",
    "unit", "cmd", "workload", "machine" };

static struct span
parts_of(const void *owner, uint32_t index)
{
	const struct samples *s = owner;

	return span_bytes(s->keys[index].parts, sizeof s->keys->parts);
}

void
samples_init(struct samples *s)
{
	*s = (struct samples){ .head = INDEX_NONE };
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
}

uint32_t
samples_key(struct samples *s, const sym parts[N_PARTS])
{
	struct span text = span_bytes(parts, sizeof s->keys->parts);
	uint32_t key;

	s->keys = mem_grow(s->keys, &s->cap, s->n + 1, sizeof *s->keys);
	key = map_find_or_add(&s->map, text, (uint32_t)s->n);
	if (key < s->n)
		return key;
	s->keys[s->n] = (struct key){ .n = 0 };
	memcpy(s->keys[s->n++].parts, text.p, text.n);
	return key;
}

void
samples_add(struct samples *s, uint32_t key, double value, uint32_t version)
{
	struct key *k = &s->keys[key];

	k->list = mem_grow(k->list, &k->cap, k->n + 1, sizeof *k->list);
	k->list[k->n++] = (struct sample){ value, version };
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
	s->versions[version] = (struct version){ .parent = INDEX_NONE,
	    .time_s = INT_UNKNOWN };
	return version;
}

struct span
samples_part(const struct samples *s, const struct key *k, enum part part)
{
	sym text = k->parts[part];

	return text == SYM_NONE ? span_of("", 0) :
	    intern_span(&s->texts, text);
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
