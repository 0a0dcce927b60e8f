/* salvage - recovers entries from a malformed index */

#include <string.h>

#include "common/base/mem.h"
#include "filters/pidx-fsck/salvage.h"

/* An entry begins with the time (4 bytes), the object's name and the path. */
enum { OBJECT_OFFSET = 4, PATH_OFFSET = OBJECT_OFFSET + PIDX_SHA_SIZE };

/*
 * The length of a path, with its NUL.  Perun before 0.5 wrote complete paths,
 * which Linux limits to this length.
 */
enum { PATH_LEN_MAX = 4096 };

/* Does an entry at this offset have a path that ends with a NUL? */
static bool
has_terminated_path(struct span bytes, size_t at)
{
	size_t remaining = bytes.n - at - PATH_OFFSET;

	return memchr(bytes.p + at + PATH_OFFSET, '\0',
	    remaining < PATH_LEN_MAX ? remaining : PATH_LEN_MAX) != NULL;
}

/*
 * Sets p to the entries of its layout.  Returns how many joints there are: a
 * joint is a place where two entries touch, or one of them touches the header
 * or the end of the file.  In the right layout most places are joints.
 *
 * Goes from the end of the file to its beginning, and takes each candidate that
 * ends before the one taken last.  As always the one that starts last is taken,
 * no other choice has more entries.  An example with three candidates, of which
 * A has a damaged length, so that it contains the others:
 *
 *	offset	    12	       112	  222		400
 *	candidates  A-----------------------------------A
 *			       B----------BC------------C
 *
 * C and B are taken.  The tests are ordered by cost; most offsets fail the
 * first one, which searches for the object's name.
 */
static size_t
recover(struct pidx *p, struct span bytes,
    bool (*is_object)(void *context, const unsigned char *name), void *context)
{
	struct span rest = bytes;	/* up to the entry taken last */
	struct pidx_entry e;
	size_t end, joints = 0;

	for (size_t at = bytes.n; at-- > 0;) {
		if (at + PATH_OFFSET >= rest.n || !is_object(context,
		    (const unsigned char *)rest.p + at + OBJECT_OFFSET) ||
		    !has_terminated_path(rest, at) ||
		    !pidx_entry_at(rest, at, p->layout, &e, &end))
			continue;
		p->entries = mem_grow(p->entries, &p->cap, p->n + 1,
		    sizeof *p->entries);
		p->entries[p->n++] = e;
		joints += end == rest.n;
		rest.n = at;
	}
	/* In the order of their offsets. */
	for (size_t i = 0; i < p->n / 2; i++) {
		e = p->entries[i];
		p->entries[i] = p->entries[p->n - 1 - i];
		p->entries[p->n - 1 - i] = e;
	}
	return joints + (rest.n == PIDX_HEADER_SIZE);
}

/*
 * Sets layouts to those to try, the most likely one first; returns how many
 * they are.  The header has a magic number and the version, 1 or 2.
 */
static size_t
possible_layouts(struct span bytes, enum pidx_layout *layouts)
{
	bool has_magic = bytes.n >= 8 && memcmp(bytes.p, "pidx", 4) == 0;
	bool is_1 = bytes.n >= 8 && memcmp(bytes.p + 4, "\1\0\0\0", 4) == 0;
	bool is_2 = bytes.n >= 8 && memcmp(bytes.p + 4, "\2\0\0\0", 4) == 0;

	if (is_1) {
		layouts[0] = PIDX_1;
		layouts[1] = PIDX_2;
		layouts[2] = PIDX_2_LABEL;
		return has_magic ? 1 : 3;
	}
	layouts[0] = PIDX_2;
	layouts[1] = PIDX_2_LABEL;
	layouts[2] = PIDX_1;
	return has_magic && is_2 ? 2 : 3;
}

void
salvage(struct pidx *p, struct span bytes,
    bool (*is_object)(void *context, const unsigned char *name), void *context)
{
	enum pidx_layout layouts[3];
	size_t n = possible_layouts(bytes, layouts), joints, most_joints = 0;
	struct pidx found;

	*p = (struct pidx){ .layout = layouts[0] };
	for (size_t i = 0; i < n; i++) {
		found = (struct pidx){ .layout = layouts[i] };
		joints = recover(&found, bytes, is_object, context);
		if (found.n < p->n || (found.n == p->n &&
		    joints <= most_joints)) {
			pidx_release(&found);
			continue;
		}
		pidx_release(p);
		*p = found;
		most_joints = joints;
	}
}
