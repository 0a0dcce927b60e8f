#ifndef WEIR_RANKSCAN_H
#define WEIR_RANKSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The rank scan: finds where a sequence of values changes its level.
 *
 * For every k it compares the sum of the midranks of the first k values with
 * its expectation in a random order, in units of the standard deviation.  The
 * greatest of these |z| decides.  The probabilities come from a table for the
 * maximum, because a maximum over many k is greater than a single z.
 */

/* This many values at each end are not separated. */
enum { RANKSCAN_MARGIN = 4 };

/* Levels of p in the table of thresholds. */
enum { RANKSCAN_05, RANKSCAN_01, RANKSCAN_001, RANKSCAN_0001,
    RANKSCAN_LEVELS };

struct rankscan {
	double z;	/* the greatest |z|; 0 if there is no change */
	size_t at;	/* the number of values before the change */
};

/*
 * Scans m values, given by the doubles of their midranks, which are integers.
 * ties is the sum of t^3 - t over all groups of t equal values.  room has space
 * for m values.
 */
struct rankscan rankscan(const uint64_t *twice_midranks, size_t m, double ties,
    double *room);

/*
 * The z that a random order of m values reaches with a level's probability;
 * infinite if no order is that rare.
 */
double rankscan_threshold(size_t m, unsigned level);

/* The probability of z or more in a random order of m values. */
double rankscan_p(size_t m, double z);

/* Whether z reaches the threshold of the level 0.001. */
bool rankscan_is_change(size_t m, double z);

/*
 * How many of the newest of m values cannot be separated from the others at the
 * level 0.001, however different they are.  factor is that of changes.h.
 */
size_t rankscan_blind(size_t m, double factor);

#endif
