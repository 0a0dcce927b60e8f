/* profile-make - makes one Perun profile of what records measure */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/filter/expect.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "common/filter/lacks.h"
#include "common/json/json.h"
#include "filters/profile-make/profile-make.h"

static const char *const types[] = { "time", "memory", "mixed", NULL };

static struct {
	struct opt_word type;
	const char *unit, *workload, *cmd, *label, *origin, *machine;
} opt = { .type = OPT_WORDS(types), .unit = "" };

static const struct opt options[] = {
	{ 't', "type", OPT_WORD, &opt.type, "TYPE",
	    "the profile is of this type: time, memory or mixed", 0, 0 },
	{ 'u', "unit", OPT_STR, &opt.unit, "UNIT",
	    "the unit of values without one", 0, 0 },
	{ 'w', "workload", OPT_STR, &opt.workload, "WORKLOAD",
	    "what the command worked on", 0, 0 },
	{ 'b', "cmd", OPT_STR, &opt.cmd, "CMD",
	    "the command that was measured", 0, 0 },
	{ 'l', "label", OPT_STR, &opt.label, "LABEL",
	    "any text, for today's Perun", 0, 0 },
	{ 'M', "machine", OPT_STR, &opt.machine, "NAME",
	    "the machine that measured; auto: its processor", 0, 0 },
	{ 0, "origin", OPT_STR, &opt.origin, "ID",
	    "the id of the commit that was measured", 0, 0 },
	{ 0 }
};

static enum output_kind
writes_document(void)
{
	return OUTPUT_DOCUMENT;
}

static const struct about about = {
	.name = "profile-make",
	.operands = "[file ...]",
	.purpose = "Makes one Perun profile of what records measure: tasks, "
	    "groups, critical paths,\noperations, functions, samples.",
	.examples = {
	    "profile-make --unit ms --cmd ./sort samples >sort.perf",
	    "critpath -g nodes tasks | profile-make | pidx-write",
	},
	.reads = "records of what was measured",
	.keys = records_keys,
	.reads_python = true,
	.output = writes_document,
};

/*
 * Names this machine by what makes it fast or slow, "Xeon 8259CL, 2 cores": the
 * name of a host differs in each container.
 */
static void
name_machine(struct buf *b)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], *model;

	/* A sandbox may hide the file. */
	if (f == NULL && err_is_failure(errno) && errno != EACCES)
		die_errno("cannot open '/proc/cpuinfo'");
	while (f != NULL && b->len == 0 &&
	    fgets(line, sizeof line, f) != NULL) {
		model = strstr(line, ": ");
		if (model == NULL || strncmp(line, "model name", 10) != 0)
			continue;
		model[strcspn(model, "\n")] = '\0';
		buf_str(b, model + 2);
	}
	if (f != NULL && ferror(f) != 0)
		die_errno("cannot read '/proc/cpuinfo'");
	if (f != NULL)
		fclose(f);
	if (b->len == 0)
		buf_str(b, "unknown processor");
	buf_printf(b, ", %ld cores", sysconf(_SC_NPROCESSORS_ONLN));
}

/* The type of all amounts, or mixed, which Perun has for all others. */
static const char *
find_type(const struct amounts *a)
{
	sym type = a->resources[a->list[0].resource].type;
	const char *text = intern_str(&a->texts, type);

	for (size_t i = 1; i < a->n; i++)
		if (a->resources[a->list[i].resource].type != type)
			return "mixed";
	return strcmp(text, "time") == 0 || strcmp(text, "memory") == 0 ?
	    text : "mixed";
}

static void
put_unit(struct buf *b, const struct amounts *a, sym name)
{
	if (b->data[b->len - 1] != '{')
		buf_char(b, ',');
	json_quote(b, intern_span(&a->unit_names, name));
	buf_char(b, ':');
	json_quote(b, intern_span(&a->texts, a->units[name]));
}

static void
put_header(struct buf *b, const struct header *h, const struct amounts *a)
{
	const char *type = h->type != NULL ? h->type : find_type(a);
	const char *workload = h->parts[PART_WORKLOAD].text;
	struct span program = h->program.n > 0 ? h->program :
	    span_str("unknown");
	sym first = intern_find(&a->unit_names, span_str(type));

	json_open(b, "header", '{');
	json_cstr(b, "type", type);

	/* Perun takes the first unit for that of the profile. */
	json_open(b, "units", '{');
	if (first != SYM_NONE)
		put_unit(b, a, first);
	for (sym i = 0; i < a->unit_names.n; i++)
		if (i != first)
			put_unit(b, a, i);
	json_close(b, '}');

	if (h->parts[PART_CMD].text != NULL)
		json_cstr(b, "cmd", h->parts[PART_CMD].text);
	else
		json_str(b, "cmd", program);
	json_cstr(b, "workload", workload != NULL ? workload : "");
	if (h->parts[PART_LABEL].text != NULL)
		json_cstr(b, "label", h->parts[PART_LABEL].text);
	json_close(b, '}');
}

