/* opt - reads the options of a table with getopt_long(), and prints them */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/filter/opt.h"

enum {
	OPTIONS_MAX = 48,
	FIRST_LONG = 256,	/* above all letters; getopt_long() returns
				   FIRST_LONG + i for the i-th long name */
	HELP_COLUMN = 26,
	HELP_WIDTH = 80
};

/*
 * Whether a name is so similar to a text that it was probably meant: at most
 * three letters and half of the text differ, and fewer than in *least, which
 * is set.
 */
static bool
is_nearer(const char *name, struct span text, size_t *least)
{
	size_t d = text_distance(text, span_str(name));

	if (d > 3 || 2 * d > text.n || d >= *least)
		return false;
	*least = d;
	return true;
}

/* Appends whether the name was meant, unless it is NULL. */
static void
put_question(struct buf *b, const char *hyphens, const char *name)
{
	if (name != NULL)
		buf_printf(b, "; did you mean %s%s?", hyphens, name);
}

/*
 * Reports a long option that getopt_long() does not know.  If a name begins
 * with it, there are several such names.
 */
static void
report_unknown(const struct opt *const *all, size_t n, const char *arg)
{
	struct span text = span_of(arg, strcspn(arg, "="));
	struct buf question = { 0 };
	const char *nearest = NULL;
	size_t least = SIZE_MAX;

	text = span_of(text.p + 2, text.n - 2);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(all[i]->name, text.p, text.n) == 0) {
			err_warn("ambiguous option '%s'", arg);
			return;
		}
		if (is_nearer(all[i]->name, text, &least))
			nearest = all[i]->name;
	}
	put_question(&question, "--", nearest);
	err_warn("unknown option '%s'%s", arg, buf_cstr(&question));
	buf_release(&question);
}

/*
 * Refuses an argument that getopt_long() did not accept, in place of
 * getopt_long()'s own messages, which print arguments unescaped.  c is what it
 * returned: ':' if a value is missing, otherwise '?'.
 */
static _Noreturn void
refuse_option(int c, const struct opt *const *all, size_t n, const char *arg,
    const char *usage)
{
	const char *what = c == ':' ? "needs a value" : "takes no value";

	if (optopt >= FIRST_LONG)
		err_warn("the option '--%s' %s", all[optopt - FIRST_LONG]->name,
		    what);
	else if (c == ':')
		err_warn("the option '-%c' %s", optopt, what);
	else if (optopt != 0)
		err_warn("unknown option '-%c'", optopt);
	else
		report_unknown(all, n, arg);
	fprintf(stderr, "usage: %s %s\n", err_program(), usage);
	fprintf(stderr, "try '%s --help'\n", err_program());
	err_fail();
}

/* Flattens the tables; returns the number of options. */
static size_t
collect(const struct opt *const *tables, const struct opt **all)
{
	size_t n = 0;

	for (; *tables != NULL; tables++)
		for (const struct opt *o = *tables; o->name != NULL; o++) {
			if (n == OPTIONS_MAX)
				bug("more than %d options", OPTIONS_MAX);
			if (o->kind == OPT_WORD &&
			    ((const struct opt_word *)o->value)->table == NULL)
				bug("--%s has no table of words", o->name);
			all[n++] = o;
		}
	return n;
}

/* Removes a unit from the end of the text; returns its value, 1 for none. */
static uint64_t
parse_unit(struct span *text)
{
	static const char letters[] = "KMG";
	const char *letter;

	if (text->n == 0)
		return 1;
	letter = strchr(letters, text->p[text->n - 1]);
	if (letter == NULL || *letter == '\0')
		return 1;
	text->n--;
	return UINT64_C(1) << 10 * (letter - letters + 1);
}

static uint64_t
parse_number(const struct opt *o, const char *arg)
{
	struct span text = span_of(arg, strlen(arg));
	uint64_t unit = o->kind == OPT_SIZE ? parse_unit(&text) : 1;
	uint64_t max = o->max > 0 ? o->max : UINT64_MAX, value;

	if (!text_u64(text, &value) || value > max / unit ||
	    value * unit < o->min)
		die("--%s takes a number from %llu to %llu, not '%s'",
		    o->name, (unsigned long long)o->min,
		    (unsigned long long)max, arg);
	return value * unit;
}

/* The i-th name of the table; NULL at its end. */
static const char *
word_at(const struct opt_word *w, size_t i)
{
	const void *element = (const char *)w->table +
	    i * (w->element_size > 0 ? w->element_size : sizeof(void *));

	if (w->element_size == 0)
		element = *(const void *const *)element;
	return element == NULL ? NULL : *(const char *const *)element;
}

static void
set_word(const struct opt *o, const char *arg)
{
	struct opt_word *w = o->value;
	struct buf list = { 0 };
	const char *name, *nearest = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; (name = word_at(w, i)) != NULL; i++) {
		if (strcmp(arg, name) == 0) {
			w->given = name;
			w->index = i;
			buf_release(&list);
			return;
		}
		if (i > 0)
			buf_str(&list, word_at(w, i + 1) == NULL ? " or " :
			    ", ");
		buf_str(&list, name);
		if (is_nearer(name, span_str(arg), &least))
			nearest = name;
	}
	buf_printf(&list, ", not '%s'", arg);
	put_question(&list, "", nearest);
	die("--%s must be %s", o->name, buf_cstr(&list));
}

