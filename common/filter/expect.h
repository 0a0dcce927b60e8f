#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Checks that the input has records of the types that a filter reads.  Streams
 * may be concatenated, so a record of another type is not a fault unless
 * nothing else comes.
 */
struct filter;
struct rec;

/* Start with { 0 }. */
struct expect {
	bool came;		/* set by the filter: what it reads came */
	uint64_t line;		/* of the first other record, or 0 */
	const char *file;	/* of that record */
	char type[32];		/* of that record; "" if it has none */
};

/* Notes a record that the filter does not read. */
void expect_other(struct expect *, const struct filter *, const struct rec *);

/*
 * Call this at the end of the input.  If no `what` came, but another record or
 * an invalid line did, reports that: and the filter that reads such records, if
 * it is known, or else asks whether the input is `wanted`.
 */
void expect_end(struct expect *, struct filter *, const char *what,
    const char *wanted);
