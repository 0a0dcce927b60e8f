#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/num.h"

/* The units of a run of cargo, which cargo.c reads and cargo-tasks.c writes. */
struct filter;

struct unit {
	uint64_t index;		/* the number of the unit in the log */
	sym package;		/* package_id; SYM_NONE if unknown, as all */
	sym target, kind, mode;
	size_t first_dep, n_deps;	/* in the run's deps */
	/* Each is INT_UNKNOWN until the event has come. */
	int64_t start_us, rmeta_us, end_us;
	uint32_t first_section, last_section;	/* INDEX_NONE if there is
						   none */
	bool is_fresh;		/* up to date, so cargo did not run it */
};

/* A phase of a unit, such as the code generation of a crate. */
struct section {
	struct section_key {
		uint32_t unit;	/* in the run's units */
		sym name;
	} key;
	uint32_t next;		/* the next section of the unit */
	int64_t start_us;	/* INT_UNKNOWN unless the section is open */
	/* The time until the unit's metadata, and after that. */
	int64_t before_rmeta_us, after_rmeta_us;
};

struct cargo_run {
	struct intern names;
	struct unit *units;
	size_t n, cap;
	struct map unit_of;	/* from unit.index to an index in units */
	uint64_t *deps;		/* the numbers of units */
	size_t n_deps, deps_cap;
	struct section *sections;
	size_t n_sections, sections_cap;
	struct map section_of;	/* from section.key to an index in sections */
};

static inline bool
unit_has_rmeta(const struct unit *u)
{
	return u->rmeta_us != INT_UNKNOWN;
}

/*
 * Whether other units may start at the metadata of a unit, and the unit at that
 * of others.  In other modes, such as check, metadata is logged, but the end is
 * waited for.  An unknown mode is taken for build.
 */
bool cargo_may_pipeline(const struct cargo_run *, const struct unit *);

/* The unit with this number; NULL if there is none. */
struct unit *cargo_find_unit(const struct cargo_run *, uint64_t index);

/*
 * Writes the tasks and nodes of all units.  Returns how many units started but
 * did not finish.
 */
uint64_t cargo_write_tasks(struct filter *, const struct cargo_run *);
