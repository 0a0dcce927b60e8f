#pragma once

#include "common/filter/filter.h"
#include "filters/profile-make/amounts.h"

/*
 * What the whole profile has: it is given by an option, or is what all samples
 * have.  Two different values cannot be in one profile.
 */
enum header_part { PART_CMD, PART_WORKLOAD, PART_LABEL, PART_MACHINE,
    PART_ORIGIN, N_PARTS };

struct header {
	const char *type;	/* --type, or NULL */
	struct span unit;	/* --unit: of values without one; or empty */
	struct part {
		const char *text;	/* or NULL; of an option, or of
					   amounts.texts */
		bool is_fixed;	/* by an option */
	} parts[N_PARTS];
	unsigned lacks;		/* of profiles that were read (lacks.h) */
	struct span program;	/* cmd, if no sample has one; or empty */
};

struct records;

extern const char *const records_keys[];	/* for reading records */

/* Both arguments must live as long as the result, which the caller frees. */
struct records *records_new(struct amounts *, struct header *);
void records_free(struct records *);

/*
 * Adds the amounts of a record, which was read from the text.  Returns why they
 * cannot be added, or NULL; the reason is valid until the next call.  A record
 * that has no amounts is ignored.
 */
const char *records_read(struct records *, const struct rec *,
    struct span text, uint32_t stream);

/*
 * When all have been read: names the functions (functions.h).  False if a sum
 * is 2^53 or more.
 */
bool records_finish(struct records *);
