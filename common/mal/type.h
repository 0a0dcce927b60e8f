#ifndef WEIR_MAL_TYPE_H
#define WEIR_MAL_TYPE_H

/*
 * The MAL types whose type_id is the same in every trace and database: it is
 * the index in this array plus 1.  Ids and sizes are those of MAL Analytics,
 * except the sizes of flt and dbl, which are 8 and 16 there.  Other types get
 * the ids after these, in the order of their first use.
 */
enum { N_MAL_TYPES = 24 };

struct mal_type {
	const char *name;
	int size;	/* bytes per value (of T in bat[:T]); -1: varies */
	int subtype;	/* type_id of T in bat[:T]; 0 if this is not a BAT */
};
extern const struct mal_type mal_types[N_MAL_TYPES];

#endif
