/* vcs-git-name - what names stand for in git */

#include <regex.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/vcs/git.h"

/*
 * libgit2 reads nearly all names that git does.  The few that it does not, or
 * reads otherwise, are found here and put in its words: "@~2", "HEAD@{2}",
 * "^{object}", files of the index, searches through messages, for which git's
 * order and git's kind of regular expression count, and abbreviations that only
 * one object of the right kind has.
 */

static const git_object_t types[] = { [VCS_ANY] = GIT_OBJECT_ANY,
    [VCS_COMMIT] = GIT_OBJECT_COMMIT, [VCS_TREE] = GIT_OBJECT_TREE,
    [VCS_BLOB] = GIT_OBJECT_BLOB, [VCS_TAG] = GIT_OBJECT_TAG };

static enum vcs_kind
kind_of(git_object_t type)
{
	for (unsigned i = VCS_COMMIT; i <= VCS_TAG; i++)
		if (types[i] == type)
			return (enum vcs_kind)i;
	return VCS_ANY;
}

static bool
explain(struct vcs *v, int error)
{
	const git_error *e = git_error_last();

	if (error == GIT_ENOTFOUND)
		return vcs_fail(v, "there is nothing of this name");
	if (error == GIT_EAMBIGUOUS)
		return vcs_fail(v, "it is too short: several objects begin so");
	if (error == GIT_EINVALIDSPEC || e == NULL)
		return vcs_fail(v, "this is no name that git understands");
	return vcs_fail(v, "%.500s", e->message);
}

/* --- abbreviations --- */

/* Of the objects whose ids begin alike, those that can be peeled so. */
struct candidates {
	git_repository *repo;
	git_oid prefix, found;
	size_t prefix_len, n;
	git_object_t type;
};

static int
consider(const git_oid *id, void *payload)
{
	struct candidates *c = payload;
	git_object *object, *peeled;

	if (git_oid_ncmp(id, &c->prefix, c->prefix_len) != 0 ||
	    (c->n > 0 && git_oid_equal(id, &c->found)) ||
	    git_object_lookup(&object, c->repo, id, GIT_OBJECT_ANY) != 0)
		return 0;
	if (git_object_peel(&peeled, object, c->type) == 0) {
		git_object_free(peeled);
		c->found = *id;
		c->n++;
	}
	git_object_free(object);
	return 0;
}

/* What the beginning of an id must stand for, given what is behind it. */
static git_object_t
type_hint(char behind, enum vcs_kind kind)
{
	if (behind == ':' || (behind == '\0' && kind == VCS_TREE))
		return GIT_OBJECT_TREE;
	if (behind == '~' || behind == '^' || kind == VCS_COMMIT)
		return GIT_OBJECT_COMMIT;
	return GIT_OBJECT_ANY;
}

/* An abbreviation that several objects share, but one of this type. */
static int
look_up_ambiguous(struct gitvcs *g, const char *name, enum vcs_kind kind,
    git_object **object)
{
	size_t n = strspn(name, "0123456789abcdefABCDEF");
	struct candidates c = { .repo = g->repo, .prefix_len = n,
	    .type = type_hint(name[n], kind) };
	struct vcs_id id;
	struct buf full = { 0 };
	int error;

	if (n < GIT_OID_MINPREFIXLEN || n >= VCS_ID_LEN ||
	    (name[n] != '\0' && strchr("~^:", name[n]) == NULL) ||
	    c.type == GIT_OBJECT_ANY ||
	    git_oid_fromstrn(&c.prefix, name, n) != 0 ||
	    git_odb_foreach(g->odb, consider, &c) != 0 || c.n != 1)
		return GIT_EAMBIGUOUS;
	gitvcs_id(&id, &c.found);
	buf_str(&full, id.hex);
	buf_str(&full, name + n);
	error = git_revparse_single(object, g->repo, buf_cstr(&full));
	buf_release(&full);
	return error;
}

static bool
look_up(struct vcs *v, const char *name, enum vcs_kind kind,
    git_object **object)
{
	struct gitvcs *g = v->own;
	int error = git_revparse_single(object, g->repo, name);

	if (error == GIT_EAMBIGUOUS)
		error = look_up_ambiguous(g, name, kind, object);
	return error == 0 || explain(v, error);
}

/* --- searches through messages --- */

