/* formats - the table of the formats that buildgraph-parse reads */

#include <stddef.h>

#include "filters/buildgraph-parse/formats.h"

const struct input_format formats[] = {
	/* Before ya, which accepts every object. */
	{ "dbt", "dbt's manifest.json", dbt_keys, dbt_detect, dbt_read },
	{ "ya", "ya's graph.json", ya_keys, ya_detect, ya_read },
	{ "ninja", "what 'ninja -t graph' prints", NULL, NULL, ninja_read },
	{ 0 }
};
