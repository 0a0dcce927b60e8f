/* records - writes the members and records that all formats share */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/base/num.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/lacks.h"
#include "filters/execlog-parse/records.h"

static struct span
block_key(const void *set, uint32_t i)
{
	const struct id_block *block = ((const struct id_set *)set)->blocks + i;

	return span_bytes(&block->number, sizeof block->number);
}

void
id_set_init(struct id_set *set)
{
	*set = (struct id_set){ .n = 0 };
	map_init(&set->map, block_key, set);
}

void
id_set_release(struct id_set *set)
{
	map_release(&set->map);
	free(set->blocks);
}

bool
id_set_add(struct id_set *set, uint64_t id)
{
	uint64_t number = id / 64, bit = UINT64_C(1) << id % 64;
	uint32_t next = (uint32_t)set->n, i = map_find_or_add(&set->map,
	    span_bytes(&number, sizeof number), next);

	if (i == next) {
		set->blocks = mem_grow(set->blocks, &set->cap, ++set->n,
		    sizeof *set->blocks);
		set->blocks[i] = (struct id_block){ number, 0 };
	}
	if ((set->blocks[i].seen & bit) != 0)
		return false;
	set->blocks[i].seen |= bit;
	return true;
}

void
extent_add(struct extent *e, int64_t us)
{
	if (us == INT_UNKNOWN)
		return;
	if (us == 0) {
		e->n_at_zero++;
		return;
	}
	if (!e->known || us < e->start_us)
		e->start_us = us;
	if (!e->known || us > e->end_us)
		e->end_us = us;
	e->known = true;
}

/*
 * Reads up to nine digits, a point, and up to nine more digits: for such times,
 * which are those of most logs, strtod() took a tenth of the parser's time.
 * Returns the end of the number, or NULL if it is written in another way.
 */
static const char *
read_nanoseconds(const char *p, uint64_t *ns)
{
	uint64_t s = 0, digit = 100000000;
	const char *from = p;

	for (; text_is_digit(*p); p++)
		s = s * 10 + (uint64_t)(*p - '0');
	if (p == from || p - from > 9 || *p++ != '.')
		return NULL;
	*ns = s * 1000000000;
	for (; text_is_digit(*p) && digit > 0; p++, digit /= 10)
		*ns += digit * (uint64_t)(*p - '0');
	return text_is_digit(*p) || *p == 'e' || *p == 'E' ? NULL : p;
}

bool
read_seconds(const char **p, int64_t *us)
{
	uint64_t ns;
	const char *rest = read_nanoseconds(*p, &ns);
	char *end;
	double v;

	if (rest != NULL) {
		*us = (int64_t)((ns + 500) / 1000);
		*p = rest + strspn(rest, " \t\r\n");
		return true;
	}
	v = round(strtod(*p, &end) * 1e6);
	if (end == *p || !(fabs(v) < (double)(INT64_C(1) << REC_INT_BITS)))
		return false;
	*us = (int64_t)v;
	*p = end + strspn(end, " \t\r\n");
	return true;
}

void
put_numeric_id(struct buf *b, const char *key, int64_t id)
{
	json_key(b, key);
	buf_char(b, '"');
	buf_i64(b, id);
	buf_char(b, '"');
}

/* Most of some logs is dependencies, so this does not use json_item(). */
void
put_numeric_item(struct buf *b, int64_t id)
{
	if (b->len > 0 && b->data[b->len - 1] != '[')
		buf_char(b, ',');
	buf_char(b, '"');
	buf_i64(b, id);
	buf_char(b, '"');
}

void
put_times(struct buf *b, int64_t start_us, int64_t end_us)
{
	json_int(b, "start_us", start_us);
	json_int(b, "end_us", end_us);
	if (start_us != INT_UNKNOWN && end_us != INT_UNKNOWN)
		json_int(b, "elapsed_us", end_us - start_us);
}

static bool
is_failure(struct span status)
{
	static const char *const successes[] = { "", "0", "OK", "ok",
	    "SUCCESS", "success" };

	for (size_t i = 0; i < sizeof successes / sizeof *successes; i++)
		if (span_eq(status, successes[i]))
			return false;
	return true;
}

void
put_outcome(struct buf *b, struct span status, int64_t size_bytes)
{
	json_text(b, "status", status);
	json_flag(b, "failed", is_failure(status));
	json_int(b, "size_bytes", size_bytes);
}

/* The first two numbers of a version, in the order of versions. */
static uint64_t
version_number(struct span text)
{
	const char *p = text.p, *end = text.p + text.n;
	uint64_t major = 0, minor = 0;

	p = text_digits(p, end, &major);
	if (p < end && *p == '.')
		text_digits(p + 1, end, &minor);
	return major * 1000 + minor;
}

void
check_version(struct filter *f, const char *program, struct span version,
    const char *oldest, const char *newest)
{
	/* A pointer distinguishes files, even one that is read twice. */
	static const char *last_warned;
	uint64_t v = version_number(version);

	if (f->input.name == last_warned ||
	    (v >= version_number(span_str(oldest)) &&
	    v <= version_number(span_str(newest))))
		return;
	last_warned = f->input.name;
	filter_warn_file(f, "the log is of %s %.*s; this program knows "
	    "versions %s to %s", program, SPAN_ARG(version), oldest, newest);
}

