#ifndef WEIR_FILTER_REJECT_H
#define WEIR_FILTER_REJECT_H

#include "common/filter/filter.h"

/*
 * For the files of filter.h only: the parts of rejecting input.  The
 * caller of filter_reject_beginning() copies the rest of what is rejected, and
 * then calls filter_stop_if_strict(): --strict must not end the program before.
 */

/* Reports f->current and copies it to the --rejects file. */
void filter_reject_beginning(struct filter *, const char *fmt, ...)
    PRINTF_LIKE(2, 3) COLD;

/* Copies bytes to the --rejects file. */
void filter_keep_rejected(struct filter *, const char *p, size_t n);

/*
 * Under --strict, ends the program: abandons the output, but completes the
 * --rejects file.
 */
void filter_stop_if_strict(struct filter *);

/* Rejects the file from where it is to its end, for the reason alone. */
void filter_reject_file(struct filter *, const char *fmt, ...)
    PRINTF_LIKE(2, 3) COLD;

/* Rejects f->current, and the file from there to its end. */
void filter_reject_to_end(struct filter *, const char *why) COLD;

/* Reports how many messages were counted without being printed. */
void filter_report_unprinted(const struct filter *);

#endif
