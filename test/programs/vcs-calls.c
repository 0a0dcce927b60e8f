/* vcs-calls - the functions of the VCS interface, each from a shell */

#include <stdio.h>
#include <stdlib.h>

#include "common/vcs/vcs.h"

/*
 * vcs-calls TYPE PATH CALL [NAME]: says what the function of Perun's name
 * answers, or on standard error why it does not, with status 1.
 */
static void
fail(const struct vcs *v)
{
	fprintf(stderr, "%s\n", v->why);
	exit(1);
}

static void
say_text(const char *key, struct span text)
{
	printf("%s %.*s\n", key, (int)text.n, text.p);
}

static bool
say_version(struct vcs *v, const char *name)
{
	struct vcs_version version;

	if (!vcs_get_minor_version_info(v, name, &version))
		return false;
	printf("id %s\n", version.id.hex);
	for (size_t i = 0; i < version.n_parents; i++)
		printf("parent %s\n", version.parents[i].hex);
	say_text("author", version.author);
	say_text("email", version.email);
	printf("time %lld\n", (long long)version.time_s);
	say_text("message", version.message);
	return true;
}

/* All ids; in the middle of it other questions are asked. */
static bool
say_walk(struct vcs *v, const char *range)
{
	struct vcs_limits limits = { 0 };
	struct vcs_version version;
	enum vcs_found found = VCS_FAILED;
	struct vcs_id id;
	bool dirty;

	if (vcs_add_limits(v, range, &limits) && vcs_walk_minor_versions(v,
	    limits.list, limits.n, false))
		while ((found = vcs_next_minor_version(v, &version)) ==
		    VCS_FOUND) {
			puts(version.id.hex);
			vcs_massage_parameter(v, ":/e", VCS_ANY, &id, NULL);
			vcs_get_minor_version_info(v, "HEAD~1", &version);
			vcs_is_dirty(v, &dirty);
		}
	free(limits.list);
	return found == VCS_NONE;
}

static bool
say_branches(struct vcs *v)
{
	struct vcs_branch branch;
	enum vcs_found found;

	if (!vcs_walk_major_versions(v))
		return false;
	while ((found = vcs_next_major_version(v, &branch)) == VCS_FOUND)
		printf("%s %s%s\n", branch.name, branch.has_id ?
		    branch.id.hex : "-", branch.is_head ? " HEAD" : "");
	return found == VCS_NONE;
}

static bool
say_id(struct vcs *v, const char *name, const char *kind_name)
{
	enum vcs_kind kind, found = VCS_ANY;
	struct vcs_id id;

	if (!vcs_kind_of(kind_name, &kind) ||
	    !vcs_massage_parameter(v, name, kind, &id, &found))
		return false;
	printf("%s %s\n", id.hex, vcs_kind_name(found));
	return true;
}

static bool
say_head(struct vcs *v)
{
	struct vcs_id id;

	if (!vcs_get_minor_head(v, &id))
		return false;
	puts(id.hex);
	return true;
}

static bool
say_branch(struct vcs *v)
{
	const char *name;

	if (!vcs_get_head_major_version(v, &name))
		return false;
	puts(name);
	return true;
}

static bool
say_dirty(struct vcs *v)
{
	bool dirty;

	if (!vcs_is_dirty(v, &dirty))
		return false;
	puts(dirty ? "dirty" : "clean");
	return true;
}

static bool
call(struct vcs *v, const char *what, const char *name, const char *kind)
{
	if (strcmp(what, "get_minor_head") == 0)
		return say_head(v);
	if (strcmp(what, "get_head_major_version") == 0)
		return say_branch(v);
	if (strcmp(what, "walk_minor_versions") == 0)
		return say_walk(v, name);
	if (strcmp(what, "walk_major_versions") == 0)
		return say_branches(v);
	if (strcmp(what, "get_minor_version_info") == 0)
		return say_version(v, name);
	if (strcmp(what, "check_minor_version_validity") == 0)
		return vcs_check_minor_version_validity(v, name);
	if (strcmp(what, "massage_parameter") == 0)
		return say_id(v, name, kind);
	if (strcmp(what, "is_dirty") == 0)
		return say_dirty(v);
	bug("no call '%s'", what);
}

int
main(int argc, char **argv)
{
	const char *type = argv[1], *path = argv[2], *what = argv[3];
	const char *name = argc > 4 ? argv[4] : "HEAD";
	struct vcs v;

	if (argc < 4)
		return 2;
	if (strcmp(what, "init") == 0) {
		if (!vcs_init(&v, type, path))
			fail(&v);
	} else {
		if (!vcs_open(&v, type, path, false) ||
		    !call(&v, what, name, argc > 5 ? argv[5] : "any"))
			fail(&v);
	}
	vcs_close(&v);
	return 0;
}
