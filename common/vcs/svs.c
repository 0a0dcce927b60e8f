/* svs - the back end for Perun's single version system: one version, HEAD */

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/backend.h"

#define BRANCH "master"
#define ID "HEAD"

struct svs {
	int64_t time_s;		/* of the directory; INT_UNKNOWN without one */
	struct buf author, email;	/* empty if they are not known */
	bool version_done;	/* the walk has returned the only version */
};

static const struct vcs_id head = { ID };

/*
 * Nothing but a store marks a directory of this system, so none is found
 * upwards.  A directory that is missing is not an error, because the version
 * does not depend on it: a store that was moved may name it by an absolute
 * path.
 */
static enum vcs_found
open_svs(struct vcs *v, const char *path, bool upwards)
{
	const struct passwd *user;
	char host[HOST_NAME_MAX + 1] = "";
	struct stat st;
	struct svs *svs;

	if (upwards)
		return VCS_NOT_FOUND;
	v->state = svs = mem_zero(1, sizeof *svs);
	if (path == NULL)
		path = ".";
	svs->time_s = INT_UNKNOWN;
	if (stat(path, &st) == 0)
		svs->time_s = st.st_ctime;
	else if (err_is_failure(errno))
		die_errno("cannot examine '%s'", path);

	/* The author is the user who runs this process, as in Perun. */
	errno = 0;
	user = getpwuid(getuid());
	if (user == NULL && err_is_failure(errno))
		die_errno("cannot look up the user");
	if (user != NULL) {
		buf_str(&svs->author, user->pw_name);
		if (gethostname(host, sizeof host - 1) == 0)
			buf_printf(&svs->email, "%s@%s", user->pw_name, host);
	}
	return VCS_FOUND;
}

static void
close_svs(struct vcs *v)
{
	struct svs *svs = v->state;

	buf_release(&svs->author);
	buf_release(&svs->email);
	free(svs);
}

/* The system has no files of its own: only creates the directory. */
static bool
init(struct vcs *v, const char *path)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return vcs_fail(v, "cannot create '%.400s': %s", path,
		    strerror(errno));
	return true;
}

static bool
get_minor_head(struct vcs *v, struct vcs_id *id)
{
	(void)v;
	*id = head;
	return true;
}

static bool
get_head_major_version(struct vcs *v, const char **name)
{
	(void)v;
	*name = BRANCH;
	return true;
}

static bool
massage_parameter(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	if (strcmp(name, ID) != 0 && strcmp(name, "@") != 0 &&
	    strcmp(name, BRANCH) != 0)
		return vcs_fail(v, "nothing has this name (svs has one "
		    "version, " ID ")");
	if (kind != VCS_ANY && kind != VCS_COMMIT)
		return vcs_fail(v, "it is a commit");
	*id = head;
	*actual_kind = VCS_COMMIT;
	return true;
}

static bool
get_minor_version_info(struct vcs *v, const struct vcs_id *id,
    struct vcs_version *version)
{
	const struct svs *svs = v->state;

	*version = (struct vcs_version){ .id = *id,
	    .author = buf_span(&svs->author), .email = buf_span(&svs->email),
	    .time_s = svs->time_s, .author_time_s = INT_UNKNOWN,
	    .utc_offset_minutes = INT_UNKNOWN,
	    .message = span_str("Singleton version") };
	return true;
}

/* All tips are HEAD; if any is excluded, nothing is left of its history. */
static bool
walk_minor_versions(struct vcs *v, const struct vcs_tip *tips, size_t n,
    bool first_parent)
{
	struct svs *svs = v->state;

	(void)first_parent;
	svs->version_done = n == 0;
	for (size_t i = 0; i < n; i++)
		svs->version_done |= tips[i].excluded;
	return true;
}

static enum vcs_found
next_minor_version(struct vcs *v, struct vcs_version *version)
{
	struct svs *svs = v->state;

	if (svs->version_done)
		return VCS_NOT_FOUND;
	svs->version_done = true;
	get_minor_version_info(v, &head, version);
	return VCS_FOUND;
}

static bool
walk_major_versions(struct vcs *v, const struct vcs_branch **branches,
    size_t *n)
{
	static const struct vcs_branch branch = { .name = BRANCH,
	    .has_id = true, .id = { ID } };

	(void)v;
	*branches = &branch;
	*n = 1;
	return true;
}

static bool
is_dirty(struct vcs *v, bool *dirty)
{
	(void)v;
	*dirty = false;
	return true;
}

const struct vcs_backend vcs_svs = {
	.type = "svs",
	.needs_store = true,
	.open = open_svs,
	.close = close_svs,
	.init = init,
	.get_minor_head = get_minor_head,
	.get_head_major_version = get_head_major_version,
	.massage_parameter = massage_parameter,
	.get_minor_version_info = get_minor_version_info,
	.walk_minor_versions = walk_minor_versions,
	.next_minor_version = next_minor_version,
	.walk_major_versions = walk_major_versions,
	.is_dirty = is_dirty,
};
