/* opt - options take valid values; invalid values are fatal; help is printed */

#include <getopt.h>

#include "common/base/err.h"
#include "common/filter/opt.h"
#include "test/unit/unit.h"

/* The values of the options, set by parse(). */
static struct {
	bool flag, quiet;
	const char *str;
	uint64_t num, size, any;
	struct opt_list list, usual;
	struct opt_word word, pointed;
} got;

static const char *const names[] = { "one", "two", NULL };
static const struct named {
	const char *name;
	int value;
} one = { "ein", 1 }, two = { "zwei", 2 };
static const struct named *const pointers[] = { &one, &two, NULL };

static const struct opt first[] = {
	{ 'f', "flag", OPT_FLAG, &got.flag, NULL, "a flag", 0, 0 },
	{ 0, "quiet", OPT_FLAG, &got.quiet, NULL, "long only", 0, 0 },
	{ 's', "str", OPT_STR, &got.str, "FILE", "a text", 0, 0 },
	{ 0 }
};

static const struct opt second[] = {
	{ 'n', "num", OPT_NUM, &got.num, "N", "a number", 2, 100 },
	{ 'S', "size", OPT_SIZE, &got.size, "BYTES", "a size", 1,
	    UINT64_C(1) << 32 },
	{ 0, "any", OPT_SIZE, &got.any, "BYTES",
	    "an option of a name and a help that are rather long", 0, 0 },
	{ 'l', "list", OPT_LIST, &got.list, "DIR", "one more", 0, 0 },
	{ 'w', "word", OPT_WORD, &got.word, "NAME", "a name", 0, 0 },
	{ 0, "pointed", OPT_WORD, &got.pointed, "NAME", "another", 0, 0 },
	{ 0, "usual", OPT_LIST, &got.usual, "KEY", "one of many", 0, 0 },
	{ 0 }
};

static const struct opt *const tables[] = { first, second, NULL };

/* If true, the operands are a command, whose options are not parsed. */
static bool is_command;

/*
 * Parses a command line that is split at spaces; "." is an empty word.  Returns
 * the number of operands.
 */
static int
parse(const char *words)
{
	static char text[256], *argv[32];
	static char name[] = "prog", empty[] = "";
	int argc = 1;

	free(got.list.values);
	free(got.usual.values);
	memset(&got, 0, sizeof got);
	got.word = (struct opt_word)OPT_WORDS(names);
	got.pointed = (struct opt_word)OPT_POINTERS(pointers);
	got.usual.words = names;
	snprintf(text, sizeof text, "%s", words);
	argv[0] = name;
	for (char *p = strtok(text, " "); p != NULL; p = strtok(NULL, " "))
		argv[argc++] = strcmp(p, ".") == 0 ? empty : p;
	argv[argc] = NULL;
	optind = 0;		/* makes getopt() of glibc start again */
	return argc - opt_parse(tables, "[options]", is_command, argc, argv);
}

static void
test_values(void)
{
	CHECK(parse("") == 0 && !got.flag && got.str == NULL,
	    "a value without options");
	CHECK(parse("-f -s text a b") == 2 && got.flag &&
	    strcmp(got.str, "text") == 0, "%s", got.str);
	is_command = true;
	CHECK(parse("-f a -s x") == 3 && got.flag && got.str == NULL,
	    "an option of the command is parsed");
	CHECK(parse("-f -- -s x") == 2 && got.str == NULL,
	    "-- is not the end of the options");
	is_command = false;
	CHECK(parse("a --quiet --str=x=y b --flag") == 2 && got.flag &&
	    got.quiet && strcmp(got.str, "x=y") == 0,
	    "an option after an operand is not parsed");
	CHECK(parse("-fstext -- -f") == 1 && strcmp(got.str, "text") == 0,
	    "an option after -- is parsed");
	CHECK(parse("-f - -") == 2, "- is not an operand");
	CHECK(parse("--str -f") == 0 && strcmp(got.str, "-f") == 0 &&
	    !got.flag, "a value that begins with - is an option");
	CHECK(parse("--str . -s x") == 0 && strcmp(got.str, "x") == 0,
	    "not the last of two values");
	CHECK(parse("-n 2") == 0 && got.num == 2,
	    "the minimum is not accepted");
	CHECK(parse("-n100") == 0 && got.num == 100,
	    "the maximum is not accepted");
	CHECK(parse("-l a --list b -lc") == 0 && got.list.n == 3 &&
	    strcmp(got.list.values[0], "a") == 0 &&
	    strcmp(got.list.values[1], "b") == 0 &&
	    strcmp(got.list.values[2], "c") == 0, "%zu items", got.list.n);
	CHECK(parse("") == 0 && got.word.given == NULL && got.word.index == 0,
	    "a word without the option");
	CHECK(parse("-w two --pointed zwei") == 0 && got.word.index == 1 &&
	    got.word.given == names[1] && got.pointed.index == 1 &&
	    got.pointed.given == two.name, "%zu, %zu", got.word.index,
	    got.pointed.index);
}

