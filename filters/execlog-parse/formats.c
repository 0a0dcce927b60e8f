/* formats - the table of the log formats that execlog-parse reads */

#include <stddef.h>

#include "filters/execlog-parse/formats.h"

const struct input_format formats[] = {
	{ "distbuild", "the event log of a distributed build",
	    NULL, NULL, distbuild_read },
	{ "local", "ya's local log, a JSON object",
	    local_keys, local_detect, local_read },
	{ "ninja", ".ninja_log, versions 4 to 7",
	    NULL, ninja_detect, ninja_read },
	{ 0 }
};
