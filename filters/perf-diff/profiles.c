/* profiles - reads the profiles of a commit from a Perun store */

#include <sys/stat.h>

#include "common/filter/filter-reject.h"
#include "common/perun/index.h"
#include "filters/perf-diff/profiles.h"

/* Returns the number of profiles. */
static size_t
read_index(struct reader *r, struct filter *f, struct perun *perun,
    const unsigned char *version, uint32_t side)
{
	struct buf bytes = { 0 }, explanation = { 0 }, packed = { 0 };
	struct object object = { 0 };
	const struct pidx_entry *e;
	struct pidx index;
	const char *why;
	size_t n;

	if (index_read(perun, version, &bytes, &index, &explanation) ==
	    STORE_FAILED)
		filter_fail(f, "%s", explanation.data);
	/* Even after an error, the index has the entries before the damage. */
	n = index.n;
	for (size_t i = 0; i < n; i++) {
		e = &index.entries[i];
		why = NULL;
		if (perun_read_object(&perun->store, e->object, &packed,
		    &object, &why))
			why = reader_add_profile(r, f, object.body, side);
		if (why != NULL)
			filter_fail(f, "cannot read the profile '%.*s': %s",
			    SPAN_ARG(e->path), why);
	}
	pidx_release(&index);
	buf_release(&bytes);
	buf_release(&explanation);
	buf_release(&packed);
	buf_release(&object.text);
	return n;
}

/* Reads the newest ancestor of a commit that has profiles, and sets its id. */
static size_t
read_nearest(struct reader *r, struct filter *f, struct perun *perun,
    unsigned char *version, uint32_t side)
{
	struct vcs_tip tip = { 0 };
	struct vcs_version v;
	const char *why;
	size_t n = 0;

	store_id(tip.id.hex, version);
	if (!perun_open_repository(perun, &why) ||
	    !vcs_walk_minor_versions(&perun->vcs, &tip, 1, false))
		return 0;
	while (n == 0 &&
	    vcs_next_minor_version(&perun->vcs, &v) == VCS_FOUND) {
		store_parse_id(span_str(v.id.hex), version);
		n = read_index(r, f, perun, version, side);
	}
	return n;
}

char *
profiles_read(struct reader *r, struct filter *f, const char *directory,
    const char *commit, uint32_t side, bool *nearest, struct buf *why)
{
	unsigned char version[STORE_NAME_SIZE], tag[STORE_NAME_SIZE];
	struct perun perun;
	const char *reason;
	struct stat st;
	char *id;
	size_t n;

	if (!perun_find(&perun, directory, &reason)) {
		buf_printf(why, " of a store: %s", reason);
		return NULL;
	}
	if (!perun_open_repository(&perun, &reason) ||
	    !perun_resolve_version(&perun, commit, version, &reason)) {
		buf_printf(why, ": %s", reason);
		perun_close(&perun);
		return NULL;
	}
	if (stat(commit, &st) == 0 && !S_ISDIR(st.st_mode))
		filter_warn(f, "'%s' is a commit and a file: the commit is "
		    "read, ./%s would be the file", commit, commit);

	n = read_index(r, f, &perun, version, side);
	/* Perun registers profiles with an annotated tag under its own id. */
	if (perun_resolve_tag(&perun, commit, tag))
		n += read_index(r, f, &perun, tag, side);
	if (n > 0)
		*nearest = false;
	else if (*nearest)
		n = read_nearest(r, f, &perun, version, side);
	if (n == 0)
		die("no profile is registered with '%s'%s", commit, *nearest ?
		    " or an ancestor of it" : "");
	id = mem_alloc(STORE_ID_SIZE);
	store_id(id, version);
	perun_close(&perun);
	return id;
}
