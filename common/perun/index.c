/* index - reads the index of a version, and explains why it cannot be read */

#include "common/base/err.h"
#include "common/perun/index.h"
#include "common/perun/layout.h"

void
index_explain_error(const struct store *s, const unsigned char *version,
    const struct pidx_error *error, struct buf *why)
{
	char path[STORE_PATH_SIZE];

	store_path(path, version);
	why->len = 0;
	buf_printf(why, "%s/%s: ", s->path, path);
	if (error == NULL)
		buf_str(why, "it is not a regular file");
	else
		buf_printf(why, "byte %zu: %s", error->offset, error->why);
	buf_cstr(why);
}

/* Warns of entries that may have been read wrongly. */
static void
warn_undecided(const struct store *s, const unsigned char *version,
    const struct pidx *index)
{
	char path[STORE_PATH_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < index->n; i++)
		n += index->entries[i].is_undecided;
	if (n == 0)
		return;
	store_path(path, version);
	err_warn("warning: %s/%s: without the objects of %zu of %zu entries it "
	    "cannot be decided whether their third and fourth strings are the "
	    "workload and label, as is assumed, or the arguments and the "
	    "workload", s->path, path, n, index->n);
}

enum store_found
index_read(struct perun *p, const unsigned char *version,
    struct buf *bytes, struct pidx *index, struct buf *why)
{
	const struct store *s = &p->store;
	struct pidx_error error;
	enum store_found found;
	bool ok = false;

	*index = (struct pidx){ 0 };
	bytes->len = 0;
	found = store_read(s, version, bytes);
	if (found == STORE_FOUND) {
		ok = layout_parse(s, index, buf_span(bytes), &error);
		layout_decide(p, index);
		warn_undecided(s, version, index);
	}
	if (ok || found == STORE_ABSENT)
		return found;
	index_explain_error(s, version,
	    found == STORE_FAILED ? NULL : &error, why);
	return STORE_FAILED;
}
