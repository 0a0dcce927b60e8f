/* pidx-fsck - verifies a Perun store, repairs it and removes what is unused */

#include "common/base/err.h"
#include "filters/pidx-fsck/check.h"

static struct {
	const char *directory;
	bool repair, prune;
} opt = { .directory = "." };

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 0, "repair", OPT_FLAG, &opt.repair, NULL,
	    "keep what can be saved, set aside what is damaged", 0, 0 },
	{ 0, "prune", OPT_FLAG, &opt.prune, NULL,
	    "remove what nothing refers to", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "",
	.purpose = "Verifies all indexes and objects of a Perun store, and "
	    "writes a finding for\neverything that is wrong.",
	.reports = true,
};

int
main(int argc, char **argv)
{
	struct filter f;
	struct perun perun;
	struct check check = { 0 };
	bool changes;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands (see --help)");
	perun_open(&perun, opt.directory);
	check.repair = opt.repair;
	check.prune = opt.prune;
	changes = opt.repair || opt.prune;
	/* In the order of pidx-write: neither waits for the other in vain. */
	if (changes) {
		store_lock(&perun.store, STORE_PRUNE);
		store_lock(&perun.store, STORE_INDEX);
	}
	check_begin(&check, &perun, &f);
	check_files(&check);
	check_indexes(&check);
	check_references(&check);
	findings_end(&check.findings, perun.store.path, &check.totals);
	if (changes) {
		store_unlock(&perun.store, STORE_INDEX);
		store_unlock(&perun.store, STORE_PRUNE);
	}
	check_release(&check);
	perun_close(&perun);
	return filter_end(&f);
}
