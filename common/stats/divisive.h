#ifndef WEIR_DIVISIVE_H
#define WEIR_DIVISIVE_H

#include "common/stats/changes.h"

/*
 * Changes of level as Apache Otava finds them, for comparison with
 * changes_find(): E-divisive means in windows of 50 values (Matteson and James
 * 2014), Student's t-test as the test of significance, then removal of weak
 * changes.  A p is that of the t-test between the neighbouring segments.  phi
 * is 0 and factor 1: autocorrelation is not considered.
 */
void divisive_find(struct changes *, const double *values, size_t n,
    double min_effect);

/* The two-sided p of Student's t with df degrees of freedom. */
double divisive_student_p(double t, double df);

#endif
