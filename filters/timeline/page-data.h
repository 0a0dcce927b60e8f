#pragma once

#include <stddef.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "filters/timeline/clusters.h"

/*
 * The tasks of one build as JSON, which the script of a page draws.  If there
 * are too many, the most important ones are listed and the others are merged
 * with their neighbors.
 */
struct buf;

struct page_data {
	const struct pictures *all;
	const struct picture *p;
	uint32_t *ranked;	/* the bars that have texts, the most important
				   first */
	size_t n_ranked;
	uint32_t *place;	/* by bar: its number among those that are
				   listed, or INDEX_NONE */
	struct intern strings;	/* what the script shows */
	uint32_t *order;	/* by symbol of strings: its rank */
	uint32_t *type_place;	/* by type: its number, or INDEX_NONE */
	sym *types;		/* those of the tasks that are listed */
	size_t n_types;
	int64_t unit_us;	/* all times are multiples of it */
	struct cluster *merged;	/* of tasks that are not listed */
	size_t n_merged, merged_cap;
};

void page_data_init(struct page_data *, const struct pictures *,
    const struct picture *);
void page_data_release(struct page_data *);

/* Writes the data as a script element, and sets `place`. */
void page_data_put(struct buf *, struct page_data *);

/* The texts of a bar that has some. */
static inline const struct bar_text *
page_data_text(const struct page_data *d, size_t bar)
{
	return &d->p->texts[d->p->bars[bar].text];
}
