/* formats - the table of the formats that execlog-parse reads */

#include <stddef.h>

#include "filters/execlog-parse/formats.h"

const struct input_format *const log_formats[] = {
	FORMATS(FORMAT_ADDRESS) NULL
};
