/* read - reads samples from records and profiles */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/filter/expect.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/lacks.h"
#include "common/json/items.h"
#include "common/json/nonfinite.h"
#include "common/json/skip.h"
#include "common/perun/resources.h"
#include "filters/perf-diff/perf-diff.h"

/* The keys of `sample`, `profile` and `version` records. */
#define READ_KEYS(K)							\
	K(UID, "uid") K(VALUE, "value")					\
	K(RESOURCE_TYPE, "resource_type") K(SUBTYPE, "subtype")		\
	K(UNIT, "unit") K(CMD, "cmd") K(WORKLOAD, "workload")		\
	K(MACHINE, "machine") K(MINOR_VERSION, "minor_version")		\
	K(PROFILE, "profile") K(HEADER, "header") K(ID, "id")		\
	K(PARENTS, "parents") K(TIME, "time") K(AUTHOR, "author")	\
	K(MESSAGE, "message") K(EXACT, "exact") K(BETTER, "better")	\
	K(TRACE, "trace") K(RUN, "run")
KEY_INDEXES(READ_KEYS);
const char *const read_keys[] = KEY_TEXTS(READ_KEYS);

/* A sample of the profile that is being read. */
struct staged {
	sym parts[N_PARTS];
	sym key;		/* of the parts and the run */
	struct sample sample;
	bool exact;
};

static struct {
	struct samples *samples;
	bool by_trace;
	sym pair[2];			/* uids, or SYM_NONE */
	bool has_come[2], has_others;	/* whether they, and others, came */
	struct expect expect;
	struct resources *resources;
	struct staged *staged;		/* of this profile */
	size_t n_staged, staged_cap;

	/* Runs are of a stream or a profile. */
	struct intern runs;
	size_t n_documents;

	/* How many amounts each stack of a key has had in this profile, and
	   where the sum of the i-th amounts of its stacks is staged. */
	struct intern keys, slots;
	size_t *counts;
	size_t counts_cap;

	/* The values of this profile that are not used. */
	size_t n_bad;
	struct buf bad;			/* why the first is not */
} reader = { .pair = { SYM_NONE, SYM_NONE } };

void
read_init(struct samples *s, bool by_trace)
{
	reader.samples = s;
	intern_init(&reader.runs);
	reader.by_trace = by_trace;
	reader.resources = resources_new();
}

/* Whether a uid is compared; if it is one of a pair, sets its side. */
static bool
find_side(sym *uid, uint32_t *side)
{
	if (reader.pair[SIDE_NEW] == SYM_NONE)
		return true;
	if (*uid != reader.pair[SIDE_OLD] && *uid != reader.pair[SIDE_NEW]) {
		reader.has_others = true;
		return false;
	}
	*side = *uid == reader.pair[SIDE_NEW] ? SIDE_NEW : SIDE_OLD;
	reader.has_come[*side] = true;
	*uid = reader.pair[SIDE_NEW];
	return true;
}

/* The run of a text, in the n-th stream, or document if that is not 0. */
static sym
find_run(struct span text, int64_t stream, size_t document)
{
	struct buf name = { 0 };
	sym run;

	if (text.n == 0)
		return SYM_NONE;
	buf_printf(&name, "%lld %zu ", (long long)stream, document);
	buf_add(&name, text.p, text.n);
	run = intern_add(&reader.runs, buf_span(&name));
	buf_release(&name);
	return run;
}

/*
 * Reads a usual number: up to 15 digits without sign and exponent.  The digits
 * and the power of ten are exact doubles, so that their quotient is rounded
 * only once.
 */
static bool
read_usual(struct span text, double *value)
{
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
	    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
	const char *p = text.p, *end = p + text.n, *point;
	uint64_t digits = 0;

	if (text.n >= sizeof powers / sizeof *powers)
		return false;
	p = point = text_digits(p, end, &digits);
	if (p < end && *p == '.')
		p = text_digits(++point, end, &digits);
	*value = (double)digits / powers[p - point];
	return p == end && p > text.p;
}

/* Sums of larger values could be infinite. */
#define VALUE_MAX 1e300

/* Why a JSON value is not a sample; NULL if it is. */
static const char *
check_value(struct span text, double *value)
{
	if (!read_usual(text, value)) {
		if (skip_number(text.p, text.p + text.n) != text.p + text.n)
			return nonfinite_is_string(text) ? "is not finite" :
			    "is missing or not a number";
		/* What follows a number in JSON ends it for strtod(), too. */
		*value = strtod(text.p, NULL);
	}
	return *value > VALUE_MAX ? "is too great" :
	    *value < 0 ? "is negative" : NULL;
}

