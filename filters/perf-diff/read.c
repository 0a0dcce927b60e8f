/* read - reads samples from records and profiles */

#include <math.h>
#include <stdlib.h>

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
	K(PARENTS, "parents") K(TIME, "time")
KEY_INDEXES(READ_KEYS);
const char *const read_keys[] = KEY_TEXTS(READ_KEYS);

struct staged {
	uint32_t key;
	double value;
};

struct reader {
	struct samples *samples;
	struct expect expect;
	struct resources *resources;
	struct staged *staged;		/* added if the profile is valid */
	size_t n_staged, staged_cap;
};

struct reader *
reader_new(struct samples *s)
{
	struct reader *r = mem_zero(1, sizeof *r);

	r->samples = s;
	r->resources = resources_new();
	return r;
}

void
reader_free(struct reader *r)
{
	resources_free(r->resources);
	free(r->staged);
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

/* Why a value is not a sample; NULL if it is. */
static const char *
check_value(double value)
{
	return !isfinite(value) ? "the value is not finite" :
	    value < 0 ? "the value is negative" : NULL;
}

/* Stages the samples of resources that have a key in common. */
static const char *
stage_group(struct reader *r, const struct resource_group *g)
{
	const struct profile_parts *p = resources_parts(r->resources);
	const sym parts[N_PARTS] = {
		[PART_UID] = intern_text(r, g->uid),
		[PART_RESOURCE_TYPE] = intern_text(r, g->type),
		[PART_SUBTYPE] = intern_text(r, g->subtype),
		[PART_UNIT] = intern_text(r, g->unit),
		[PART_CMD] = intern_text(r, p->cmd),
		[PART_WORKLOAD] = intern_text(r, p->workload),
		[PART_MACHINE] = intern_text(r, p->machine),
	};
	uint32_t key = samples_key(r->samples, parts);
	struct span rest = g->amounts, item;
	const char *why;
	double value;

	while (items_next(&rest, &item)) {
		if (!number_read(item, &value))
			return "an amount is not a number";
		if ((why = check_value(value)) != NULL)
			return why;
		r->staged = mem_grow(r->staged, &r->staged_cap,
		    r->n_staged + 1, sizeof *r->staged);
		r->staged[r->n_staged++] = (struct staged){ key, value };
	}
	return NULL;
}

const char *
reader_add_profile(struct reader *r, struct span text, uint32_t version)
{
	const char *why = resources_begin(r->resources, text);
	struct resource_group group;

	r->n_staged = 0;
	while (why == NULL && resources_next(r->resources, &group, &why))
		why = stage_group(r, &group);
	if (why != NULL)
		return why;
	for (size_t i = 0; i < r->n_staged; i++)
		samples_add(r->samples, r->staged[i].key,
		    r->staged[i].value, version);
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
	    UNIT, CMD, WORKLOAD, MACHINE };
	const struct field *f = rec_get(rec, VALUE);
	struct span text;
	sym parts[N_PARTS];
	uint32_t version;
	const char *why;
	double value;

	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = rec_str(rec, keys[i], &text) != REC_OK ? SYM_NONE :
		    intern_add(&r->samples->texts, text);
	if (parts[PART_UID] == SYM_NONE)
		return "uid is not a string";
	if (f == NULL || f->kind != REC_NUMBER || !number_read(f->text, &value))
		return "value is missing or not a number";
	if ((why = check_value(value)) != NULL ||
	    (why = find_version(r, rec, side, &version)) != NULL)
		return why;
	samples_add(r->samples, samples_key(r->samples, parts), value,
	    version);
	return NULL;
}

static const char *
read_version(struct reader *r, const struct rec *rec)
{
	struct samples *s = r->samples;
	const struct span *parents;
	struct span id;
	uint32_t version, parent;
	size_t n;

	if (rec_str(rec, ID, &id) != REC_OK || id.n == 0)
		return "the id of a version is not a string";
	if (rec_strings(rec, PARENTS, &parents, &n) != REC_OK)
		return "the parents of a version are not strings";
	version = samples_version(s, id);
	parent = n > 0 ? samples_version(s, parents[0]) : INDEX_NONE;
	s->versions[version].parent = parent;
	s->versions[version].is_record = true;
	if (rec_int(rec, TIME, &s->versions[version].time_s) != REC_OK)
		s->versions[version].time_s = INT_UNKNOWN;
	if (s->head == INDEX_NONE)
		s->head = version;
	return NULL;
}

static const char *
read_profile(struct reader *r, const struct rec *rec, struct span document,
    uint32_t side)
{
	uint32_t version;
	const char *why = find_version(r, rec, side, &version);

	return why != NULL ? why : reader_add_profile(r, document, version);
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
			why = read_profile(r, rec, text, side);
			r->expect.came = true;
		} else if (rec_is(rec, "profile") && profile != NULL) {
			why = read_profile(r, rec, profile->token, side);
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