/* "!-text" is what does not match, "!!text" is "!text". */
static bool
compile(struct vcs *v, const char *text, regex_t *regex, bool *negative)
{
	*negative = strncmp(text, "!-", 2) == 0;
	if (*negative)
		text += 2;
	else if (*text == '!' && *++text != '!')
		return vcs_fail(v, "behind :/! only - or ! may stand");
	return regcomp(regex, text, REG_EXTENDED | REG_NOSUB) == 0 ||
	    vcs_fail(v, "it holds no regular expression");
}

static bool
matches(struct vcs *v, git_odb_object *object, const regex_t *regex)
{
	struct gitvcs *g = v->own;
	struct gitvcs_fields f;

	if (!gitvcs_fields_of(v, object, &f))
		return false;
	g->text.len = 0;
	buf_add(&g->text, f.message.p, f.message.n);
	return regexec(regex, buf_cstr(&g->text), 0, NULL, 0) == 0;
}

/* The first commit of a walk whose message matches. */
static bool
find_message(struct vcs *v, const struct vcs_limits *from, const char *text,
    struct vcs_id *id)
{
	git_odb_object *object;
	enum vcs_found found = VCS_FAILED;
	bool negative, good = false;
	regex_t regex;

	if (!compile(v, text, &regex, &negative))
		return false;
	if (gitvcs_walk_begin(v, from->list, from->n, false))
		while (!good && (found = gitvcs_walk_object(v, &object)) ==
		    VCS_FOUND) {
			good = matches(v, object, &regex) != negative;
			gitvcs_id(id, git_odb_object_id(object));
			git_odb_object_free(object);
		}
	if (found == VCS_NONE)
		vcs_fail(v, "no message matches");
	regfree(&regex);
	return good;
}

/* The caller may be amid a walk of its own, which goes on afterwards. */
static bool
search(struct vcs *v, const struct vcs_limits *from, const char *text,
    struct vcs_id *id)
{
	struct gitvcs *g = v->own;
	struct gitvcs_walk callers = g->walk;
	bool good;

	g->walk = (struct gitvcs_walk){ 0 };
	good = find_message(v, from, text, id);
	gitvcs_walk_end(&g->walk);
	g->walk = callers;
	return good;
}

static void
add_limit(struct gitvcs *g, const char *ref, struct vcs_limits *limits)
{
	git_object *object;

	limits->list = mem_grow(limits->list, &limits->cap, limits->n + 1,
	    sizeof *limits->list);
	if (git_revparse_single(&object, g->repo, ref) != 0)
		return;
	if (git_object_type(object) != GIT_OBJECT_COMMIT) {
		git_object_free(object);
		return;
	}
	limits->list[limits->n].hidden = false;
	gitvcs_id(&limits->list[limits->n++].id, git_object_id(object));
	git_object_free(object);
}

/* ":/text" is searched for from all references and HEAD. */
static bool
search_all(struct vcs *v, const char *text, struct vcs_id *id)
{
	struct gitvcs *g = v->own;
	struct vcs_limits from = { 0 };
	struct buf name = { 0 };
	git_strarray refs;
	bool good;

	if (git_reference_list(&refs, g->repo) != 0)
		return gitvcs_fail(v, "cannot list the references");
	add_limit(g, "HEAD^{commit}", &from);
	for (size_t i = refs.count; i > 0; i--) {
		name.len = 0;
		buf_printf(&name, "%s^{commit}", refs.strings[i - 1]);
		add_limit(g, buf_cstr(&name), &from);
	}
	good = search(v, &from, text, id);
	git_strarray_dispose(&refs);
	buf_release(&name);
	free(from.list);
	return good;
}

/* --- names in other words --- */

/* Puts an id and what stands behind it in place of a name. */
static void
put_id(struct buf *name, const char *id, const char *behind)
{
	struct buf new = { 0 };

	buf_str(&new, id);
	buf_add(&new, behind, strlen(behind) + 1);
	buf_release(name);
	*name = new;
}

/* Where a word such as "^{/" stands, unless it is part of a path. */
static char *
find_word(struct buf *name, const char *word)
{
	char *at = strstr(name->data, word);

	return at != NULL && memchr(name->data, ':',
	    (size_t)(at - name->data)) == NULL ? at : NULL;
}

/* "REV^{/text}BEHIND": the id of the first that matches, and BEHIND. */
static bool
replace_search(struct vcs *v, struct buf *name, char *at)
{
	char *text = at + sizeof "^{/" - 1, *end = strchr(text, '}');
	struct vcs_limit limit = { .hidden = false };
	struct vcs_limits from = { &limit, 1, 1 };
	enum vcs_kind found;
	struct vcs_id id;

	if (end == NULL)
		return explain(v, GIT_EINVALIDSPEC);
	*at = *end = '\0';
	if (!gitvcs_massage_parameter(v, name->data, VCS_COMMIT, &limit.id,
	    &found) || !search(v, &from, text, &id))
		return false;
	put_id(name, id.hex, end + 1);
	return true;
}

