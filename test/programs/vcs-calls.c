/*
 * vcs-calls - calls the functions of common/vcs/vcs.h from a shell
 *
 * vcs-calls TYPE PATH CALL [NAME [KIND]]: CALL is the name of a function
 * without "vcs_".  NAME is HEAD by default; for walk_minor_versions it is a
 * range.  KIND is "any" by default.  Prints the result of the function, if it
 * has one besides success.  If it fails, prints why to standard error and exits
 * with 1.
 */

#include <stdio.h>
#include <stdlib.h>

#include "common/vcs/vcs.h"

static void
fail(const struct vcs *v)
{
	fprintf(stderr, "%s\n", v->why);
	exit(1);
}

static void
print_text(const char *key, struct span text)
{
	printf("%s %.*s\n", key, (int)text.n, text.p);
}

static bool
print_version(struct vcs *v, const char *name)
{
	struct vcs_version version;

	if (!vcs_get_minor_version_info(v, name, &version))
		return false;
	printf("id %s\n", version.id.hex);
	for (size_t i = 0; i < version.n_parents; i++)
		printf("parent %s\n", version.parents[i].hex);
	print_text("author", version.author);
	print_text("email", version.email);
	printf("time %lld\n", (long long)version.time_s);
	print_text("message", version.message);
	return true;
}

/* Prints the ids of a walk; the calls between its steps must not affect it. */
static bool
print_walk(struct vcs *v, const char *range)
{
	struct vcs_tips tips = { 0 };
	struct vcs_version version;
	enum vcs_found found = VCS_FAILED;
	struct vcs_id id;
	bool dirty;

	if (vcs_add_tips(v, range, &tips) && vcs_walk_minor_versions(v,
	    tips.list, tips.n, false))
		while ((found = vcs_next_minor_version(v, &version)) ==
		    VCS_FOUND) {
			puts(version.id.hex);
			vcs_massage_parameter(v, ":/e", VCS_ANY, &id, NULL);
			vcs_get_minor_version_info(v, "HEAD~1", &version);
			vcs_is_dirty(v, &dirty);
		}
	free(tips.list);
	return found == VCS_NOT_FOUND;
}

static bool
print_branches(struct vcs *v)
{
	const struct vcs_branch *branches, *b;
	size_t n;

	if (!vcs_walk_major_versions(v, &branches, &n))
		return false;
	for (b = branches; b < branches + n; b++)
		printf("%s %s\n", b->name, b->has_id ? b->id.hex : "-");
	return true;
}

static bool
print_id(struct vcs *v, const char *name, const char *kind_name)
{
	enum vcs_kind kind = VCS_COMMIT, found = VCS_ANY;
	struct vcs_id id;

	while (strcmp(vcs_kinds[kind], kind_name) != 0)
		kind++;
	if (!vcs_massage_parameter(v, name, kind, &id, &found))
		return false;
	printf("%s %s\n", id.hex, vcs_kinds[found]);
	return true;
}

static bool
print_head(struct vcs *v)
{
	struct vcs_id id;

	if (!vcs_get_minor_head(v, &id))
		return false;
	puts(id.hex);
	return true;
}

static bool
print_branch(struct vcs *v)
{
	const char *name;

	if (!vcs_get_head_major_version(v, &name))
		return false;
	puts(name);
	return true;
}

static bool
print_dirty(struct vcs *v)
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
		return print_head(v);
	if (strcmp(what, "get_head_major_version") == 0)
		return print_branch(v);
	if (strcmp(what, "walk_minor_versions") == 0)
		return print_walk(v, name);
	if (strcmp(what, "walk_major_versions") == 0)
		return print_branches(v);
	if (strcmp(what, "get_minor_version_info") == 0)
		return print_version(v, name);
	if (strcmp(what, "massage_parameter") == 0)
		return print_id(v, name, kind);
	if (strcmp(what, "is_dirty") == 0)
		return print_dirty(v);
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
		if (vcs_open(&v, type, path, false) != VCS_FOUND ||
		    !call(&v, what, name, argc > 5 ? argv[5] : "any"))
			fail(&v);
	}
	vcs_close(&v);
	return 0;
}
