#pragma once

/*
 * The types of MAL, MonetDB's language for query plans, whose type_id (in the
 * table mal_type of weir-records(5)) is the same in every trace and database:
 * it is the index in this array plus 1.  Ids and sizes are those of MAL
 * Analytics, whose tables weir-records(5) adopts, except the sizes of flt and
 * dbl, which are 8 and 16 there.  Other types get the ids after these, in the
 * order of their first use.
 */
enum { N_MAL_TYPES = 24 };

struct mal_type {
	const char *name;
	int size;	/* bytes per value (of T in bat[:T]); -1: varies */
	int subtype;	/* type_id of T in bat[:T], a column; 0: not bat[:T] */
};
extern const struct mal_type mal_types[N_MAL_TYPES];
