/* read - reads samples from records and profiles */

#include <stdlib.h>
#include <string.h>

#include "common/base/num.h"
#include "common/filter/expect.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/json/items.h"
#include "common/perun/resources.h"
#include "filters/perf-diff/number.h"
#include "filters/perf-diff/read.h"

/* The keys of `sample`, `profile` and `version` records. */
#define READ_KEYS(K)							\
	K(UID, "uid") K(VALUE, "value")					\
	K(RESOURCE_TYPE, "resource_type") K(SUBTYPE, "subtype")		\
	K(UNIT, "unit") K(CMD, "cmd") K(WORKLOAD, "workload")		\
	K(MACHINE, "machine") K(MINOR_VERSION, "minor_version")		\
	K(PROFILE, "profile") K(HEADER, "header") K(ID, "id")		\
	K(PARENTS, "parents") K(TIME, "time") K(AUTHOR, "author")	\
	K(MESSAGE, "message") K(EXACT, "exact") K(BETTER, "better")	\
	K(TRACE, "trace")
KEY_INDEXES(READ_KEYS);
const char *const read_keys[] = KEY_TEXTS(READ_KEYS);

/* A sample of the profile that is being read. */
struct staged {
	uint32_t key;
	double value;
	sym unit;
	bool exact;
};

struct reader {
	struct samples *samples;
	bool by_trace;
	struct expect expect;
	struct resources *resources;
	struct staged *staged;		/* of this profile */
	size_t n_staged, staged_cap;

	/* How many amounts each stack of a key has had, and where the sum of
	   the i-th amounts of its stacks is staged. */
	struct intern slots;
	struct slot {
		uint64_t profile;	/* the number of the profile */
		size_t n;
	} *slot;
	size_t slot_cap;
	uint64_t n_profiles;

	/* The values of this profile that are not used. */
	size_t n_bad;
	struct buf bad;			/* why the first is not */
};

struct reader *
reader_new(struct samples *s, bool by_trace)
{
	struct reader *r = mem_zero(1, sizeof *r);

	r->samples = s;
	r->by_trace = by_trace;
	r->resources = resources_new();
	intern_init(&r->slots);
	return r;
}

void
reader_free(struct reader *r)
{
	resources_free(r->resources);
	intern_release(&r->slots);
	buf_release(&r->bad);
	free(r->staged);
	free(r->slot);
	free(r);
}

/* --- profiles ------------------------------------------------------------- */

/* The symbol of a text; SYM_NONE if the profile does not have it. */
static sym
intern_text(struct reader *r, struct span text)
{
	return text.p != NULL ? intern_add(&r->samples->texts, text) :
	    SYM_NONE;
}

/* Sums of larger values could be infinite. */
#define VALUE_MAX 1e300

/* Why a value is not a sample; NULL if it is. */
static const char *
check_value(struct span text, double *value)
{
	if (!number_read(text, value))
		return "is missing or not a number";
	return *value > VALUE_MAX ? "is too great" :
	    *value < 0 ? "is negative" : NULL;
}

/* A number that begins at 0 with each profile. */
static size_t *
slot_of(struct reader *r, uint32_t key, sym trace, size_t i)
{
	uint64_t what[] = { key, trace, i };
	size_t n = r->slots.n;
	sym s = intern_add(&r->slots, span_bytes(what, sizeof what));

	r->slot = mem_grow(r->slot, &r->slot_cap, r->slots.n, sizeof *r->slot);
	if (s == n || r->slot[s].profile != r->n_profiles)
		r->slot[s] = (struct slot){ r->n_profiles, 0 };
	return &r->slot[s].n;
}

/*
 * Stages a sample.  Stacks of a key are not repetitions but parts of one value:
 * the i-th amounts of all of them are added up.
 */
static void
stage(struct reader *r, struct staged new, sym trace)
{
	size_t i, *at;

	if (trace != SYM_NONE) {
		i = (*slot_of(r, new.key, trace, 0))++;
		at = slot_of(r, new.key, SYM_NONE, i);
		if (*at > 0) {
			r->staged[*at - 1].value += new.value;
			return;
		}
		*at = r->n_staged + 1;
	}
	r->staged = mem_grow(r->staged, &r->staged_cap, r->n_staged + 1,
	    sizeof *r->staged);
	r->staged[r->n_staged++] = new;
}

/* Stages the samples of resources that have a key in common. */
static void
stage_group(struct reader *r, const struct resource_group *g)
{
	const struct profile_parts *p = resources_parts(r->resources);
	sym trace = intern_text(r, g->trace);
	const sym parts[N_PARTS] = {
		[PART_UID] = intern_text(r, g->uid),
		[PART_RESOURCE_TYPE] = intern_text(r, g->type),
		[PART_SUBTYPE] = intern_text(r, g->subtype),
		[PART_UNIT] = intern_text(r, g->unit),
		[PART_CMD] = intern_text(r, p->cmd),
		[PART_WORKLOAD] = intern_text(r, p->workload),
		[PART_MACHINE] = intern_text(r, p->machine),
		[PART_TRACE] = r->by_trace ? trace : SYM_NONE,
	};
	struct staged new = { .key = samples_key(r->samples, parts),
	    .unit = parts[PART_UNIT], .exact = g->exact };
	struct span rest = g->amounts, item;
	const char *why;

	while (items_next(&rest, &item)) {
		why = check_value(item, &new.value);
		if (why == NULL)
			stage(r, new, trace);
		else if (r->n_bad++ == 0)
			buf_printf(&r->bad, "an amount of '%.*s' %s",
			    SPAN_ARG(g->uid), why);
	}
}

