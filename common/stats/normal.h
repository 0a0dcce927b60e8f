#ifndef WEIR_NORMAL_H
#define WEIR_NORMAL_H

/* The probability that a standard normal variable exceeds z. */
double normal_upper(double z);

/* The z that is exceeded with probability p, for 0 < p <= 0.5. */
double normal_upper_quantile(double p);

#endif
