/* formats - the table of the formats that execlog-parse reads */

#include <stddef.h>

#include "filters/execlog-parse/formats.h"

const struct input_format formats[] = {
	{ FORMAT_DISTBUILD, "the event log of a distributed build",
	    NULL, NULL, distbuild_read },
	{ FORMAT_LOCAL, "ya's local log, a JSON object",
	    local_keys, local_detect, local_read },
	{ FORMAT_NINJA, ".ninja_log, versions 4 to 7",
	    NULL, ninja_detect, ninja_read },
	{ 0 }
};
