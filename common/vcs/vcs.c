/* vcs - version control by any of the systems that weir knows */

#include <errno.h>
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/vcs/backend.h"

/* A back end is registered here and nowhere else. */
extern const struct vcs_backend vcs_git, vcs_svs;
const struct vcs_backend *const vcs_backends[] = { &vcs_git, &vcs_svs, NULL };
enum { N_BACKENDS = sizeof vcs_backends / sizeof *vcs_backends - 1 };

const char *const vcs_kinds[] = { [VCS_COMMIT] = "commit",
    [VCS_TREE] = "tree", [VCS_BLOB] = "blob", [VCS_TAG] = "tag",
    [VCS_ANY] = "any", NULL };

/* NULL, with a reason, if the type is unknown. */
static const struct vcs_backend *
find_backend(struct vcs *v, const char *type)
{
	struct buf known = { 0 };

	for (size_t i = 0; i < N_BACKENDS; i++)
		if (strcmp(vcs_backends[i]->type, type) == 0)
			return vcs_backends[i];
	for (size_t i = 0; i < N_BACKENDS; i++)
		buf_printf(&known, "%s%s", i > 0 ? ", " : "",
		    vcs_backends[i]->type);
	vcs_fail(v, "unknown version control system '%.200s': it must be one "
	    "of %.500s", type, buf_cstr(&known));
	buf_release(&known);
	return NULL;
}

/*
 * Returns whether a call of a back end has succeeded.  Before the call errno
 * was 0.  Libraries of version control take a file that they cannot read for
 * one that does not exist: errno shows which it was.
 */
static bool
check(const struct vcs *v, bool ok)
{
	if (!ok && err_is_failure(errno))
		die_errno("%s", v->why);
	return ok;
}

bool
vcs_needs_store(const char *type)
{
	struct vcs ignored;
	const struct vcs_backend *backend = find_backend(&ignored, type);

	return backend != NULL && backend->needs_store;
}

enum vcs_found
vcs_open(struct vcs *v, const char *type, const char *path, bool upwards)
{
	const struct vcs_backend *only = NULL;
	enum vcs_found found = VCS_NOT_FOUND;

	if (type != NULL) {
		only = find_backend(v, type);
		if (only == NULL)
			return VCS_FAILED;
	}
	errno = 0;
	for (size_t i = 0; i < N_BACKENDS && found == VCS_NOT_FOUND; i++) {
		if (only != NULL ? vcs_backends[i] != only :
		    vcs_backends[i]->needs_store)
			continue;
		*v = (struct vcs){ .backend = vcs_backends[i] };
		found = v->backend->open(v, path, upwards);
	}
	if (found == VCS_NOT_FOUND)
		vcs_fail(v, "there is no repository%s%s in '%.400s'%s",
		    type != NULL ? " of type " : "", type != NULL ? type : "",
		    path != NULL ? path : ".", upwards ? " or above" : "");
	check(v, found == VCS_FOUND);
	return found;
}

const char *
vcs_type(const struct vcs *v)
{
	return v->backend->type;
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
	    vcs_open(v, type, path, false) == VCS_FOUND;
}

bool
vcs_get_minor_head(struct vcs *v, struct vcs_id *id)
{
	errno = 0;
	return check(v, v->backend->get_minor_head(v, id));
}

bool
vcs_get_head_major_version(struct vcs *v, const char **name)
{
	errno = 0;
	return check(v, v->backend->get_head_major_version(v, name));
}

bool
vcs_massage_parameter(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	enum vcs_kind ignored;

	errno = 0;
	return check(v, v->backend->massage_parameter(v, name, kind, id,
	    actual_kind != NULL ? actual_kind : &ignored));
}

bool
vcs_get_minor_version_info(struct vcs *v, const char *name,
    struct vcs_version *version)
{
	struct vcs_id id;

	return vcs_massage_parameter(v, name, VCS_COMMIT, &id, NULL) &&
	    check(v, v->backend->get_minor_version_info(v, &id, version));
}

/* Adds the commit of this name or, if it is NULL, that which is checked out. */
static bool
add_tip(struct vcs *v, const char *name, bool excluded, struct vcs_tips *tips)
{
	char why[VCS_WHY_SIZE];
	struct vcs_tip *tip;

	tips->list = mem_grow(tips->list, &tips->cap, tips->n + 1,
	    sizeof *tips->list);
	tip = &tips->list[tips->n];
	if (name == NULL ? vcs_get_minor_head(v, &tip->id) :
	    vcs_massage_parameter(v, name, VCS_COMMIT, &tip->id, NULL)) {
		tip->excluded = excluded;
		tips->n++;
		return true;
	}
	if (name == NULL)
		return false;
	memcpy(why, v->why, sizeof why);
	return vcs_fail(v, "'%.200s' does not name a commit: %.700s", name,
	    why);
}

/*
 * Adds the range "A..B", the history of B without that of A.  dots is the
 * address of ".." in the text.
 */
static bool
add_range(struct vcs *v, const char *text, const char *dots,
    struct vcs_tips *tips)
{
	size_t n = (size_t)(dots - text), before = tips->n;
	char *from = mem_strndup(text, n);
	const char *to = dots + 2;
	bool ok;

	ok = add_tip(v, n > 0 ? from : NULL, true, tips) &&
	    add_tip(v, *to != '\0' ? to : NULL, false, tips);
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
	char why[VCS_WHY_SIZE];
	const char *dots;

	if (text == NULL)
		return add_tip(v, NULL, false, tips);
	if (*text == '^')
		return add_tip(v, text + 1, true, tips);
	dots = strstr(text, "..");
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
	errno = 0;
	return check(v, v->backend->walk_minor_versions(v, tips, n,
	    first_parent));
}

enum vcs_found
vcs_next_minor_version(struct vcs *v, struct vcs_version *version)
{
	enum vcs_found found;

	errno = 0;
	found = v->backend->next_minor_version(v, version);
	check(v, found != VCS_FAILED);
	return found;
}

bool
vcs_walk_major_versions(struct vcs *v, const struct vcs_branch **branches,
    size_t *n)
{
	errno = 0;
	return check(v, v->backend->walk_major_versions(v, branches, n));
}

bool
vcs_is_dirty(struct vcs *v, bool *dirty)
{
	errno = 0;
	return check(v, v->backend->is_dirty(v, dirty));
}