static struct {
	struct buf given, own;
	struct intern names;	/* of all runs so far */
	size_t *n_runs;		/* by symbol: the runs that have, or share and
				   number, this name */
	size_t n_runs_cap;
	struct buf member;	/* "run":"NAME" of the current run; empty until
				   it has a record */
	struct buf counts;	/* members of the build record */
	struct buf left_out;	/* members of left_out */
	int64_t n_records;	/* written before the current run */
} run;

static void
set_name(struct buf *b, struct span name)
{
	b->len = 0;
	buf_add(b, name.p, name.n);
}

void
run_set_given(struct span name)
{
	set_name(&run.given, name);
}

void
run_set_own(struct span name)
{
	set_name(&run.own, name);
}

bool
run_has_given(void)
{
	return run.given.len > 0;
}

void
run_release(void)
{
	if (run.names.n > 0)
		intern_release(&run.names);
	buf_release(&run.given);
	buf_release(&run.own);
	buf_release(&run.member);
	buf_release(&run.counts);
	buf_release(&run.left_out);
	free(run.n_runs);
}

void
run_add_count(const char *key, uint64_t n)
{
	json_count(&run.counts, key, n);
}

void
run_set_incremental(void)
{
	json_true(&run.counts, "incremental");
}

void
run_add_left_out(const char *kind, uint64_t n)
{
	json_count(&run.left_out, kind, n);
}

/* Adds a name; false if a run has it already. */
static bool
add_name(struct span name, sym *s)
{
	size_t n = run.names.n;

	if (n == 0)
		intern_init(&run.names);
	*s = intern_add(&run.names, name);
	if (run.names.n == n)
		return false;
	run.n_runs = mem_grow(run.n_runs, &run.n_runs_cap, n + 1,
	    sizeof *run.n_runs);
	run.n_runs[*s] = 1;
	return true;
}

static void
choose_name(struct span base)
{
	struct buf name = { 0 };
	sym s, numbered;
	bool is_new;

	is_new = add_name(base, &s);
	set_name(&name, base);
	while (!is_new) {
		name.len = base.n;
		buf_char(&name, '#');
		buf_u64(&name, ++run.n_runs[s]);
		is_new = add_name(buf_span(&name), &numbered);
	}
	run.member.len = 0;
	json_str(&run.member, "run", buf_span(&name));
	buf_release(&name);
}

void
put_run(struct buf *b)
{
	if (run.member.len == 0) {
		if (run.given.len == 0 && run.own.len == 0)
			return;
		choose_name(buf_span(run.given.len > 0 ? &run.given :
		    &run.own));
	}
	buf_char(b, ',');
	buf_add(b, run.member.data, run.member.len);
}

void
emit_build_times(struct filter *f, const char *format, int64_t start_us,
    int64_t end_us)
{
	unsigned lacks = filter_take_lacks(f);
	struct buf *b;

	if (start_us != INT_UNKNOWN || run.member.len > 0 ||
	    (lacks != 0 && f->n_records > run.n_records)) {
		b = filter_begin_record(f, "build");
		put_run(b);
		if (run.given.len > 0 && run.own.len > 0)
			json_str(b, "own_run", buf_span(&run.own));
		json_cstr(b, "format", format);
		if (start_us != INT_UNKNOWN) {
			json_int(b, "start_us", start_us);
			json_int(b, "end_us", end_us);
			json_int(b, "wall_us", end_us - start_us);
		}
		if (run.counts.len > 0) {
			buf_char(b, ',');
			buf_add(b, run.counts.data, run.counts.len);
		}
		if (run.left_out.len > 0) {
			json_key(b, "left_out");
			buf_char(b, '{');
			buf_add(b, run.left_out.data, run.left_out.len);
			buf_char(b, '}');
		}
		lacks_put(b, lacks);
		filter_end_record(f);
	}
	run.n_records = f->n_records;
	run.member.len = run.own.len = run.counts.len = run.left_out.len = 0;
}

void
emit_build(struct filter *f, const char *format, const struct extent *e)
{
	/* September 9, 2001, if the times are counted from 1970. */
	const int64_t this_century_us = INT64_C(1000000000000000);
	int64_t start_us = e->start_us, end_us = e->end_us;

	if (!e->known && e->n_at_zero == 0)
		start_us = end_us = INT_UNKNOWN;
	if (e->n_at_zero > 0 && end_us >= this_century_us) {
		filter_warn(f, "%llu time%s 0: not counted for the start "
		    "of the build", (unsigned long long)e->n_at_zero,
		    plural(e->n_at_zero, " is", "s are"));
	} else if (e->n_at_zero > 0) {
		start_us = start_us < 0 ? start_us : 0;
		end_us = end_us > 0 ? end_us : 0;
	}
	emit_build_times(f, format, start_us, end_us);
}
