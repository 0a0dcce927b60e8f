/* perun - opens a Perun store with its settings and its repository */

#include <errno.h>
#include <string.h>

#include "common/base/err.h"
#include "common/perun/layout.h"
#include "common/perun/perun.h"

void
perun_open(struct perun *p, const char *directory)
{
	const char *why;

	*p = (struct perun){ 0 };
	if (!store_open(&p->store, directory, &why))
		die("cannot open a store in '%s': %s",
		    directory != NULL ? directory : ".", why);
	if (!config_load(&p->config, p->store.path, &why))
		die("%s", why);
}

void
perun_close(struct perun *p)
{
	if (p->has_vcs)
		vcs_close(&p->vcs);
	config_release(&p->config);
	store_close(&p->store);
}

/* Appends the path of the repository; vcs.url may be relative to .perun. */
static void
put_url(const struct perun *p, struct buf *path)
{
	const char *url = config_string(&p->config, "vcs.url");

	if (url == NULL)
		url = "..";
	if (url[0] != '/') {
		buf_str(path, p->store.path);
		buf_char(path, '/');
	}
	buf_str(path, url);
}

/* Opens the nearest store's version control if it is svs. */
static enum vcs_found
open_svs_of_store(struct vcs *v, const char *directory)
{
	struct perun p = { 0 };
	struct buf path = { 0 };
	enum vcs_found found = VCS_NOT_FOUND;
	const char *why, *type;

	if (!store_open(&p.store, directory, &why))
		return VCS_NOT_FOUND;
	if (!config_load(&p.config, p.store.path, &why))
		die("%s", why);
	type = config_string(&p.config, "vcs.type");
	if (type != NULL && strcmp(type, "svs") == 0) {
		put_url(&p, &path);
		found = vcs_open(v, type, buf_cstr(&path), false) ? VCS_FOUND :
		    VCS_FAILED;
		buf_release(&path);
	}
	perun_close(&p);
	return found;
}

bool
perun_open_vcs(struct vcs *v, const char *type, const char *directory)
{
	enum vcs_found found = VCS_NOT_FOUND;

	if (type == NULL || strcmp(type, "svs") == 0)
		found = open_svs_of_store(v, directory);
	return found == VCS_NOT_FOUND ? vcs_open(v, type, directory, true) :
	    found == VCS_FOUND;
}

bool
perun_open_repository(struct perun *p, const char **why)
{
	struct buf path = { 0 };

	*why = p->vcs.why;
	if (p->has_vcs)
		return true;
	put_url(p, &path);
	p->has_vcs = vcs_open(&p->vcs, config_string(&p->config, "vcs.type"),
	    buf_cstr(&path), false);
	buf_release(&path);
	return p->has_vcs;
}

bool
perun_resolve_version(struct perun *p, const char *name, unsigned char *version,
    const char **why)
{
	struct vcs_id id;

	if (!perun_open_repository(p, why))
		die("cannot open the repository of '%s': %s", p->store.path,
		    *why);
	return vcs_massage_parameter(&p->vcs, name, VCS_COMMIT, &id, NULL) &&
	    store_parse_id(span_str(id.hex), version);
}

bool
perun_resolve_tag(struct perun *p, const char *name, unsigned char *tag)
{
	struct vcs_id id;
	enum vcs_kind kind;

	return vcs_massage_parameter(&p->vcs, name, VCS_ANY, &id, &kind) &&
	    kind == VCS_TAG &&
	    store_parse_id(span_str(id.hex), tag);
}

void
perun_explain_index_error(const struct store *s, const unsigned char *version,
    const struct pidx_error *error, struct buf *why)
{
	int saved_errno = errno;
	char path[STORE_PATH_SIZE];

	store_path(path, version);
	why->len = 0;
	buf_printf(why, "%s/%s: ", s->path, path);
	if (error == NULL)
		buf_str(why, strerror(saved_errno));
	else
		buf_printf(why, "byte %zu: %s", error->offset, error->why);
	buf_cstr(why);
}

enum store_found
perun_load_index(const struct store *s, const unsigned char *version,
    struct buf *bytes)
{
	enum store_found found = store_read(s, version, bytes);
	char path[STORE_PATH_SIZE];

	if (found == STORE_FAILED && !store_is_not_regular(errno)) {
		store_path(path, version);
		die_errno("cannot read '%s/%s'", s->path, path);
	}
	return found;
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
perun_read_index(struct perun *p, const unsigned char *version,
    struct buf *bytes, struct pidx *index, struct buf *why)
{
	const struct store *s = &p->store;
	struct pidx_error error;
	enum store_found found;
	bool ok = false;

	*index = (struct pidx){ 0 };
	bytes->len = 0;
	found = perun_load_index(s, version, bytes);
	if (found == STORE_FOUND) {
		ok = pidx_parse(index, buf_span(bytes), &error);
		layout_decide(p, index);
		warn_undecided(s, version, index);
	}
	if (ok || found == STORE_ABSENT)
		return found;
	perun_explain_index_error(s, version,
	    found == STORE_FAILED ? NULL : &error, why);
	return STORE_FAILED;
}

bool
perun_read_object(const struct store *s, const unsigned char *name,
    struct buf *packed, struct object *object, const char **why)
{
	packed->len = 0;
	switch (store_read(s, name, packed)) {
	case STORE_ABSENT:
		*why = "it is missing";
		return false;
	case STORE_FAILED:
		*why = strerror(errno);
		return false;
	default:
		break;
	}
	if (!object_unpack(object, buf_span(packed), why))
		return false;
	*why = "its SHA-1 is not its name";
	return memcmp(object->name, name, STORE_NAME_SIZE) == 0;
}
