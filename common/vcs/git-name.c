/* git-name - resolves the names of objects in git */

#include <errno.h>
#include <regex.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/vcs/git-commit.h"
#include "common/vcs/git-name.h"
#include "common/vcs/git-repo.h"
#include "common/vcs/git-walk.h"
#include "common/vcs/git.h"

/*
 * Resolves a revision such as "HEAD@{1}^{/fix}~2:Makefile".  libgit2's
 * git_revparse_single() understands nearly everything that gitrevisions(7)
 * describes.  What it does not understand, or understands differently than git,
 * is resolved here and replaced in the text that libgit2 gets:
 *
 *	@~2		HEAD~2
 *	HEAD@{2}	the id in the reflog of HEAD; libgit2 uses that of the
 *			branch that is checked out
 *	REV^{object}	REV
 *	:path, :2:path	the id of a file in the index
 *	:/text, REV^{/text}	the id of the first commit, in the order of
 *			git-rev-list(1), whose message matches (text is a POSIX
 *			extended regular expression)
 *
 * An abbreviated id that several objects share is resolved if only one of them
 * can be peeled to the type that is required, as in git.
 */

static const git_object_t types[] = { [VCS_COMMIT] = GIT_OBJECT_COMMIT,
    [VCS_TREE] = GIT_OBJECT_TREE, [VCS_BLOB] = GIT_OBJECT_BLOB,
    [VCS_TAG] = GIT_OBJECT_TAG, [VCS_ANY] = GIT_OBJECT_ANY };

static enum vcs_kind
kind_of(git_object_t type)
{
	unsigned i = VCS_COMMIT;

	while (i < VCS_ANY && types[i] != type)
		i++;
	return (enum vcs_kind)i;
}

/*
 * Dies if libgit2 has not found a name because the machine has failed: looks
 * for the object that its message names by "(ID)" and for that of the reference
 * with which the name begins.
 */
static void
check_name(struct gitvcs *g, const char *name, int error)
{
	const git_error *e = git_error_last();
	const char *id = e == NULL ? NULL : strchr(e->message, '(');
	char *base;
	git_reference *ref;
	git_oid oid;

	gitvcs_check(error, name);
	if (id != NULL && git_oid_fromstrn(&oid, id + 1, VCS_ID_LEN) == 0)
		gitvcs_check_object(g, &oid);
	base = mem_strndup(name, strcspn(name, "^~:@"));
	errno = 0;
	error = *base == '\0' ? GIT_ENOTFOUND :
	    git_reference_dwim(&ref, g->repo, base);
	gitvcs_check(error == 0 ? GIT_ENOTFOUND : error, name);
	if (error == 0) {
		gitvcs_check_object(g, git_reference_target(ref));
		git_reference_free(ref);
	}
	free(base);
}

/* Sets the reason for an error code of libgit2, and returns false. */
static bool
explain(struct vcs *v, int error)
{
	const git_error *e = git_error_last();

	if (error == GIT_ENOTFOUND)
		return vcs_fail(v, "nothing has this name");
	if (error == GIT_EAMBIGUOUS)
		return vcs_fail(v, "it is ambiguous: several ids begin "
		    "with it");
	if (error == GIT_EINVALIDSPEC || e == NULL)
		return vcs_fail(v, "it is not a revision that git understands");
	return vcs_fail(v, "%.500s", e->message);
}

/* --- abbreviations --- */

/* A search for objects whose ids have a prefix and that peel to a type. */
struct candidates {
	git_repository *repo;
	git_oid prefix, found;		/* found: the last candidate */
	size_t prefix_len, n;		/* n: how many candidates */
	git_object_t type;
};

static int
add_candidate(const git_oid *id, void *context)
{
	struct candidates *c = context;
	git_object *object, *peeled;
	int error;

	/* An object that is in several packs is listed several times. */
	if (git_oid_ncmp(id, &c->prefix, c->prefix_len) != 0 ||
	    (c->n > 0 && git_oid_equal(id, &c->found)))
		return 0;
	error = git_object_lookup(&object, c->repo, id, GIT_OBJECT_ANY);
	if (error != 0) {
		gitvcs_check(error, "an object");
		return 0;
	}
	error = git_object_peel(&peeled, object, c->type);
	if (error == 0) {
		git_object_free(peeled);
		c->found = *id;
		c->n++;
	} else {
		gitvcs_check(error, "an object");
	}
	git_object_free(object);
	return 0;
}