const char *
reader_add_profile(struct reader *r, struct filter *f, struct span text,
    uint32_t version)
{
	const char *why = resources_begin(r->resources, text);
	struct resource_group group;
	const struct staged *s;

	r->n_profiles++;
	r->n_staged = r->n_bad = r->bad.len = 0;
	while (why == NULL && resources_next(r->resources, &group, &why))
		stage_group(r, &group);
	if (why != NULL)
		return why;
	if (r->n_bad == 1)
		filter_reject(f, "%s", buf_cstr(&r->bad));
	else if (r->n_bad > 1)
		filter_reject(f, "%zu amounts are not used, the first because "
		    "%s", r->n_bad, buf_cstr(&r->bad));
	for (s = r->staged; s < r->staged + r->n_staged; s++)
		samples_add(r->samples, s->key, s->value, s->unit, s->exact,
		    version);
	return NULL;
}

/* --- records -------------------------------------------------------------- */

/* Sets the version of a record's samples; returns why it has none, or NULL. */
static const char *
find_version(struct reader *r, const struct rec *rec, uint32_t side,
    uint32_t *version)
{
	struct span id;

	*version = side;
	if (side != INDEX_NONE)
		return NULL;
	if (rec_str(rec, MINOR_VERSION, &id) != REC_OK || id.n == 0)
		return "minor_version is missing or not a string";
	*version = samples_version(r->samples, id);
	r->samples->versions[*version].has_samples = true;
	return NULL;
}

static const char *
read_sample(struct reader *r, const struct rec *rec, uint32_t side)
{
	static const unsigned keys[N_PARTS] = { UID, RESOURCE_TYPE, SUBTYPE,
	    UNIT, CMD, WORKLOAD, MACHINE, TRACE };
	const struct field *f = rec_get(rec, VALUE);
	struct span text;
	sym parts[N_PARTS];
	uint32_t version, key;
	const char *why;
	double value;

	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = rec_str(rec, keys[i], &text) != REC_OK ? SYM_NONE :
		    intern_add(&r->samples->texts, text);
	if (parts[PART_UID] == SYM_NONE)
		return "uid is not a string";
	why = check_value(f != NULL && f->kind == REC_NUMBER ? f->text :
	    span_of("", 0), &value);
	if (why != NULL) {
		r->bad.len = 0;
		buf_printf(&r->bad, "the value %s", why);
		return buf_cstr(&r->bad);
	}
	if ((why = find_version(r, rec, side, &version)) != NULL)
		return why;
	key = samples_key(r->samples, parts);
	samples_add(r->samples, key, value, parts[PART_UNIT],
	    rec_true(rec, EXACT), version);
	if (rec_str(rec, BETTER, &text) == REC_OK)
		r->samples->keys[key].more_is_better = span_eq(text, "more");
	return NULL;
}

static const char *
read_version(struct reader *r, const struct rec *rec)
{
	struct samples *s = r->samples;
	const struct span *parents;
	struct span text;
	uint32_t version;
	struct version v = { .author = SYM_NONE, .subject = SYM_NONE,
	    .is_record = true };
	const char *end;

	if (rec_str(rec, ID, &text) != REC_OK || text.n == 0)
		return "the id of a version is not a string";
	if (rec_strings(rec, PARENTS, &parents, &v.n_parents) != REC_OK)
		return "the parents of a version are not strings";
	version = samples_version(s, text);
	v.parents = (uint32_t *)(void *)arena_alloc(&s->arena,
	    v.n_parents * sizeof *v.parents);
	for (size_t i = 0; i < v.n_parents; i++)
		v.parents[i] = samples_version(s, parents[i]);
	if (rec_str(rec, AUTHOR, &text) == REC_OK)
		v.author = intern_add(&s->texts, text);
	if (rec_str(rec, MESSAGE, &text) == REC_OK) {
		end = memchr(text.p, '\n', text.n);
		if (end != NULL)
			text.n = (size_t)(end - text.p);
		v.subject = intern_add(&s->texts, text);
	}
	if (rec_int(rec, TIME, &v.time_s) != REC_OK)
		v.time_s = INT_UNKNOWN;
	v.has_samples = s->versions[version].has_samples;
	s->versions[version] = v;
	if (s->head == INDEX_NONE)
		s->head = version;
	return NULL;
}

static const char *
read_profile(struct reader *r, struct filter *f, const struct rec *rec,
    struct span document, uint32_t side)
{
	uint32_t version;
	const char *why = find_version(r, rec, side, &version);

	return why != NULL ? why : reader_add_profile(r, f, document,
	    version);
}

void
reader_read_files(struct reader *r, struct filter *f, uint32_t side)
{
	const struct rec *rec;
	const struct field *profile;
	struct span text;
	const char *why;

	while ((rec = filter_next_document(f, &text)) != NULL) {
		why = NULL;
		profile = rec_get(rec, PROFILE);
		if (rec_is(rec, "version")) {
			why = side == INDEX_NONE ? read_version(r, rec) : NULL;
		} else if (rec_get(rec, HEADER) != NULL) {
			why = read_profile(r, f, rec, text, side);
			r->expect.came = true;
		} else if (rec_is(rec, "profile") && profile != NULL) {
			why = read_profile(r, f, rec, profile->token, side);
			r->expect.came = true;
		} else if (rec_is(rec, "sample") ||
		    (rec_get(rec, KEY_TYPE) == NULL &&
		    rec_get(rec, UID) != NULL)) {
			why = read_sample(r, rec, side);
			r->expect.came = true;
		} else {
			expect_other(&r->expect, f, rec);
		}
		if (why != NULL)
			filter_reject(f, "%s", why);
	}
	expect_end(&r->expect, f, "sample", "the output of profile-make");
}
