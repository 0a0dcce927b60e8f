#ifndef WEIR_EXPECT_ROWS_H
#define WEIR_EXPECT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Checks that the input has rows, the records that a filter reads.  Streams may
 * be concatenated, so a record of another type is not a fault unless nothing
 * else comes.
 */
struct filter;
struct rec;

/* Start with { 0 }. */
struct expect_rows {
	bool row_came;		/* set by the filter */
	uint64_t line;		/* of the first record that is not a row; 0:
				   there was none */
	const char *file;	/* of that record */
	char type[32];		/* of that record; "" if it has none */
};

/* Notes a record that the filter does not read. */
void expect_rows_other(struct expect_rows *, const struct filter *,
    const struct rec *);

/*
 * Call this at the end of the input.  If no row came, but another record or an
 * invalid line did, reports that, and the filter that reads such records if it
 * is known.
 */
void expect_rows_end(const struct expect_rows *, struct filter *);

#endif
