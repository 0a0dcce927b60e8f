#pragma once

#include <stddef.h>

/*
 * Binary search: the first index i in [0, n) for which a condition is true, or
 * n if it is true for none.  The condition is an expression in i, and must be
 * false below some index and true from there on.  In a sorted array:
 *
 *	SEARCH_FIRST(i, n, list[i].start >= x)	the lower bound of x
 *	SEARCH_FIRST(i, n, list[i].start > x)	the upper bound of x
 *
 * A macro, so that every caller gets a loop for its own type and condition.
 */
#define SEARCH_FIRST(i, n, condition)					\
	__extension__({							\
		size_t search_low_ = 0, search_high_ = (n);		\
									\
		while (search_low_ < search_high_) {			\
			size_t i = search_low_ +			\
			    (search_high_ - search_low_) / 2;		\
									\
			if (condition)					\
				search_high_ = i;			\
			else						\
				search_low_ = i + 1;			\
		}							\
		search_low_;						\
	})