/*
 * The type to which an abbreviated id must be peeled, given the character that
 * follows it ("ID:path" needs a tree, "ID~2" a commit) or, if none does, the
 * kind of the result.
 */
static git_object_t
required_type(char next, enum vcs_kind kind)
{
	if (next == ':' || (next == '\0' && kind == VCS_TREE))
		return GIT_OBJECT_TREE;
	if (next == '~' || next == '^' || kind == VCS_COMMIT)
		return GIT_OBJECT_COMMIT;
	return GIT_OBJECT_ANY;
}

/*
 * Resolves a name that begins with an ambiguous abbreviation, if exactly one of
 * the objects has the required type.  Returns an error code of libgit2, or 0.
 */
static int
resolve_ambiguous(struct gitvcs *g, const char *name, enum vcs_kind kind,
    git_object **object)
{
	size_t n = strspn(name, "0123456789abcdefABCDEF");
	struct candidates c = { .repo = g->repo, .prefix_len = n,
	    .type = required_type(name[n], kind) };
	struct vcs_id id;
	struct buf full = { 0 };
	int error;

	if (n < GIT_OID_MINPREFIXLEN || n >= VCS_ID_LEN ||
	    (name[n] != '\0' && strchr("~^:", name[n]) == NULL) ||
	    c.type == GIT_OBJECT_ANY ||
	    git_oid_fromstrn(&c.prefix, name, n) != 0 ||
	    git_odb_foreach(g->odb, add_candidate, &c) != 0 || c.n != 1)
		return GIT_EAMBIGUOUS;
	gitvcs_format_id(&id, &c.found);
	buf_str(&full, id.hex);
	buf_str(&full, name + n);
	error = git_revparse_single(object, g->repo, buf_cstr(&full));
	buf_release(&full);
	return error;
}

/* --- searches through messages --- */

/*
 * Compiles a text to search for.  "!-text" matches messages without the text;
 * "!!text" searches for "!text".
 */
static bool
compile(struct vcs *v, const char *text, regex_t *regex, bool *negative)
{
	*negative = strncmp(text, "!-", 2) == 0;
	if (*negative)
		text += 2;
	else if (*text == '!' && *++text != '!')
		return vcs_fail(v, "only - or ! may follow :/!");
	switch (regcomp(regex, text, REG_EXTENDED | REG_NOSUB)) {
	case 0:
		return true;
	case REG_ESPACE:
		die("out of memory (regcomp)");
	default:
		return vcs_fail(v, "the regular expression is invalid");
	}
}

static bool
matches(struct vcs *v, git_odb_object *object, const regex_t *regex)
{
	struct gitvcs *g = v->state;
	struct gitvcs_fields f;
	int result;

	if (!gitvcs_parse_fields(v, object, &f))
		return false;
	g->text.len = 0;
	buf_add(&g->text, f.message.p, f.message.n);
	result = regexec(regex, buf_cstr(&g->text), 0, NULL, 0);
	if (result == REG_ESPACE)
		die("out of memory (regexec)");
	return result == 0;
}

/*
 * Finds the first commit of a walk from the tips whose message matches.
 * Preserves the walk of the handle: the caller may be in the middle of it.
 */
static bool
search(struct vcs *v, const struct vcs_tips *from, const char *text,
    struct vcs_id *id)
{
	struct gitvcs *g = v->state;
	struct gitvcs_walk outer = g->walk;
	enum vcs_found found = VCS_FAILED;
	git_odb_object *object;
	bool negative, ok = false;
	regex_t regex;

	if (!compile(v, text, &regex, &negative))
		return false;

	g->walk = (struct gitvcs_walk){ 0 };
	if (gitvcs_walk_begin(v, from->list, from->n, false))
		while (!ok && (found = gitvcs_walk_next_object(v, &object)) ==
		    VCS_FOUND) {
			ok = matches(v, object, &regex) != negative;
			gitvcs_format_id(id, git_odb_object_id(object));
			git_odb_object_free(object);
		}
	gitvcs_walk_end(&g->walk);
	g->walk = outer;

	if (found == VCS_NOT_FOUND)
		vcs_fail(v, "no message matches");
	regfree(&regex);
	return ok;
}

