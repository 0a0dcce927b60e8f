#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The input formats of a filter: a table with a pointer to each, ended by NULL.
 * A filter lists the names of its formats once, in a macro FORMATS(), from
 * which FORMAT_DECLARATION and FORMAT_ADDRESS make the declarations and the
 * table.  --help and messages list the formats from it.
 *
 * One format reads all files: the one that --format names or, without that
 * option, the first that recognizes the beginning of the first file.  After
 * filter_read_each() this holds for each file by itself.
 */
struct filter;
struct input;
struct opt_word;

/* Each filter that has formats defines this struct for itself, for read(). */
struct format_options;

struct input_format {
	const char *name;		/* for --format */
	const char *help;		/* for --help: what is read */
	const char *const *keys;	/* to declare (rec.h); NULL if read()
					   does not read JSON records */
	/*
	 * Returns whether the input begins like this format.  White space has
	 * been skipped, but not for the first format: what looks like white
	 * space may be numbers in a format that is not text.  detect() may
	 * buffer more input, but must not consume any.  It is NULL in one
	 * format, the default, which reads what no other format recognizes.
	 */
	bool (*detect)(struct input *);
	/* Reads all files.  The first one is already open.  May be called
	   again, for another file, after filter_read_each(). */
	void (*read)(struct filter *, const struct format_options *);
};

#define FORMAT_DECLARATION(name) extern const struct input_format name##_format;
#define FORMAT_ADDRESS(name) &name##_format,

/*
 * Opens the next file and returns the format to read it in: the one that
 * --format names or, without that, the one that recognizes it; NULL if there is
 * no further file.
 */
const struct input_format *format_open(struct filter *,
    const struct input_format *const *table, const struct opt_word *);

/*
 * For detect(): returns whether the unconsumed input begins with the signature.
 * Buffers as many bytes as the comparison needs, but consumes none.
 */
bool format_begins_with(struct input *, const char *signature);

/* The same for a signature that is anywhere in the first n_bytes. */
bool format_contains(struct input *, const char *signature, size_t n_bytes);
