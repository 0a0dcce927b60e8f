#ifndef WEIR_MALTYPE_H
#define WEIR_MALTYPE_H

/*
 * The types of MAL that have the same number in every trace and database: they
 * count from 1 in this order, and have the sizes, that MAL Analytics gave them;
 * others follow as they come.
 */
enum { MALTYPES = 24 };

struct maltype {
	const char *name;
	int size;	/* bytes of a value, or of a BAT's; -1 if they vary */
	int subtype;	/* of a BAT: the number of T in bat[:T]; else 0 */
};
extern const struct maltype maltypes[MALTYPES];

#endif
