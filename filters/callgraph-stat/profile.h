#ifndef CALLGRAPH_STAT_PROFILE_H
#define CALLGRAPH_STAT_PROFILE_H

#include "common/base/intern.h"
#include "common/program/callgraph.h"

/*
 * Callgraphs added up by function, and by whatever else is asked for.  Two
 * sides are kept apart, for the difference of one to the other.
 */
enum { NOW, BEFORE, N_SIDES };
enum level { BY_FUNCTION, BY_FILE, BY_MODULE, BY_CALLSITE, N_LEVELS };
extern const char *const level_names[N_LEVELS];

/*
 * What tells entries apart: small numbers without a hole between them.  A
 * function has its name and the name of its module, or, without a name, the
 * build id or path of its module and its address in that; a call site has two
 * functions, and a file with a line or a module with an address.
 */
struct entry_key {
	sym name;		/* a text; a call site's file is a token */
	sym module;
	uint32_t caller, callee;	/* entries of functions, or INDEX_NONE */
	uint64_t place;		/* the address or line */
};

struct tally {
	bool seen;
	int64_t measures[N_MEASURES];	/* or INT_UNKNOWN */
	int64_t outer_calls;	/* those that were not from within itself */
};

struct entry {
	struct entry_key key;
	sym module;		/* by name, or SYM_NONE */
	sym file;		/* or SYM_NONE, or FILES_DIFFER */
	int64_t line;		/* 0: not known, or they differ */
	uint32_t open;		/* how often it is on the stack */
	struct tally tallies[N_SIDES];
};
#define FILES_DIFFER (SYM_NONE - 1)

struct entries {
	struct map map;
	struct entry *list;
	size_t n, cap;
};

/* One side as a whole. */
struct whole {
	int64_t records, nodes, depth, nodes_limited;
	int64_t measures[N_MEASURES];	/* in sum; total_ns of roots only */
};

struct profile {
	enum level level;
	struct intern texts;
	struct entries functions, groups;
	struct whole wholes[N_SIDES];
	bool overflowed;	/* a sum is not what it ought to be */
};

void profile_init(struct profile *, enum level);
void profile_release(struct profile *);
void profile_add(struct profile *, const struct callgraph *,
    const struct rec *, int side);

/* The entries of the level that was asked for. */
static inline const struct entries *
profile_entries(const struct profile *p)
{
	return p->level == BY_FUNCTION ? &p->functions : &p->groups;
}

/* A function's name, or "app+0x1136", or "??". */
void profile_label(const struct profile *, uint32_t function, struct buf *);

/*
 * How much more it is now than before.  False if that is not known, because
 * it was not measured; what was not called took nothing.
 */
bool profile_change(const struct profile *, const struct entry *,
    unsigned measure, int64_t *change);

/*
 * Entries in the order in which they are shown.  What to sort by is a measure,
 * the greatest first, or N_MEASURES: by name.  keep may be NULL.  The caller
 * frees the list.
 */
struct order {
	uint32_t *list;
	size_t n;
};
void profile_sort(const struct profile *, struct order *,
    const struct entries *, unsigned by, bool changes,
    bool (*keep)(const struct entry *, const void *), const void *with);

#endif