static void
set_value(const struct opt *o, const char *arg)
{
	struct opt_list *list;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		break;
	case OPT_STR:
		*(const char **)o->value = arg;
		break;
	case OPT_NUM:
	case OPT_SIZE:
		*(uint64_t *)o->value = parse_number(o, arg);
		break;
	case OPT_WORD:
		set_word(o, arg);
		break;
	case OPT_LIST:
		list = o->value;
		list->values = mem_grow(list->values, &list->cap, list->n + 1,
		    sizeof *list->values);
		list->values[list->n++] = arg;
		break;
	}
}

int
opt_parse(const struct opt *const *tables, const char *usage,
    bool is_command, int argc, char **argv)
{
	const struct opt *all[OPTIONS_MAX];
	struct option longs[OPTIONS_MAX + 1];
	char letters[OPTIONS_MAX * 2 + 3], *p = letters;
	size_t n = collect(tables, all), i;
	int c;

	opterr = 0;
	memset(longs, 0, sizeof longs);
	if (is_command)
		*p++ = '+';	/* stop at the first operand */
	*p++ = ':';		/* return ':' for a missing value */
	for (i = 0; i < n; i++) {
		longs[i].name = all[i]->name;
		longs[i].has_arg = all[i]->kind != OPT_FLAG;
		longs[i].val = FIRST_LONG + (int)i;
		if (all[i]->letter == 0)
			continue;
		*p++ = all[i]->letter;
		if (all[i]->kind != OPT_FLAG)
			*p++ = ':';
	}
	*p = '\0';

	while ((c = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		i = 0;
		while (i < n && c != FIRST_LONG + (int)i && c != all[i]->letter)
			i++;
		if (i == n)
			refuse_option(c, all, n, argv[optind - 1], usage);
		set_value(all[i], optarg);
	}
	return optind;
}

/* Appends "--name ARG" or, with by_letter, "-l ARG" if it has a letter. */
static void
put_option(struct buf *b, const struct opt *o, bool by_letter)
{
	if (by_letter && o->letter != 0)
		buf_printf(b, "-%c", o->letter);
	else
		buf_printf(b, "--%s", o->name);
	if (o->arg != NULL)
		buf_printf(b, " %s", o->arg);
}

void
opt_print(const struct opt *o)
{
	struct buf b = { 0 };
	bool is_long;

	for (; o->name != NULL; o++) {
		b.len = 0;
		if (o->letter != 0)
			buf_printf(&b, "  -%c, ", o->letter);
		else
			buf_str(&b, "      ");
		put_option(&b, o, false);
		is_long = b.len >= HELP_COLUMN;
		printf("%s%s%*s%s\n", buf_cstr(&b), is_long ? "\n" : "",
		    HELP_COLUMN - (is_long ? 0 : (int)b.len), "", o->help);
	}
	buf_release(&b);
}

void
opt_print_line(const struct opt *const *tables, const char *start,
    const char *end)
{
	const struct opt *all[OPTIONS_MAX];
	size_t n = collect(tables, all), fitting;
	struct buf b = { 0 };

	buf_str(&b, start);
	for (size_t i = 0; i < n; i++) {
		fitting = b.len;
		buf_str(&b, i > 0 ? ", " : " ");
		put_option(&b, all[i], true);
		if (b.len + strlen(end) <= HELP_WIDTH)
			continue;
		b.len = fitting;
		break;
	}
	printf("%s%s\n", buf_cstr(&b), end);
	buf_release(&b);
}

static void
list_values(const struct opt *o)
{
	struct opt_word words = { 0 };
	const char *name;

	if (o->kind == OPT_WORD)
		words = *(const struct opt_word *)o->value;
	else if (o->kind == OPT_LIST)
		words = (struct opt_word)OPT_WORDS(
		    ((const struct opt_list *)o->value)->words);
	if (words.table == NULL) {
		printf("%s", o->arg == NULL ? "-" :
		    strcmp(o->arg, "FILE") == 0 ? "<file>" :
		    strcmp(o->arg, "DIR") == 0 ? "<directory>" : "-");
		return;
	}
	for (size_t i = 0; (name = word_at(&words, i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", name);
}

void
opt_list(const struct opt *const *tables, const char *operands,
    bool is_command)
{
	const struct opt *all[OPTIONS_MAX], *o;
	size_t n = collect(tables, all);

	printf("-\t-\t%s\t%s\t-\n", *operands == '\0' ? "-" : operands,
	    is_command ? "<command>" : *operands == '\0' ? "-" :
	    strstr(operands, "directory") != NULL ? "<directory>" : "<file>");
	for (size_t i = 0; i < n; i++) {
		o = all[i];
		if (o->letter != 0)
			printf("-%c\t", o->letter);
		else
			printf("-\t");
		printf("--%s\t%s\t", o->name, o->arg != NULL ? o->arg : "-");
		list_values(o);
		printf("\t%s\n", o->help);
	}
}