static void
test_sizes(void)
{
	static const struct {
		const char *words;
		uint64_t size, any;
	} valid[] = {
		{ "-S 1", 1, 0 }, { "-S 1K", 1024, 0 }, { "-S 3M", 3 << 20, 0 },
		{ "-S 4G", UINT64_C(4) << 30, 0 },
		{ "-S 4294967296", UINT64_C(4) << 30, 0 },
		{ "-S 4194304K", UINT64_C(4) << 30, 0 },
		{ "--any 0", 0, 0 }, { "--any 0G", 0, 0 },
		{ "--any 18446744073709551615", 0, UINT64_MAX },
		{ "--any 17179869183G", 0, UINT64_C(17179869183) << 30 },
	};

	for (size_t i = 0; i < sizeof valid / sizeof *valid; i++)
		CHECK(parse(valid[i].words) == 0 && got.size == valid[i].size &&
		    got.any == valid[i].any, "%s: size %llu, any %llu",
		    valid[i].words,
		    (unsigned long long)got.size, (unsigned long long)got.any);
}

static const char *invalid_words;

static void
parse_invalid_words(void)
{
	parse(invalid_words);
}

static void
test_errors(void)
{
	static const char *const invalid[] = { "-n 1", "-n 101", "-n -3",
	    "-n 3K", "-n x", "-n .", "-n 0x3", "-n 3.0", "-n +3", "-n 3 -n 1",
	    "-n", "-S 0", "-S 0K", "-S K", "-S .", "-S 1k", "-S 1KB", "-S 1KK",
	    "-S -1", "-S 4294967297", "-S 5G", "-S 4194305K", "-S 1T",
	    "-S 18446744073709551616", "--any 17179869184G",
	    "--any 18014398509481984K", "--any 18446744073709551616",
	    "--nothing", "-x", "--flag=1", "--str", "-l", "-W", "-w tw",
	    "-w .", "--pointed one" };
	int status;

	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
		invalid_words = invalid[i];
		status = unit_child(parse_invalid_words);
		CHECK(status == EXIT_FATAL, "%s: status %d", invalid_words,
		    status);
	}
}

static void
test_help(void)
{
	static const char want[] =
	    "  -f, --flag              a flag\n"
	    "      --quiet             long only\n"
	    "  -s, --str FILE          a text\n"
	    "  -n, --num N             a number\n"
	    "  -S, --size BYTES        a size\n"
	    "      --any BYTES         an option of a name and a help that "
	    "are rather long\n"
	    "  -l, --list DIR          one more\n"
	    "  -w, --word NAME         a name\n"
	    "      --pointed NAME      another\n"
	    "      --usual KEY         one of many\n"
	    "also: -f, --quiet, -s FILE, -n N, -S BYTES, --any BYTES, -l DIR "
	    "and more\n"
	    "-\t-\t[file]\t<file>\t-\n"
	    "-f\t--flag\t-\t-\ta flag\n"
	    "-\t--quiet\t-\t-\tlong only\n"
	    "-s\t--str\tFILE\t<file>\ta text\n"
	    "-n\t--num\tN\t-\ta number\n"
	    "-S\t--size\tBYTES\t-\ta size\n"
	    "-\t--any\tBYTES\t-\tan option of a name and a help that are "
	    "rather long\n"
	    "-l\t--list\tDIR\t<directory>\tone more\n"
	    "-w\t--word\tNAME\tone two\ta name\n"
	    "-\t--pointed\tNAME\tein zwei\tanother\n"
	    "-\t--usual\tKEY\tone two\tone of many\n";
	struct buf text = { 0 };
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		if (freopen("help", "w", stdout) == NULL)
			exit(UNIT_EXIT_SETUP);
		opt_print(first);
		opt_print(second);
		opt_print_line(tables, "also:", " and more");
		opt_list(tables, "[file]", false);
		exit(0);
	}
	CHECK(unit_wait(pid) == 0, "the help is not printed");
	CHECK(unit_read("help", &text) && span_eq(buf_span(&text), want),
	    "%.*s", (int)text.len, text.data);
	buf_release(&text);
}

int
main(void)
{
	err_init("prog");
	test_values();
	test_sizes();
	test_errors();
	test_help();
	free(got.list.values);
	return unit_end();
}
