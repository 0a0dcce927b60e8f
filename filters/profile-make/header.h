#ifndef PROFILE_MAKE_HEADER_H
#define PROFILE_MAKE_HEADER_H

#include <stdbool.h>

#include "common/base/text.h"

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
	struct span program;	/* cmd, if no sample has one; or empty */
};

#endif