/* ":path" and ":2:path": what the index has, of one side in a conflict. */
static bool
find_in_index(struct vcs *v, const char *path, struct vcs_id *id)
{
	struct gitvcs *g = v->own;
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
		gitvcs_id(id, &entry->id);
	git_index_free(index);
	return entry != NULL || vcs_fail(v, "the index has no such file");
}

/*
 * "HEAD@{2}" is where HEAD was; libgit2 says where its branch was.  False if
 * the name is no such.
 */
static bool
find_former_head(struct gitvcs *g, const char *name, struct vcs_id *id,
    const char **behind)
{
	static const char begin[] = "HEAD@{";
	const char *digits = name + sizeof begin - 1, *end;
	const git_reflog_entry *entry = NULL;
	git_reflog *log;
	uint64_t n;

	if (strncmp(name, begin, sizeof begin - 1) != 0 ||
	    (end = strchr(digits, '}')) == NULL ||
	    !text_u64(span_of(digits, (size_t)(end - digits)), &n) ||
	    git_reflog_read(&log, g->repo, "HEAD") != 0)
		return false;
	if (n < git_reflog_entrycount(log))
		entry = git_reflog_entry_byindex(log, n);
	if (entry != NULL)
		gitvcs_id(id, git_reflog_entry_id_new(entry));
	git_reflog_free(log);
	*behind = end + 1;
	return entry != NULL;
}

static bool
reword(struct vcs *v, struct buf *name)
{
	const char *p = name->data, *behind;
	char *at;
	struct vcs_id id;

	if (*p == ':') {
		if (!(p[1] == '/' ? search_all(v, p + 2, &id) :
		    find_in_index(v, p + 1, &id)))
			return false;
		put_id(name, id.hex, "");
	} else if (*p == '@' && p[1] != '\0' && strchr("~^:", p[1]) != NULL) {
		put_id(name, "HEAD", p + 1);
	} else if (find_former_head(v->own, p, &id, &behind)) {
		put_id(name, id.hex, behind);
	}
	while ((at = find_word(name, "^{object}")) != NULL)
		memmove(at, at + 9, strlen(at + 9) + 1);
	while ((at = find_word(name, "^{/")) != NULL)
		if (!replace_search(v, name, at))
			return false;
	return true;
}

static bool
peel(struct vcs *v, git_object **object, enum vcs_kind kind)
{
	git_object *peeled;

	if (git_object_peel(&peeled, *object, types[kind]) != 0)
		return vcs_fail(v, "it is a %s",
		    vcs_kind_name(kind_of(git_object_type(*object))));
	git_object_free(*object);
	*object = peeled;
	return true;
}

static bool
look_up_peeled(struct vcs *v, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *found)
{
	git_object *object;
	bool good;

	if (!look_up(v, name, kind, &object))
		return false;
	good = kind == VCS_ANY || peel(v, &object, kind);
	*found = kind_of(git_object_type(object));
	gitvcs_id(id, git_object_id(object));
	git_object_free(object);
	return good;
}

/* An id in full or a reference, if nothing has to be peeled or parsed. */
static bool
look_up_plain(struct gitvcs *g, const char *name, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *found)
{
	git_reference *ref;
	git_object_t type;
	git_oid oid;
	size_t size;

	if (*name == '\0')
		return false;	/* libgit2 would take it for HEAD */
	if (strlen(name) != VCS_ID_LEN || git_oid_fromstr(&oid, name) != 0) {
		if (git_reference_dwim(&ref, g->repo, name) != 0)
			return false;
		oid = *git_reference_target(ref);
		git_reference_free(ref);
	}
	if (git_odb_read_header(&size, &type, g->odb, &oid) != 0)
		return false;
	*found = kind_of(type);
	gitvcs_id(id, &oid);
	return kind == VCS_ANY || kind == *found;
}

bool
gitvcs_massage_parameter(struct vcs *v, const char *text, enum vcs_kind kind,
    struct vcs_id *id, enum vcs_kind *found)
{
	struct buf name = { 0 };
	bool good;

	buf_add(&name, text, strlen(text) + 1);
	good = reword(v, &name) &&
	    (look_up_plain(v->own, name.data, kind, id, found) ||
	    look_up_peeled(v, name.data, kind, id, found));
	buf_release(&name);
	return good;
}
