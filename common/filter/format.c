/* format - reads the input of a filter in one of several formats */

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
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

static const struct input_format *
choose_format(const struct input_format *const *table, const char *name)
{
	const char **names;
	size_t n = 0, chosen;

	while (table[n] != NULL)
		n++;
	names = mem_zero(n + 1, sizeof *names);
	while (n-- > 0)
		names[n] = table[n]->name;
	chosen = opt_choice("format", name, names, sizeof *names);
	free(names);
	return table[chosen];
}

const struct input_format *
format_open(struct filter *f, const struct input_format *const *table,
    const char *name)
{
	const struct input_format *format = name == NULL ? NULL :
	    choose_format(table, name);

	if (!filter_next_file(f))
		return NULL;
	if (format == NULL)
		format = detect_format(table, &f->input);
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
