/* format - reads the input of a filter in one of several formats */

#include <string.h>

#include "common/filter/filter-read.h"
#include "common/filter/filter.h"
#include "common/filter/format.h"
#include "common/filter/opt.h"
#include "common/json/scan.h"

static const struct input_format *
detect_format(const struct input_format *table, struct input *in)
{
	const struct input_format *fallback = NULL;

	if (table->detect != NULL && table->detect(in))
		return table;
	scan_peek(in);		/* skips white space */
	for (const struct input_format *f = table; f->name != NULL; f++) {
		if (f->detect == NULL)
			fallback = f;
		else if (f->detect(in))
			return f;
	}
	return fallback;
}

const struct input_format *
format_open(struct filter *f, const struct input_format *table,
    const char *name)
{
	const struct input_format *format = name == NULL ? NULL :
	    &table[opt_choice("format", name, table, sizeof *table)];

	if (!filter_next_file(f))
		return NULL;
	if (format == NULL)
		format = detect_format(table, &f->input);
	if (format->keys != NULL)
		filter_declare_keys(f, format->keys);
	return format;
}

void
format_read(struct filter *f, const struct input_format *table,
    const char *name, const struct format_options *options)
{
	const struct input_format *format = format_open(f, table, name);

	if (format != NULL)
		format->read(f, options);
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