/* Adds the commit that ref names; does nothing if ref does not name one. */
static void
add_tip(struct gitvcs *g, const char *ref, struct vcs_tips *tips)
{
	git_object *object;
	int error;

	tips->list = mem_grow(tips->list, &tips->cap, tips->n + 1,
	    sizeof *tips->list);
	errno = 0;
	error = git_revparse_single(&object, g->repo, ref);
	if (error != 0) {
		gitvcs_check(error, ref);
		return;
	}
	if (git_object_type(object) != GIT_OBJECT_COMMIT) {
		git_object_free(object);
		return;
	}
	tips->list[tips->n].excluded = false;
	gitvcs_format_id(&tips->list[tips->n++].id, git_object_id(object));
	git_object_free(object);
}

/*
 * ":/text": searches the history of HEAD and of all references.  They are added
 * in the same order as in git, which decides between commits of the same time:
 * HEAD, then the references from the last to the first.
 */
static bool
search_all(struct vcs *v, const char *text, struct vcs_id *id)
{
	struct gitvcs *g = v->state;
	struct vcs_tips from = { 0 };
	struct buf name = { 0 };
	git_strarray refs;
	bool ok;

	if (git_reference_list(&refs, g->repo) != 0)
		return gitvcs_fail(v, "cannot list the references");
	add_tip(g, "HEAD^{commit}", &from);
	for (size_t i = refs.count; i > 0; i--) {
		name.len = 0;
		buf_printf(&name, "%s^{commit}", refs.strings[i - 1]);
		add_tip(g, buf_cstr(&name), &from);
	}
	ok = search(v, &from, text, id);
	git_strarray_dispose(&refs);
	buf_release(&name);
	free(from.list);
	return ok;
}

/* --- rewriting what libgit2 does not understand --- */

/* Sets name to an id or HEAD, followed by rest, which may be a part of name. */
static void
set_name(struct buf *name, const char *id, const char *rest)
{
	struct buf new = { 0 };

	buf_str(&new, id);
	buf_add(&new, rest, strlen(rest) + 1);
	buf_release(name);
	*name = new;
}

/*
 * Finds where a suffix such as "^{/" begins, but not in the path of "REV:PATH";
 * NULL if there is none.
 */
static char *
find_suffix(struct buf *name, const char *word)
{
	char *at = strstr(name->data, word);

	return at != NULL && memchr(name->data, ':',
	    (size_t)(at - name->data)) == NULL ? at : NULL;
}

/*
 * Replaces "REV^{/text}REST" by the id of the first match, followed by REST.
 * at is the address of "^{/" in the name.
 */
static bool
replace_search(struct vcs *v, struct buf *name, char *at)
{
	char *text = at + sizeof "^{/" - 1, *end = strchr(text, '}');
	struct vcs_tip tip = { .excluded = false };
	struct vcs_tips from = { &tip, 1, 1 };
	enum vcs_kind actual_kind;
	struct vcs_id id;

	if (end == NULL)
		return explain(v, GIT_EINVALIDSPEC);
	*at = *end = '\0';
	if (!gitvcs_massage_parameter(v, name->data, VCS_COMMIT, &tip.id,
	    &actual_kind) || !search(v, &from, text, &id))
		return false;
	set_name(name, id.hex, end + 1);
	return true;
}

/*
 * Finds a file in git's index by "path" or, in a merge conflict, by
 * "STAGE:path": stage 1 is the common ancestor, 2 our side, 3 theirs.
 */
static bool
find_in_index(struct vcs *v, const char *path, struct vcs_id *id)
{
	struct gitvcs *g = v->state;
	const git_index_entry *entry;
	git_index *index;
	int stage = 0;

	if (*path >= '0' && *path <= '3' && path[1] == ':') {
		stage = *path - '0';
		path += 2;
	}
	if (git_repository_index(&index, g->repo) != 0)
		return gitvcs_fail(v, "cannot read the index");
	entry = git_index_get_bypath(index, path, stage);
	if (entry != NULL)
		gitvcs_format_id(id, &entry->id);
	git_index_free(index);
	return entry != NULL || vcs_fail(v, "the index has no such file");
}

/*
 * "HEAD@{2}": finds the id of HEAD two changes ago in the reflog of HEAD, and
 * sets *rest to the text after the brace.  False if the name is not of this
 * form or the reflog has no such entry.
 */
