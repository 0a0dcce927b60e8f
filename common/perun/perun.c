/* perun - opens a Perun store with its settings and its repository */

#include <string.h>

#include "common/base/err.h"
#include "common/perun/perun.h"

bool
perun_find(struct perun *p, const char *directory, const char **why)
{
	const char *layout;

	*p = (struct perun){ 0 };
	if (!store_open(&p->store, directory, why))
		return false;
	if (!config_load(&p->config, p->store.path, why))
		die("%s", *why);
	layout = config_string(&p->config, "weir.index_version");
	p->store.has_labels = layout != NULL && strcmp(layout, "2label") == 0;
	return true;
}

void
perun_open(struct perun *p, const char *directory)
{
	const char *why;

	if (!perun_find(p, directory, &why))
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

bool
perun_open_vcs(struct vcs *v, const char *type, const char *directory)
{
	struct perun p;
	struct buf path = { 0 };
	const char *why, *wanted;
	bool from_store = false;
	enum vcs_found found = VCS_NOT_FOUND;

	if ((type == NULL || vcs_needs_store(type)) &&
	    perun_find(&p, directory, &why)) {
		wanted = type != NULL ? type :
		    config_string(&p.config, "vcs.type");
		from_store = wanted != NULL && vcs_needs_store(wanted);
		if (from_store) {
			put_url(&p, &path);
			found = vcs_open(v, wanted, buf_cstr(&path), false);
			buf_release(&path);
		}
		perun_close(&p);
	}
	if (!from_store)
		found = vcs_open(v, type, directory, true);
	return found == VCS_FOUND;
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
	    buf_cstr(&path), false) == VCS_FOUND;
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

bool
perun_read_object(const struct store *s, const unsigned char *name,
    struct buf *packed, struct object *object, const char **why)
{
	enum store_found found;

	packed->len = 0;
	found = store_read(s, name, packed);
	if (found == STORE_FOUND)
		*why = object_unpack(object, buf_span(packed));
	else
		*why = found == STORE_ABSENT ? "it is missing" :
		    "it is not a regular file";
	if (*why != NULL)
		return false;
	*why = "its SHA-1 is not its name";
	return memcmp(object->name, name, STORE_NAME_SIZE) == 0;
}
