#ifndef WEIR_OPT_H
#define WEIR_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A program's options as a table, ended by { 0 }: read by getopt_long, and
 * --help is printed from it.  A value is of the type that kind names:
 *
 *	OPT_FLAG	bool, set to true
 *	OPT_STR		const char *, borrowed from argv
 *	OPT_NUM		uint64_t within [least, most]
 *	OPT_SIZE	uint64_t likewise; K, M, G multiply by powers of 1024
 *	OPT_LIST	struct opt_list, one more each time
 */
enum opt_kind { OPT_FLAG, OPT_STR, OPT_NUM, OPT_SIZE, OPT_LIST };

struct opt {
	char letter;		/* 0: long only */
	const char *name;
	enum opt_kind kind;
	void *value;
	const char *arg, *help;
	uint64_t least, most;	/* most 0: no bound */
};

struct opt_list {
	const char **values;
	size_t n, cap;
};

/*
 * Reads argv by the tables (a NULL-terminated list of them) and returns the
 * index of the first operand.  Options may stand behind operands unless these
 * are a command, whose options they are.  An error prints usage and exits with
 * 2.
 */
int opt_parse(const struct opt *const *tables, const char *usage,
    bool is_command, int argc, char **argv);

/* The options of the tables, a line each, on standard output. */
void opt_print(const struct opt *const *tables);

#endif
