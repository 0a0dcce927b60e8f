#pragma once

#include "filters/graph-export/chart.h"

/* The formats.  Only nodes, their edges and the title depend on the input. */
struct format {
	const char *name;
	void (*put)(struct buf *, const struct chart *);
	size_t edges_max;	/* more cannot be drawn, or not in time */
	size_t bytes_max;	/* of one graph */
	bool is_one_per_file;	/* a file can have one graph */
};
