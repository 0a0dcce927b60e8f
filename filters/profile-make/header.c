/* header - what a whole profile has, from options or from all samples */

#include <stdlib.h>

#include "common/base/mem.h"
#include "filters/profile-make/header.h"

const char *const header_part_names[N_PARTS] = { "cmd", "workload", "label",
    "machine", "origin" };

void
header_fix(struct header *h, enum header_part part, const char *text)
{
	if (text == NULL)
		return;
	h->parts[part].text = mem_strdup(text);
	h->parts[part].is_fixed = true;
}

bool
header_set(struct header *h, enum header_part part, struct span text)
{
	if (h->parts[part].is_fixed)
		return true;
	if (h->parts[part].text == NULL)
		h->parts[part].text = mem_strndup(text.p, text.n);
	return span_eq(text, h->parts[part].text);
}

void
header_release(struct header *h)
{
	for (unsigned i = 0; i < N_PARTS; i++)
		free(h->parts[i].text);
}
