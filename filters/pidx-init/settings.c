/* settings - writes a new local.yml */

#include "common/base/text.h"
#include "filters/pidx-init/settings.h"

/* The last part of a new local.yml, which is the same in every store. */
static const char template[] =
    "# The job matrix: every command runs with every workload under every\n"
    "# collector, and all postprocessors process the result, in order.\n"
    "# pidx-jobs(1) lists the jobs.\n"
    "#cmds:\n"
    "#  - ./build/program\n"
    "#workloads:\n"
    "#  - small.txt\n"
    "#  - large.txt\n"
    "#collectors:\n"
    "#  - name: time\n"
    "#    params:\n"
    "#      repeat: 10\n"
    "#postprocessors:\n"
    "#  - name: regression_analysis\n"
    "#    params:\n"
    "#      method: full\n"
    "\n"
    "# How profiles are listed and named.\n"
    "format:\n"
    "  sort_profiles_by: time\n"
    "#  output_profile_template: \"%collector%-%cmd%-%workload%-%date%\"\n"
    "\n"
    "# Commands to run before profiles are collected.\n"
    "#execute:\n"
    "#  pre_run:\n"
    "#    - make\n"
    "\n"
    "# Whether a profile is registered as soon as it is collected.\n"
    "#profiles:\n"
    "#  register_after_run: true\n"
    "\n"
    "# How degradations are looked for: the first strategy that fits, or all.\n"
    "#degradation:\n"
    "#  apply: all\n"
    "#  strategies:\n"
    "#    - method: average_amount_threshold\n";

/*
 * Appends a YAML string.  Escapes the characters that YAML forbids, such as
 * U+FFFE and (unlike JSON) DEL, and those that it treats as line breaks, such
 * as U+2028.  For simplicity, whole ranges that contain these are escaped.
 */
static void
put_text(struct buf *b, const char *p, size_t n)
{
	size_t step;
	uint32_t c;

	buf_char(b, '"');
	for (; n > 0; p += step, n -= step) {
		step = utf8_char(p, n, &c);	/* the url is valid UTF-8 */
		if (c == '"' || c == '\\')
			buf_char(b, '\\');
		if ((c >= 0x20 && c < 0x7f) || (c >= 0xa0 && c < 0x2000) ||
		    (c >= 0x2100 && c < 0xfe00) || c >= 0x10000)
			buf_add(b, p, step);
		else
			buf_printf(b, "\\U%08x", c);
	}
	buf_char(b, '"');
}

void
settings_put(struct buf *b, const char *vcs_type, struct span url,
    const char *index_version)
{
	buf_str(b, "# Settings of a Perun store; pidx-init(1) describes those "
	    "that weir reads.\n\n"
	    "# The repository whose commits the profiles belong to.  A "
	    "relative url is\n# relative to the directory of this file.\n");
	buf_printf(b, "vcs:\n  type: %s\n  url: ", vcs_type);
	put_text(b, url.p, url.n);
	buf_str(b, "\n\n# The layout of new indexes: 1, 2args, 2 or 2label "
	    "(see pidx-write(1)).\n# Without it they are like the newest "
	    "other index, or as today's Perun writes\n# them.\n");
	if (index_version != NULL)
		buf_printf(b, "weir:\n  index_version: %s\n\n",
		    index_version);
	else
		buf_str(b, "#weir:\n#  index_version: 2label\n\n");
	buf_str(b, template);
}
