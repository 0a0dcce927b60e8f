/* formats - the table of the formats that buildgraph-parse reads */

#include <stddef.h>

#include "filters/buildgraph-parse/formats.h"

const struct input_format *const graph_formats[] = {
	FORMATS(FORMAT_ADDRESS) NULL
};