static bool
find_former_head(struct gitvcs *g, const char *name, struct vcs_id *id,
    const char **rest)
{
	static const char prefix[] = "HEAD@{";
	const char *digits = name + sizeof prefix - 1, *end;
	const git_reflog_entry *entry = NULL;
	git_reflog *log;
	uint64_t n;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
	    (end = strchr(digits, '}')) == NULL ||
	    !text_u64(span_of(digits, (size_t)(end - digits)), &n) ||
	    git_reflog_read(&log, g->repo, "HEAD") != 0)
		return false;
	if (n < git_reflog_entrycount(log))
		entry = git_reflog_entry_byindex(log, n);
	if (entry != NULL)
		gitvcs_format_id(id, git_reflog_entry_id_new(entry));
	git_reflog_free(log);
	*rest = end + 1;
	return entry != NULL;
}

/* Makes the replacements in the table at the top of this file. */
static bool
rewrite(struct vcs *v, struct buf *name)
{
	static const char object_suffix[] = "^{object}";
	const size_t suffix_len = sizeof object_suffix - 1;
	const char *p = name->data, *rest;
	char *at;
	struct vcs_id id;

	if (*p == ':') {
		if (!(p[1] == '/' ? search_all(v, p + 2, &id) :
		    find_in_index(v, p + 1, &id)))
			return false;
		set_name(name, id.hex, "");
	} else if (*p == '@' && p[1] != '\0' && strchr("~^:", p[1]) != NULL) {
		set_name(name, "HEAD", p + 1);
	} else if (find_former_head(v->state, p, &id, &rest)) {
		set_name(name, id.hex, rest);
	}
	while ((at = find_suffix(name, object_suffix)) != NULL)
		memmove(at, at + suffix_len, strlen(at + suffix_len) + 1);
	while ((at = find_suffix(name, "^{/")) != NULL)
		if (!replace_search(v, name, at))
			return false;
	return true;
}

static bool
resolve_and_peel(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	struct gitvcs *g = v->state;
	git_object *object, *peeled;
	int error = git_revparse_single(&object, g->repo, name);

	if (error == GIT_EAMBIGUOUS)
		error = resolve_ambiguous(g, name, kind, &object);
	if (error != 0) {
		explain(v, error);
		gitvcs_check_packs(g);
		gitvcs_check(error, name);
		if (error == GIT_ENOTFOUND)
			check_name(g, name, error);
		return false;
	}
	if (kind != VCS_ANY) {
		error = git_object_peel(&peeled, object, types[kind]);
		if (error != 0) {
			vcs_fail(v, "it is a %s", git_object_type2string(
			    git_object_type(object)));
			check_name(g, name, error);
		}
		git_object_free(object);
		if (error != 0)
			return false;
		object = peeled;
	}
	*actual_kind = kind_of(git_object_type(object));
	gitvcs_format_id(id, git_object_id(object));
	git_object_free(object);
	return true;
}

/*
 * Resolves a complete id or the name of a reference.  False, without a reason,
 * if the name is something else or the object must be peeled.
 */
static bool
resolve_simple(struct gitvcs *g, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	git_reference *ref;
	git_object_t type;
	git_oid oid;
	size_t size;

	if (*name == '\0')
		return false;	/* git_reference_dwim() would return HEAD */
	if (strlen(name) != VCS_ID_LEN || git_oid_fromstr(&oid, name) != 0) {
		if (git_reference_dwim(&ref, g->repo, name) != 0)
			return false;
		oid = *git_reference_target(ref);
		git_reference_free(ref);
	}
	if (git_odb_read_header(&size, &type, g->odb, &oid) != 0)
		return false;
	*actual_kind = kind_of(type);
	gitvcs_format_id(id, &oid);
	return kind == VCS_ANY || kind == *actual_kind;
}

bool
gitvcs_massage_parameter(struct vcs *v, const char *text, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *actual_kind)
{
	struct buf name = { 0 };
	bool ok;

	buf_add(&name, text, strlen(text) + 1);
	ok = rewrite(v, &name) &&
	    (resolve_simple(v->state, name.data, kind, id, actual_kind) ||
	    resolve_and_peel(v, name.data, kind, id, actual_kind) ||
	    /* What has failed once may work now. */
	    resolve_and_peel(v, name.data, kind, id, actual_kind));
	buf_release(&name);
	return ok;
}
