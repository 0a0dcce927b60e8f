#ifndef WEIR_ADJUST_H
#define WEIR_ADJUST_H

#include <stddef.h>

/*
 * Adjustments of p for n tests at once.  p is sorted in ascending order; q gets
 * the adjusted values in the same order.
 *
 * Holm: if every test with q <= alpha is reported, the probability of any false
 * report is at most alpha.  Benjamini-Hochberg: the expected share of false
 * reports among them is at most alpha.
 */
void adjust_holm(const double *p, size_t n, double *q);
void adjust_benjamini_hochberg(const double *p, size_t n, double *q);

#endif
