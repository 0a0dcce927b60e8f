#pragma once

#include "common/vcs/vcs.h"

/*
 * A version control system.  The functions promise what those of vcs.h with the
 * same names promise, with these differences: open() returns VCS_NOT_FOUND,
 * without a reason, if there is no repository of its type; init() does not open
 * the repository; the last argument of massage_parameter() is never NULL;
 * get_minor_version_info() expects an id.
 */
struct vcs_backend {
	const char *type;
	bool needs_store;	/* nothing but a store marks its directories,
				   so it is not found by itself */
	enum vcs_found (*open)(struct vcs *, const char *path, bool upwards);
	void (*close)(struct vcs *);
	bool (*init)(struct vcs *, const char *path);
	bool (*get_minor_head)(struct vcs *, struct vcs_id *);
	bool (*get_head_major_version)(struct vcs *, const char **);
	bool (*massage_parameter)(struct vcs *, const char *, enum vcs_kind,
	    struct vcs_id *, enum vcs_kind *);
	bool (*get_minor_version_info)(struct vcs *, const struct vcs_id *,
	    struct vcs_version *);
	bool (*walk_minor_versions)(struct vcs *, const struct vcs_tip *,
	    size_t, bool);
	enum vcs_found (*next_minor_version)(struct vcs *,
	    struct vcs_version *);
	bool (*walk_major_versions)(struct vcs *, const struct vcs_branch **,
	    size_t *);
	bool (*is_dirty)(struct vcs *, bool *);
};

/* Stores the reason of a failure in vcs.why and returns false. */
bool vcs_fail(struct vcs *, const char *fmt, ...) PRINTF_LIKE(2, 3);
