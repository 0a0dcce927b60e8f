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
	const char *const *keys;	/* to declare for its records (rec.h);
					   NULL if it is not read as records */
	/*
	 * Whether the input begins like this format.  White space has been
	 * skipped; nothing may be consumed.  NULL in one entry, which is the
	 * default: it reads what no other entry recognizes.
	 */
	bool (*detect)(struct input *);
	/* Reads all files.  The first one is already open. */
	void (*read)(struct filter *, const struct format_options *);
};

/*
 * Reads the input in the named format or, if name is NULL, in the one that
 * recognizes it.  An unknown name ends the program.
 */
void format_read(struct filter *, const struct input_format *table,
    const char *name, const struct format_options *);

/* For detect(): reads on until there are enough bytes to compare. */
bool format_begins_with(struct input *, const char *signature);

#endif