/* --- profiles ------------------------------------------------------------- */

/* The symbol of a text; SYM_NONE if the profile does not have it. */
static sym
intern_text(struct span text)
{
	return text.p != NULL ? intern_add(&reader.samples->texts, text) :
	    SYM_NONE;
}

/* A number that begins at 0 with each profile. */
static size_t *
count_of(uint32_t key, sym trace, size_t i)
{
	uint64_t what[] = { key, trace, i };
	size_t n = reader.slots.n;
	sym slot = intern_add(&reader.slots, span_bytes(what, sizeof what));

	reader.counts = mem_grow(reader.counts, &reader.counts_cap, n + 1,
	    sizeof *reader.counts);
	if (slot == n)
		reader.counts[slot] = 0;
	return &reader.counts[slot];
}

/*
 * Stages a sample.  Stacks of a key are not repetitions but parts of one value:
 * the i-th amounts of all of them are added up.
 */
static void
stage(struct staged new, sym trace)
{
	size_t i, *at;

	if (trace != SYM_NONE) {
		i = (*count_of(new.key, trace, 0))++;
		at = count_of(new.key, SYM_NONE, i);
		if (*at > 0) {
			reader.staged[*at - 1].sample.value +=
			    new.sample.value;
			return;
		}
		*at = reader.n_staged + 1;
	}
	reader.staged = mem_grow(reader.staged, &reader.staged_cap,
	    reader.n_staged + 1, sizeof *reader.staged);
	reader.staged[reader.n_staged++] = new;
}

/* Stages the samples of resources that have a key in common. */
static void
stage_group(const struct resource_group *g, uint32_t version)
{
	const struct profile_parts *p = resources_parts(reader.resources);
	sym trace = intern_text(g->trace);
	struct staged new = {
		.parts = {
			[PART_UID] = intern_text(g->uid),
			[PART_RESOURCE_TYPE] = intern_text(g->type),
			[PART_SUBTYPE] = intern_text(g->subtype),
			[PART_UNIT] = intern_text(g->unit),
			[PART_CMD] = intern_text(p->cmd),
			[PART_WORKLOAD] = intern_text(p->workload),
			[PART_MACHINE] = intern_text(p->machine),
			[PART_TRACE] = reader.by_trace ? trace : SYM_NONE,
		},
		.sample = { .version = version, .run = find_run(g->run, 0,
		    reader.n_documents) },
		.exact = g->exact,
	};
	struct span rest = g->amounts, item;
	sym key[N_PARTS + 1];
	const char *why;

	if (!find_side(&new.parts[PART_UID], &new.sample.version))
		return;
	memcpy(key, new.parts, sizeof new.parts);
	key[N_PARTS] = new.sample.run;
	new.key = intern_add(&reader.keys, span_bytes(key, sizeof key));
	if (!g->is_valid && reader.n_bad++ == 0)
		buf_printf(&reader.bad, "the resource '%.*s' has no array of "
		    "amounts", SPAN_ARG(g->uid));
	while (items_next(&rest, &item)) {
		why = check_value(item, &new.sample.value);
		if (why == NULL)
			stage(new, trace);
		else if (reader.n_bad++ == 0)
			buf_printf(&reader.bad, "an amount of '%.*s' %s",
			    SPAN_ARG(g->uid), why);
	}
}

const char *
read_document(struct filter *f, struct span text, uint32_t version)
{
	const char *why = resources_begin(reader.resources, text);
	struct resource_group group;
	const struct staged *s;

	intern_release(&reader.slots);
	intern_release(&reader.keys);
	intern_init(&reader.slots);
	intern_init(&reader.keys);
	reader.n_documents++;
	reader.n_staged = reader.n_bad = reader.bad.len = 0;
	while (why == NULL && resources_next(reader.resources, &group))
		stage_group(&group, version);
	if (why != NULL)
		return why;
	if ((resources_parts(reader.resources)->lacks &
	    ~(unsigned)LACKS_REJECTED) != 0 && !f->reading.partial) {
		filter_warn(f, "a profile that is not complete is left out "
		    "(see --partial)");
		return NULL;
	}
	if (reader.n_bad == 1)
		filter_reject(f, "%s", buf_cstr(&reader.bad));
	else if (reader.n_bad > 1)
		filter_reject(f, "%zu values are not used, the first because "
		    "%s", reader.n_bad, buf_cstr(&reader.bad));
	for (s = reader.staged; s < reader.staged + reader.n_staged; s++)
		samples_add(reader.samples, s->parts, s->sample, s->exact);
	return NULL;
}

