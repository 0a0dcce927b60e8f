/* kind - the names of the kinds of objects */

#include "common/vcs/kind.h"

static const char *const kinds[] = { [VCS_ANY] = "any",
    [VCS_COMMIT] = "commit", [VCS_TREE] = "tree", [VCS_BLOB] = "blob",
    [VCS_TAG] = "tag" };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const char *
vcs_kind_name(enum vcs_kind kind)
{
	return kinds[kind];
}

bool
vcs_kind_of(const char *name, enum vcs_kind *kind)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (strcmp(kinds[i], name) == 0) {
			*kind = (enum vcs_kind)i;
			return true;
		}
	return false;
}
