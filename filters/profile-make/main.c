/* profile-make - makes one Perun profile of what records measure */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/filter/filter-read.h"
#include "common/filter/filter-reject.h"
#include "filters/profile-make/records.h"
#include "filters/profile-make/write.h"

static struct {
	const char *type, *unit, *workload, *cmd, *label, *origin, *machine;
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
	{ 'M', "machine", OPT_STR, &opt.machine, "NAME",
	    "the machine that measured; auto: its processor", 0, 0 },
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
	.reads_python = true,
};

static const char *const types[] = { "time", "memory", "mixed", NULL };

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
	struct buf machine = { 0 };
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
	buf_release(&machine);
	amounts_release(&amounts);
	return filter_end(&f);
}
