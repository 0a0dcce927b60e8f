/* samples - the samples of each key */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/num.h"
#include "filters/perf-diff/perf-diff.h"

/* --- units ---------------------------------------------------------------- */

/*
 * The names of units that can be converted, those of a unit between blanks: it
 * is times / per of the base.
 */
static const struct known {
	const char *names, *base;
	double times, per;
} known_units[] = {
	{ " ns nsec nanoseconds ", "s", 1, 1e9 },
	{ " us usec \xc2\xb5s \xce\xbcs microseconds ", "s", 1, 1e6 },
	{ " ms msec milliseconds ", "s", 1, 1e3 },
	{ " s sec secs second seconds ", "s", 1, 1 },
	{ " min minute minutes ", "s", 60, 1 },
	{ " h hour hours ", "s", 3600, 1 }, { " B byte bytes ", "B", 1, 1 },
	{ " kB KB ", "B", 1e3, 1 }, { " MB ", "B", 1e6, 1 },
	{ " GB ", "B", 1e9, 1 }, { " TB ", "B", 1e12, 1 },
	{ " KiB ", "B", 0x1p10, 1 }, { " MiB ", "B", 0x1p20, 1 },
	{ " GiB ", "B", 0x1p30, 1 }, { " TiB ", "B", 0x1p40, 1 },
};

/* Rates whose unit is a word, in any case. */
static const char rate_words[] = " qps fps rps tps ips pps iops bps kbps mbps "
    "gbps hz khz mhz ghz flops mflops gflops tflops mips ";

/* Is this one of the words between blanks? */
static bool
is_word(const char *words, struct span text,
    int (*compare)(const char *, const char *, size_t))
{
	for (; words[1] != '\0'; words = strchr(words + 1, ' '))
		if (compare(words + 1, text.p, text.n) == 0 &&
		    words[1 + text.n] == ' ')
			return memchr(text.p, ' ', text.n) == NULL;
	return false;
}

static const struct known *
find_unit(struct span text)
{
	for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++)
		if (is_word(known_units[i].names, text, strncmp))
			return &known_units[i];
	return NULL;
}

/*
 * The text before the last "/" or " per ", and in *rest what is after it; the
 * whole text if there is none.
 */
static struct span
divide(struct span text, struct span *rest)
{
	static const char *const words[] = { "/", " per " };
	size_t length;

	for (size_t i = text.n; i-- > 0;)
		for (int word = 0; word < 2; word++) {
			length = strlen(words[word]);
			if (text.n - i < length ||
			    memcmp(text.p + i, words[word], length) != 0)
				continue;
			*rest = text_trim(span_of(text.p + i + length,
			    text.n - i - length));
			return text_trim(span_of(text.p, i));
		}
	*rest = span_of("", 0);
	return text;
}

/*
 * Reads a unit, such as "ms", "KiB", "ops / ms" or "qps".  Appends its base to
 * the buffer: units with the same base are of one dimension, and values in one
 * can be converted to the other.
 */
static struct unit
read_unit(struct span text, struct buf *base)
{
	struct span below, above = divide(text_trim(text), &below);
	struct unit u = { 1, 1, false,
	    is_word(rate_words, above, strncasecmp) };
	const struct known *known = find_unit(above), *time = find_unit(below);

	if (time != NULL && time->base[0] != 's')
		time = NULL;
	if (below.n > 0 && time == NULL) {
		/* Such as "B/op". */
		buf_add(base, text.p, text.n);
		return u;
	}
	if (known != NULL) {
		u = (struct unit){ known->times, known->per,
		    known->base[0] == 's', false };
		above = span_str(known->base);
	}
	buf_add(base, above.p, above.n);
	if (time != NULL) {
		u.times *= time->per;
		u.per *= time->times;
		u.is_time = false;
		u.is_rate = true;
		buf_str(base, "/s");
	}
	return u;
}

/* --- keys ----------------------------------------------------------------- */

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

/* Most samples have the unit of the one before. */
static struct unit
unit_of(struct samples *s, sym text)
{
	struct buf base = { 0 };

	if (text != s->last_text) {
		s->last_unit = read_unit(samples_text(s, text), &base);
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

static bool
is_of_one_side(const struct key *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (k->list[i].version != k->list[0].version)
			return false;
	return k->n > 0;
}

void
samples_join_sides(struct samples *s)
{
	struct key *k = s->keys;
	sym workload;

	if (s->n != 2 || !is_of_one_side(&k[0]) || !is_of_one_side(&k[1]))
		return;
	workload = k[0].parts[PART_WORKLOAD];
	k[0].parts[PART_WORKLOAD] = k[1].parts[PART_WORKLOAD];
	if (memcmp(k[0].parts, k[1].parts, sizeof k->parts) != 0) {
		k[0].parts[PART_WORKLOAD] = workload;
		return;
	}
	s->n = 1;
	s->n_samples -= k[1].n;
	for (size_t i = 0; i < k[1].n; i++)
		samples_add(s, 0, k[1].list[i].value, k[1].unit_text,
		    k[1].n_exact == k[1].n, k[1].list[i].version);
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
