#ifndef WEIR_FORMAT_H
#define WEIR_FORMAT_H

#include <stdbool.h>

/*
 * The input formats of a filter: a table with an entry for each, ended by
 * { 0 }.  --help and messages list the formats from it.  One of them reads all
 * of the input: the one that --format names or, without that option, the first
 * that recognizes the input.
 */
struct filter;
struct input;
struct format_options;		/* the filter's own, passed on to read() */

struct input_format {
	const char *name;		/* for --format */
	const char *help;		/* for --help: what is read */
	const char *const *keys;	/* the keys that its records declare
					   (rec.h); NULL: it has no records */
	/*
	 * Does the input begin like this format?  White space has been
	 * skipped; nothing may be consumed.  NULL in one entry, which is the
	 * default: it reads what no other entry recognizes.
	 */
	bool (*detect)(struct input *);
	/* Reads all files, of which the first has begun. */
	void (*read)(struct filter *, const struct format_options *);
};

/*
 * Reads the input as the named format, or as the one it begins like if name is
 * NULL.  An unknown name ends the program.
 */
void format_read(struct filter *, const struct input_format *table,
    const char *name, const struct format_options *);

/* For detect(): waits until a pipe has brought enough bytes to compare. */
bool format_begins_with(struct input *, const char *signature);

#endif
