/* formats - the table of the formats that execlog-parse reads */

#include <stddef.h>

#include "filters/execlog-parse/formats.h"

const struct input_format formats[] = {
	{ FORMAT_BAZEL_GRAPH, "Bazel's execution graph log",
	    NULL, bazel_graph_detect, bazel_graph_read },
	{ FORMAT_DISTBUILD, "the event log of a distributed build",
	    NULL, NULL, distbuild_read },
	/* Before the formats that recognize any object or any array. */
	{ FORMAT_SPARK, "the event log of a Spark application",
	    spark_keys, spark_detect, spark_read },
	{ FORMAT_DBT, "dbt's run_results.json",
	    dbt_keys, dbt_detect, dbt_read },
	{ FORMAT_CHROME, "trace events: by Bazel, CMake or ninjatracing",
	    chrome_keys, chrome_detect, chrome_read },
	{ FORMAT_CARGO, "cargo's log with -Zbuild-analysis",
	    cargo_keys, cargo_detect, cargo_read },
	{ FORMAT_LOCAL, "ya's local log, a JSON object",
	    local_keys, local_detect, local_read },
	{ FORMAT_NINJA, ".ninja_log, versions 4 to 7",
	    NULL, ninja_detect, ninja_read },
	{ FORMAT_GO, "an action graph of go build -debug-actiongraph",
	    go_keys, go_detect, go_read },
	{ 0 }
};
