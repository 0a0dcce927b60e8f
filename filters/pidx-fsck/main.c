/* pidx-fsck - verifies and repairs a Perun store, and removes unused objects */

#include <time.h>

#include "common/base/err.h"
#include "filters/pidx-fsck/pidx-fsck.h"

static struct {
	const char *directory;
	bool repair, prune;
} opt;

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 0, "repair", OPT_FLAG, &opt.repair, NULL,
	    "save what is valid, move damaged files to lost/", 0, 0 },
	{ 0, "prune", OPT_FLAG, &opt.prune, NULL,
	    "remove unreferenced objects", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "",
	.purpose = "Verifies all indexes and objects of a Perun store, and "
	    "writes a finding for\neach fault.",
	.examples = {
	    "pidx-fsck",
	    "pidx-fsck --repair",
	},
	.reports = true,
};

static struct perun perun;
static struct check check;

int
main(int argc, char **argv)
{
	struct filter f;
	bool writes;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands (see --help)");
	perun_open(&perun, opt.directory);
	check = (struct check){ .perun = &perun, .findings.filter = &f,
	    .repair = opt.repair, .prune = opt.prune, .now = time(NULL) };
	writes = opt.repair || opt.prune;
	if (writes)
		store_lock(&perun.store, STORE_ALL);
	check_files(&check);
	check_indexes(&check);
	check_references(&check);
	findings_end(&check.findings, perun.store.path, &check.totals);
	if (writes)
		store_unlock(&perun.store, STORE_ALL);
	perun_close(&perun);
	return filter_end(&f);
}