/* --- records -------------------------------------------------------------- */

/* Sets the version of a record's samples; returns why it has none, or NULL. */
static const char *
find_version(const struct rec *rec, uint32_t side, uint32_t *version)
{
	struct span id;

	*version = side;
	if (side != INDEX_NONE)
		return NULL;
	if (rec_str(rec, MINOR_VERSION, &id) != REC_OK || id.n == 0)
		return "minor_version is missing or not a string";
	*version = samples_version(reader.samples, id);
	reader.samples->versions[*version].has_samples = true;
	return NULL;
}

static const char *
read_sample(struct filter *f, const struct rec *rec, uint32_t side)
{
	static const unsigned keys[N_PARTS] = { UID, RESOURCE_TYPE, SUBTYPE,
	    UNIT, CMD, WORKLOAD, MACHINE, TRACE };
	const struct field *value = rec_get(rec, VALUE);
	struct span text;
	struct sample sample = { .run = SYM_NONE };
	sym parts[N_PARTS];
	const char *why;
	struct key *key;

	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i] = rec_str(rec, keys[i], &text) != REC_OK ? SYM_NONE :
		    intern_add(&reader.samples->texts, text);
	if (parts[PART_UID] == SYM_NONE)
		return "uid is not a string";
	if (!find_side(&parts[PART_UID], &side))
		return NULL;
	why = check_value(value != NULL ? value->token : span_of("", 0),
	    &sample.value);
	if (why != NULL) {
		reader.bad.len = 0;
		buf_printf(&reader.bad, "the value of '%s' %s",
		    intern_str(&reader.samples->texts, parts[PART_UID]), why);
		return buf_cstr(&reader.bad);
	}
	if ((why = find_version(rec, side, &sample.version)) != NULL)
		return why;
	if (rec_str(rec, RUN, &text) == REC_OK)
		sample.run = find_run(text, filter_n_begun(f), 0);
	key = samples_add(reader.samples, parts, sample, rec_true(rec, EXACT));
	if (rec_str(rec, BETTER, &text) == REC_OK)
		key->more_is_better = span_eq(text, "more");
	return NULL;
}

static const char *
read_version(const struct rec *rec)
{
	struct samples *s = reader.samples;
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
	v.parents = arena_array(&s->arena, v.n_parents, sizeof *v.parents);
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

void
read_files(struct filter *f, uint32_t side)
{
	const struct rec *rec;
	const struct field *profile;
	struct span text;
	uint32_t version;
	const char *why;

	while ((rec = filter_next_document(f, &text)) != NULL) {
		why = NULL;
		profile = rec_is(rec, "profile") ? rec_get(rec, PROFILE) :
		    NULL;
		if (rec_is(rec, "version")) {
			why = side == INDEX_NONE ? read_version(rec) : NULL;
		} else if (rec_get(rec, HEADER) != NULL || profile != NULL) {
			reader.expect.came = true;
			why = find_version(rec, side, &version);
			if (why == NULL)
				why = read_document(f, profile != NULL ?
				    profile->token : text, version);
		} else if (rec_is(rec, "sample") ||
		    (rec_get(rec, KEY_TYPE) == NULL &&
		    rec_get(rec, UID) != NULL)) {
			reader.expect.came = true;
			why = read_sample(f, rec, side);
		} else {
			expect_other(&reader.expect, f, rec);
		}
		if (why != NULL)
			filter_reject(f, "%s", why);
	}
	expect_end(&reader.expect, f, "sample", "the output of profile-make");
}

void
read_pair(struct filter *f, const char *old, const char *new)
{
	struct intern *texts = &reader.samples->texts;
	const char *const pair[] = { old, new };

	for (uint32_t side = SIDE_OLD; side <= SIDE_NEW; side++)
		reader.pair[side] = intern_add(texts, span_str(pair[side]));
	read_files(f, SIDE_OLD);
	for (uint32_t side = SIDE_OLD; side <= SIDE_NEW; side++)
		if (!reader.has_come[side] && (reader.has_come[!side] ||
		    reader.has_others))
			die("no sample has the uid '%s'", pair[side]);
}
