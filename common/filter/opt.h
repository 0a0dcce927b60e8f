#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A program's options as a table that ends with { 0 }, from which the command
 * line is read and --help is printed.  value points to a variable whose type
 * depends on the kind:
 *
 * 	OPT_FLAG	bool, set to true
 * 	OPT_STR		const char *, borrowed from argv
 * 	OPT_NUM		uint64_t within [min, max]
 * 	OPT_SIZE	the same; a suffix K, M or G multiplies by 2^10, 2^20
 * 			or 2^30
 * 	OPT_WORD	struct opt_word
 * 	OPT_LIST	struct opt_list: for each use of the option an element,
 * 			borrowed from argv
 */
enum opt_kind { OPT_FLAG, OPT_STR, OPT_NUM, OPT_SIZE, OPT_WORD, OPT_LIST };

struct opt {
	char letter;		/* 0: it has only a long name */
	const char *name;
	enum opt_kind kind;
	void *value;
	const char *arg;	/* for --help: the argument; for completions
				   "FILE" and "DIR" have a meaning */
	const char *help;
	uint64_t min, max;	/* of a number; max 0: no upper bound */
};

/*
 * A value that is a name of a table.  The elements are names, structs that
 * begin with a name, or pointers to such structs.  The table ends with NULL as
 * the name or pointer.
 */
struct opt_word {
	const void *table;
	size_t element_size;	/* 0: the elements are pointers to structs */
	const char *given;	/* NULL without the option */
	size_t index;		/* of what was given, or 0: the default, if
				   there is one, is usually the first */
};
#define OPT_WORDS(table) { (table), sizeof *(table), NULL, 0 }
#define OPT_POINTERS(table) { (table), 0, NULL, 0 }

struct opt_list {
	const char **values;
	size_t n, cap;
	const char *const *words;	/* for completions: usual values, which
					   end with NULL; or NULL */
};

/*
 * Reads the options in argv and returns the index of the first operand.  tables
 * ends with NULL.  Options may follow operands: argv is permuted so that the
 * operands come last.  But if the operands are a command (is_command), all that
 * follows its name belongs to it.  On error, prints `usage` after the program's
 * name and exits with 2.
 */
int opt_parse(const struct opt *const *tables, const char *usage,
    bool is_command, int argc, char **argv);

/* Prints the options of a table, a line for each, to standard output. */
void opt_print(const struct opt *);

/* Prints the names of options between two texts, as many as fit on one line. */
void opt_print_line(const struct opt *const *tables, const char *start,
    const char *end);

/*
 * Prints for completions what may be on the command line.  The first line is
 * for operands, the others are for the options, in five fields separated by
 * tabs, with - for a field that is missing:
 *
 *	-	-	[file ...]	<file>	-
 *	-b	--by	WHAT	function file module callsite	by function, ...
 *
 * They are the letter, the name, the argument, what the argument may be, and
 * the help.  What it may be are words, or <file> if it is called FILE, or
 * <directory> if it is called DIR.  Operands are files, unless they are called
 * a directory; or <command>, a command and its arguments.
 */
void opt_list(const struct opt *const *tables, const char *operands,
    bool is_command);
