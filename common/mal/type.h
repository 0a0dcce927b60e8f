#ifndef WEIR_MAL_TYPE_H
#define WEIR_MAL_TYPE_H

/*
 * The MAL types whose type_id is the same in every trace and database: their
 * index in this array, plus 1.  Ids and sizes are those of MAL Analytics, but
 * the sizes of flt and dbl are 8 and 16 there.  Other types get the ids after
 * these, in the order of their first use.
 */
enum { N_MAL_TYPES = 24 };

struct mal_type {
	const char *name;
	int size;	/* bytes of a value (of each in a BAT); -1: they vary */
	int subtype;	/* type_id of T in bat[:T]; 0 if this is not a BAT */
};
extern const struct mal_type mal_types[N_MAL_TYPES];

#endif
