/* profile-make - makes one Perun profile of what records measure */

#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "filters/profile-make/keys.h"
#include "filters/profile-make/records.h"
#include "filters/profile-make/write.h"

static struct {
	const char *type, *unit, *workload, *cmd, *label, *origin;
} opt = { .unit = "" };

static const struct opt options[] = {
	{ 't', "type", OPT_STR, &opt.type, "TYPE",
	    "the profile is of this type: time, memory or mixed", 0, 0 },
	{ 'u', "unit", OPT_STR, &opt.unit, "UNIT",
	    "the unit of values without one", 0, 0 },
	{ 'w', "workload", OPT_STR, &opt.workload, "WORKLOAD",
	    "what the command worked on", 0, 0 },
	{ 'b', "cmd", OPT_STR, &opt.cmd, "CMD",
	    "the command that was measured", 0, 0 },
	{ 'l', "label", OPT_STR, &opt.label, "LABEL",
	    "any text, for today's Perun", 0, 0 },
	{ 0, "origin", OPT_STR, &opt.origin, "ID",
	    "the id of the commit that was measured", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[file ...]",
	.purpose = "Makes one Perun profile of what records measure: tasks, "
	    "groups, critical paths,\noperations, functions, samples.",
	.reads = "records of what was measured",
	.keys = records_keys,
};

static const char *const types[] = { "time", "memory", "mixed", NULL };

int
main(int argc, char **argv)
{
	struct amounts amounts;
	struct header header = { 0 };
	struct records *records;
	struct filter f;
	const struct rec *rec;
	struct span text;
	const char *why;
	size_t n_read = 0;

	filter_begin(&f, &about, options, argc, argv);
	filter_write_text(&f);
	if (opt.type != NULL)
		header.type = types[opt_choice("type", opt.type, types,
		    sizeof *types)];
	header.unit = span_str(opt.unit);
	header.parts[PART_CMD].text = opt.cmd;
	header.parts[PART_WORKLOAD].text = opt.workload;
	header.parts[PART_LABEL].text = opt.label;
	header.parts[PART_ORIGIN].text = opt.origin;
	for (unsigned i = 0; i < N_PARTS; i++)
		header.parts[i].is_fixed = header.parts[i].text != NULL;

	amounts_init(&amounts);
	records = records_new(&amounts, &header);
	while ((rec = filter_next_document(&f, &text)) != NULL) {
		n_read++;
		why = records_read(records, rec, text,
		    (uint32_t)filter_n_begun(&f));
		if (why != NULL)
			filter_reject(&f, "%s", why);
	}

	if (amounts.n == 0 && n_read > 0 && !f.truncated && !f.rejected)
		filter_fail(&f, "no record says what was measured");
	if (amounts.n > 0 && !f.truncated) {
		write_profile(&f.out, &header, &amounts);
		filter_emit(&f);
	}
	records_free(records);
	amounts_release(&amounts);
	return filter_end(&f);
}
