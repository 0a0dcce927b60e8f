/* format - reads the input of a filter in one of several formats */

#include <string.h>

#include "common/filter/filter-read.h"
#include "common/filter/filter.h"
#include "common/filter/format.h"
#include "common/filter/opt.h"
#include "common/json/scan.h"

static const struct input_format *
detect_format(const struct input_format *const *table, struct input *in)
{
	const struct input_format *first = table[0], *fallback = NULL;

	if (first->detect != NULL && first->detect(in))
		return first;
	scan_peek(in);		/* skips white space */
	for (; *table != NULL; table++) {
		if ((*table)->detect == NULL)
			fallback = *table;
		else if ((*table)->detect(in))
			return *table;
	}
	return fallback;
}

const struct input_format *
format_open(struct filter *f, const struct input_format *const *table,
    const struct opt_word *name)
{
	const struct input_format *format;

	if (!filter_next_file(f))
		return NULL;
	format = name->given != NULL ? table[name->index] :
	    detect_format(table, &f->input);
	if (format->keys != NULL)
		filter_declare_keys(f, format->keys);
	return format;
}

bool
format_begins_with(struct input *in, const char *signature)
{
	size_t n = strlen(signature);

	while ((size_t)(in->end - in->at) < n && input_more(in))
		;
	return span_begins_with(span_of(in->at, (size_t)(in->end - in->at)),
	    signature);
}

bool
format_contains(struct input *in, const char *signature, size_t n_bytes)
{
	size_t n = strlen(signature);

	while ((size_t)(in->end - in->at) < n_bytes && input_more(in))
		;
	for (const char *p = in->at; (size_t)(in->end - p) >= n &&
	    p < in->at + n_bytes; p++)
		if (memcmp(p, signature, n) == 0)
			return true;
	return false;
}
