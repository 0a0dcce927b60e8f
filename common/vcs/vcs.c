/* vcs - version control by any of the systems that weir knows */

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/vcs/backend.h"

static const struct vcs_backend *const backends[] = { &vcs_git, &vcs_svs };
enum { N_BACKENDS = sizeof backends / sizeof *backends };

static const struct vcs_backend *
find_backend(struct vcs *v, const char *type)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (strcmp(backends[i]->type, type) == 0)
			return backends[i];
	vcs_fail(v, "unknown version control system '%s': --vcs, or vcs.type "
	    "in the store's local.yml, must be git or svs", type);
	return NULL;
}

bool
vcs_open(struct vcs *v, const char *type, const char *path, bool upwards)
{
	const struct vcs_backend *backend =
	    find_backend(v, type != NULL ? type : "git");
	enum vcs_found found;

	if (backend == NULL)
		return false;
	*v = (struct vcs){ .backend = backend };
	found = backend->open(v, path, upwards);
	if (found == VCS_NOT_FOUND)
		vcs_fail(v, "there is no repository%s%s in '%s'%s",
		    type != NULL ? " of type " : "", type != NULL ? type : "",
		    path != NULL ? path : ".", upwards ? " or above" : "");
	return found == VCS_FOUND;
}

void
vcs_close(struct vcs *v)
{
	v->backend->close(v);
}

bool
vcs_init(struct vcs *v, const char *type, const char *path)
{
	const struct vcs_backend *backend = find_backend(v, type);

	return backend != NULL && backend->init(v, path) &&
	    vcs_open(v, type, path, false);
}

bool
vcs_get_minor_head(struct vcs *v, struct vcs_id *id)
{
	return v->backend->get_minor_head(v, id);
}

bool
vcs_get_head_major_version(struct vcs *v, const char **name)
{
	return v->backend->get_head_major_version(v, name);
}

bool
vcs_massage_parameter(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	enum vcs_kind ignored;

	return v->backend->massage_parameter(v, name, kind, id,
	    actual_kind != NULL ? actual_kind : &ignored);
}

bool
vcs_check_minor_version_validity(struct vcs *v, const char *name)
{
	struct vcs_id id;

	return vcs_massage_parameter(v, name, VCS_COMMIT, &id, NULL);
}

bool
vcs_get_minor_version_info(struct vcs *v, const char *name,
    struct vcs_version *version)
{
	struct vcs_id id;

	return vcs_massage_parameter(v, name, VCS_COMMIT, &id, NULL) &&
	    v->backend->get_minor_version_info(v, &id, version);
}

static bool
add_tip(struct vcs *v, const char *name, bool excluded, struct vcs_tips *tips)
{
	char why[VCS_WHY_SIZE];

	tips->list = mem_grow(tips->list, &tips->cap, tips->n + 1,
	    sizeof *tips->list);
	if (vcs_massage_parameter(v, name, VCS_COMMIT, &tips->list[tips->n].id,
	    NULL)) {
		tips->list[tips->n++].excluded = excluded;
		return true;
	}
	memcpy(why, v->why, sizeof why);
	return vcs_fail(v, "'%.200s' does not name a commit: %.700s", name,
	    why);
}

/*
 * Adds the range "A..B", the history of B without that of A; HEAD is the
 * default of both.  dots is the address of ".." in the text.
 */
static bool
add_range(struct vcs *v, const char *text, const char *dots,
    struct vcs_tips *tips)
{
	size_t n = (size_t)(dots - text), before = tips->n;
	char *from = mem_strndup(text, n);
	const char *to = dots + 2;
	bool ok;

	ok = add_tip(v, n > 0 ? from : "HEAD", true, tips) &&
	    add_tip(v, *to != '\0' ? to : "HEAD", false, tips);
	if (!ok)
		tips->n = before;
	free(from);
	return ok;
}

/*
 * A single name may contain two dots, such as ":/stop..", so a text that is not
 * a valid range is tried as a name.  If it is not a name either, the reason why
 * it is not a range is reported.
 */
bool
vcs_add_tips(struct vcs *v, const char *text, struct vcs_tips *tips)
{
	const char *dots = strstr(text, "..");
	char why[VCS_WHY_SIZE];

	if (*text == '^')
		return add_tip(v, text + 1, true, tips);
	if (dots == NULL || strcmp(text, "..") == 0)
		return add_tip(v, text, false, tips);
	if (dots[2] != '.' && add_range(v, text, dots, tips))
		return true;
	if (dots[2] == '.')
		vcs_fail(v, "'%.200s': a range has two dots, not three", text);
	memcpy(why, v->why, sizeof why);
	if (add_tip(v, text, false, tips))
		return true;
	memcpy(v->why, why, sizeof why);
	return false;
}

bool
vcs_walk_minor_versions(struct vcs *v, const struct vcs_tip *tips, size_t n,
    bool first_parent)
{
	return v->backend->walk_minor_versions(v, tips, n, first_parent);
}

enum vcs_found
vcs_next_minor_version(struct vcs *v, struct vcs_version *version)
{
	return v->backend->next_minor_version(v, version);
}

bool
vcs_walk_major_versions(struct vcs *v, const struct vcs_branch **branches,
    size_t *n)
{
	return v->backend->walk_major_versions(v, branches, n);
}

bool
vcs_is_dirty(struct vcs *v, bool *dirty)
{
	return v->backend->is_dirty(v, dirty);
}