/* A sum, as an integer if it is one. */
static void
put_thousandths(struct buf *b, int64_t value)
{
	unsigned rest = (unsigned)(value % 1000);

	json_int(b, "amount", value / 1000);
	if (rest == 0)
		return;
	buf_printf(b, ".%03u", rest);
	while (b->data[b->len - 1] == '0')
		b->len--;
}

/* Writes a resource for each amount, in the order of the input. */
static void
put_resources(struct output *out, const struct amounts *a)
{
	struct buf *b = &out->buf;
	const struct amount *m;
	const struct resource *r;

	json_open(b, "global", '{');
	json_word(b, "time", "0.0");
	json_open(b, "resources", '[');
	for (m = a->list; m < a->list + a->n; m++) {
		r = &a->resources[m->resource];
		buf_str(b, m == a->list ? "{" : ",{");
		if (m->token != SYM_NONE)
			json_raw(b, "amount", intern_span(&a->texts, m->token));
		else
			put_thousandths(b, m->thousandths);
		json_sym(b, "run", &a->texts, r->sample_run);
		json_sym(b, "subtype", &a->texts, r->subtype);
		json_flag(b, "exact", r->is_exact);
		json_str(b, "type", intern_span(&a->texts, r->type));
		json_str(b, "uid", intern_span(&a->texts, r->uid));
		json_close(b, '}');
		output_done(out);
	}
	json_close(b, ']');
	json_close(b, '}');
}

static void
write_profile(struct output *out, const struct header *h,
    const struct amounts *a)
{
	struct buf *b = &out->buf;

	buf_char(b, '{');
	if (h->parts[PART_ORIGIN].text != NULL)
		json_cstr(b, "origin", h->parts[PART_ORIGIN].text);
	put_header(b, h, a);
	json_open(b, "collector_info", '{');
	json_word(b, "name", "weir");
	json_open(b, "params", '{');
	json_close(b, '}');
	json_close(b, '}');
	json_open(b, "postprocessors", '[');
	json_close(b, ']');
	if (h->parts[PART_MACHINE].text != NULL) {
		json_open(b, "machine", '{');
		json_cstr(b, "host", h->parts[PART_MACHINE].text);
		json_close(b, '}');
	}
	put_resources(out, a);
	lacks_put(b, h->lacks);
	json_end(b);
}

static struct amounts amounts;
static struct header header;
static struct records *records;
static struct buf machine;

int
main(int argc, char **argv)
{
	struct filter f;
	const struct rec *rec;
	struct span text;
	const char *why;
	struct expect expect = { 0 };

	filter_begin(&f, &about, options, argc, argv);
	header.type = opt.type.given;
	header.unit = span_str(opt.unit);
	header.parts[PART_CMD].text = opt.cmd;
	header.parts[PART_WORKLOAD].text = opt.workload;
	header.parts[PART_LABEL].text = opt.label;
	header.parts[PART_ORIGIN].text = opt.origin;
	header.parts[PART_MACHINE].text = opt.machine;
	if (opt.machine != NULL && strcmp(opt.machine, "auto") == 0) {
		name_machine(&machine);
		header.parts[PART_MACHINE].text = buf_cstr(&machine);
	}
	for (unsigned i = 0; i < N_PARTS; i++)
		header.parts[i].is_fixed = header.parts[i].text != NULL;

	amounts_init(&amounts);
	records = records_new(&amounts, &header);
	while ((rec = filter_next_document(&f, &text)) != NULL) {
		why = records_read(records, rec, text,
		    (uint32_t)filter_n_begun(&f));
		if (why != NULL)
			filter_reject(&f, "%s", why);
		else if (amounts.n == 0)
			expect_other(&expect, &f, rec);
	}

	if (!records_finish(records))
		filter_fail(&f, "a sum is 2^53 or more");
	expect.came = amounts.n > 0 || f.truncated || f.rejected;
	expect_end(&expect, &f, "record that says what was measured",
	    "the output of another filter");
	header.lacks |= f.lacks;
	if (amounts.n > 0 && !f.truncated) {
		write_profile(&f.out, &header, &amounts);
		filter_emit(&f);
	}
	return filter_end(&f);
}
