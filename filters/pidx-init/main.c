/* pidx-init - creates a Perun store beside a repository */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/io/fd.h"
#include "common/perun/config.h"
#include "common/perun/layout.h"
#include "common/perun/store.h"
#include "common/vcs/vcs.h"
#include "filters/pidx-init/make.h"

static struct {
	struct opt_word vcs_type, index_version;
	const char *vcs_url;
	bool vcs_init;
} opt = { .vcs_type = OPT_POINTERS(vcs_backends),
    .index_version = OPT_WORDS(&layout_names[PIDX_1]) };

static const struct opt options[] = {
	{ 0, "vcs-type", OPT_WORD, &opt.vcs_type, "TYPE",
	    "git or, without a repository, svs (what is found)", 0, 0 },
	{ 0, "vcs-url", OPT_STR, &opt.vcs_url, "URL",
	    "the repository, relative to .perun (the nearest)", 0, 0 },
	{ 0, "vcs-init", OPT_FLAG, &opt.vcs_init, NULL,
	    "create the repository if there is none", 0, 0 },
	{ 0, "index-version", OPT_WORD, &opt.index_version, "LAYOUT",
	    "of new indexes: 1, 2args, 2 or 2label", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "[directory]",
	.purpose = "Creates a Perun store, the directory .perun, beside or in "
	    "a repository, or\nadds to an existing one what it lacks.",
	.examples = {
	    "pidx-init",
	    "mkdir new && pidx-init --vcs-init new",
	},
};

/* An option, its key in local.yml, and its member in the record. */
static const struct {
	const char *option, *key, *member;
} settings[] = {
	{ "vcs-type", "vcs.type", "vcs_type" },
	{ "vcs-url", "vcs.url", "vcs_url" },
	{ "index-version", "weir.index_version", "index_version" },
};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

static struct {
	struct new_store store;
	struct buf path;		/* of .perun, for the record */
	const char *vcs_type;		/* of the repository */
	struct buf url;			/* vcs.url for a new local.yml */
	bool vcs_created;		/* the repository did not exist */
} state;

/* state.path, which is for the record, begins with the name as it was given. */
static void
set_paths(const char *name)
{
	size_t n = strlen(name);
	struct stat st;

	if (realpath(name, state.store.directory) == NULL ||
	    stat(state.store.directory, &st) != 0)
		die_errno("cannot open '%s'", name);
	if (!S_ISDIR(st.st_mode))
		die("'%s' is not a directory", name);
	/* The root directory already ends with its slash. */
	snprintf(state.store.path, sizeof state.store.path, "%s/.perun",
	    state.store.directory[1] == '\0' ? "" : state.store.directory);
	while (n > 1 && name[n - 1] == '/')
		n--;
	if (strcmp(name, ".") != 0) {
		buf_add(&state.path, name, n);
		if (name[n - 1] != '/')
			buf_char(&state.path, '/');
	}
	buf_str(&state.path, ".perun");
}

/*
 * Opens the repository in the directory or else in the nearest one above it,
 * and sets state.url to its path relative to .perun.
 */
static enum vcs_found
find_repository(struct vcs *v)
{
	char path[PATH_MAX], *slash;
	enum vcs_found found;

	strcpy(path, state.store.directory);
	buf_str(&state.url, "..");
	for (;;) {
		found = vcs_open(v, opt.vcs_type.given, path, false);
		if (found != VCS_NOT_FOUND || path[1] == '\0')
			return found;
		slash = strrchr(path, '/');
		slash[slash == path] = '\0';	/* the root keeps its slash */
		buf_str(&state.url, "/..");
	}
}

/*
 * Appends the path that --vcs-url names, which is relative to .perun.  If it
 * begins with "..", it is taken as relative to the directory, because .perun
 * may not exist yet.
 */
static void
put_url_path(struct buf *path)
{
	const char *url = opt.vcs_url;

	if (*url == '/')
		buf_str(path, url);
	else if (strcmp(url, "..") == 0 || strncmp(url, "../", 3) == 0)
		buf_printf(path, "%s%s", state.store.directory, url + 2);
	else
		buf_printf(path, "%s/%s", state.store.path, url);
}

/*
 * Sets state.vcs_type and state.url to the repository, which is created if that
 * is wanted; dies if there is none, or if the filters could not read it.
 */
static void
choose_repository(void)
{
	struct buf path = { 0 };
	struct vcs vcs;
	enum vcs_found found;

	if (opt.vcs_url != NULL) {
		if (!utf8_valid(opt.vcs_url, strlen(opt.vcs_url)))
			die("--vcs-url is not UTF-8, which YAML must be");
		buf_str(&state.url, opt.vcs_url);
		put_url_path(&path);
		found = vcs_open(&vcs, opt.vcs_type.given, buf_cstr(&path),
		    false);
	} else {
		buf_str(&path, state.store.directory);
		found = find_repository(&vcs);
	}

	if (found == VCS_NOT_FOUND && opt.vcs_init) {
		state.vcs_created = vcs_init(&vcs, opt.vcs_type.given != NULL ?
		    opt.vcs_type.given : "git", buf_cstr(&path));
		found = state.vcs_created ? VCS_FOUND : VCS_FAILED;
		state.url.len = 0;
		buf_str(&state.url, opt.vcs_url != NULL ? opt.vcs_url : "..");
	}
	if (found == VCS_FAILED)
		die("%s", vcs.why);
	if (found == VCS_NOT_FOUND && opt.vcs_url != NULL)
		die("there is no repository at '%s' (--vcs-url %s is "
		    "relative to .perun): give --vcs-init to create one",
		    buf_cstr(&path), opt.vcs_url);
	if (found == VCS_NOT_FOUND)
		die("there is no repository in or above '%s': give --vcs-init "
		    "to create one, name one by --vcs-url, or give --vcs-type "
		    "svs", state.store.directory);
	state.vcs_type = vcs_type(&vcs);
	vcs_close(&vcs);
	buf_release(&path);
}

/* Loads local.yml; if it is missing, returns false, and *config is empty. */
static bool
load_settings(struct config *config)
{
	char path[sizeof state.store.path + sizeof "/local.yml"];
	const char *why;

	snprintf(path, sizeof path, "%s/local.yml", state.store.path);
	*config = (struct config){ 0 };
	if (!config_load_file(config, path, &why))
		die("%s", why);
	return fd_exists(path);
}

/*
 * Sets state.store.settings from the options and their defaults if local.yml is
 * missing, otherwise reports those that differ, because that file is not
 * changed.  Returns whether the store exists; dies if .perun is a link or not a
 * directory.
 */
static bool
prepare(struct filter *f)
{
	const char *given[N_SETTINGS] = { opt.vcs_type.given, opt.vcs_url,
	    opt.index_version.given }, *current;
	char above[PATH_MAX + sizeof "/.."];
	struct config config;
	struct store store;
	struct stat st;
	const char *why;
	bool exists = lstat(state.store.path, &st) == 0, has_settings = false;

	if (!exists && errno != ENOENT)
		die_errno("cannot read '%s'", state.store.path);
	if (exists && !S_ISDIR(st.st_mode))
		die("'%s' exists and is not a directory", state.store.path);
	if (exists) {
		has_settings = load_settings(&config);
		for (int i = 0; has_settings && i < N_SETTINGS; i++) {
			current = config_string(&config, settings[i].key);
			if (given[i] != NULL && (current == NULL ||
			    strcmp(current, given[i]) != 0))
				filter_fail(f, "local.yml exists and is not "
				    "changed: --%s does not set %s to '%s'",
				    settings[i].option, settings[i].key,
				    given[i]);
		}
		config_release(&config);
	}
	snprintf(above, sizeof above, "%s/..", state.store.directory);
	if (!exists && store_open(&store, above, &why)) {
		err_warn("warning: the new store hides the one above: '%s'",
		    store.path);
		store_close(&store);
	}

	if (!has_settings) {
		choose_repository();
		init_put_settings(&state.store.settings, state.vcs_type,
		    buf_span(&state.url), opt.index_version.given != NULL ?
		    opt.index_version.given : "2label");
	}
	return exists;
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct config config;
	struct buf *b;
	const char *directory, *value;
	bool exists;

	filter_begin(&f, &about, options, argc, argv);
	directory = filter_operand(&f);
	if (filter_operand(&f) != NULL)
		die("there is more than one directory");
	set_paths(directory != NULL ? directory : ".");
	exists = prepare(&f);
	init_make_store(&state.store, exists);

	load_settings(&config);
	b = filter_begin_record(&f, "store");
	json_str(b, "path", buf_span(&state.path));
	json_flag(b, "created", state.store.is_made);
	json_open(b, "made", '[');
	for (size_t i = 0; i < N_ITEMS; i++)
		if (state.store.made[i])
			json_item(b, span_str(init_items[i]));
	json_close(b, ']');
	json_flag(b, "vcs_created", state.vcs_created);
	for (int i = 0; i < N_SETTINGS; i++)
		if ((value = config_string(&config, settings[i].key)) != NULL)
			json_cstr(b, settings[i].member, value);
	filter_end_record(&f);
	config_release(&config);
	return filter_end(&f);
}
