/* filter - options, files, output and exit status of every filter */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/filter/filter-reject.h"
#include "common/filter/filter.h"
#include "common/filter/format.h"
#include "common/filter/lacks.h"
#include "common/io/progress.h"
#include "common/json/recio.h"
#include "common/report/style.h"

static struct {
	const char *output, *rejects;
	uint64_t max_record, max_memory, width;
	bool strict, line_buffered, progress, help, version, text, json;
	bool markdown, partial, tolerate;
} opt;

static const struct opt common_options[] = {
	{ 'o', "output", OPT_STR, &opt.output, "FILE",
	    "write to FILE, completely or not at all", 0, 0 },
	{ 0, "strict", OPT_FLAG, &opt.strict, NULL,
	    "stop at the first bad input", 0, 0 },
	{ 0, "rejects", OPT_STR, &opt.rejects, "FILE",
	    "keep every rejected line in FILE", 0, 0 },
	{ 0, "tolerate", OPT_FLAG, &opt.tolerate, NULL,
	    "exit with 0 although lines were rejected", 0, 0 },
	{ 0, "max-record", OPT_SIZE, &opt.max_record, "BYTES",
	    "longest line or record (64M)", 1, FILTER_RECORD_MAX },
	{ 0, "line-buffered", OPT_FLAG, &opt.line_buffered, NULL,
	    "flush the output after each record", 0, 0 },
	{ 0, "progress", OPT_FLAG, &opt.progress, NULL,
	    "show bytes, rate and time left", 0, 0 },
	{ 'h', "help", OPT_FLAG, &opt.help, NULL, "print this", 0, 0 },
	{ 'V', "version", OPT_FLAG, &opt.version, NULL,
	    "print the version", 0, 0 },
	{ 0 }
};

/* A command would inherit the limit. */
static const struct opt memory_options[] = {
	{ 0, "max-memory", OPT_SIZE, &opt.max_memory, "BYTES",
	    "fail if the input needs more memory (no limit)", 1,
	    UINT64_C(1) << 50 },
	{ 0 }
};

static const struct opt report_options[] = {
	{ 0, "text", OPT_FLAG, &opt.text, NULL,
	    "print a report, as on a terminal", 0, 0 },
	{ 0, "json", OPT_FLAG, &opt.json, NULL,
	    "print records, as in a pipe", 0, 0 },
	{ 0, "markdown", OPT_FLAG, &opt.markdown, NULL,
	    "print a report in Markdown, as for GitHub", 0, 0 },
	{ 0, "width", OPT_NUM, &opt.width, "N",
	    "make lines of a report at most N columns wide", STYLE_WIDTH_MIN,
	    1 << 30 },
	{ 0 }
};

static const struct opt record_options[] = {
	{ 0, "partial", OPT_FLAG, &opt.partial, NULL,
	    "accept a truncated stream of records", 0, 0 },
	{ 0 }
};

/*
 * If descriptor 0, 1 or 2 is closed, the next file to be opened would get its
 * number.  Opens /dev/null instead, in the wrong direction, so that reading
 * from 0 or writing to 1 or 2 still fails with EBADF.
 */
static void
open_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			die_errno("cannot open '/dev/null'");
}

static void
print_help(const struct about *about, const char *usage,
    const struct opt *own, const struct opt *const *shared)
{
	const struct input_format *const *format = about->formats;

	printf("usage: %s %s\n%s\n\n", err_program(), usage, about->purpose);
	opt_print(own);
	opt_print_line(shared, "also:", ", ...: see weir(7)");
	if (format != NULL)
		printf("\nFormats:\n");
	for (; format != NULL && *format != NULL; format++)
		printf("  %-12s %s\n", (*format)->name, (*format)->help);
	printf("\nExamples:\n");
	for (int i = 0; i < ABOUT_EXAMPLES && about->examples[i] != NULL; i++)
		printf("  %s\n", about->examples[i]);
	printf("\nSee %s(1).\n", err_program());
}

/* Whose output it is, and whether that has begun. */
static struct {
	const struct about *about;
	bool has_begun;
} stream;

enum output_kind
filter_writes_text(void)
{
	return OUTPUT_TEXT;
}

/* What the options so far make of standard output. */
static enum output_kind
output_kind(const struct about *about)
{
	if (opt.text || opt.markdown)
		return OUTPUT_TEXT;
	return about->output != NULL ? about->output() : OUTPUT_RECORDS;
}

/*
 * Writes a begin record in place of an output that will not come, for the
 * reader of a pipe.
 */
static void
put_lone_begin(struct buf *b)
{
	bool has_begun = stream.has_begun;
	struct stat st;

	stream.has_begun = true;	/* also if memory runs out here */
	if (!has_begun && opt.output == NULL &&
	    output_kind(stream.about) != OUTPUT_TEXT &&
	    fstat(STDOUT_FILENO, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		boundary_put_begin(b);
}

static void
begin_at_failure(void)
{
	struct output out = { .fd = STDOUT_FILENO, .name = "<stdout>" };

	put_lone_begin(&out.buf);
	output_flush(&out);
	buf_release(&out.buf);
}

void
filter_read_options(const struct about *about, const struct opt *options,
    int argc, char **argv)
{
	static const struct opt none[] = { { 0 } };
	const struct opt *tables[] = { options, common_options,
	    about->reports ? report_options : none,
	    about->keys != NULL ? record_options : none,
	    about->is_command ? none : memory_options, NULL };
	/* Not in the tables, because only the shells' completions use it. */
	bool is_list = argc == 2 && strcmp(argv[1], "--list-options") == 0;
	char usage[256];

	err_init(argv[0]);
	signal(SIGPIPE, SIG_DFL);	/* a parent may have ignored it */
	stream.about = about;
	err_on_failure(begin_at_failure);
	snprintf(usage, sizeof usage, "[options] %s", about->operands);
	if (is_list)
		opt_list(tables, about->operands, about->is_command);
	else
		optind = opt_parse(tables, usage, about->is_command, argc,
		    argv);
	if (opt.help)
		print_help(about, usage, options, tables + 1);
	if (opt.version)
		printf("%s (weir) " WEIR_VERSION "\n", err_program());
	if (is_list || opt.help || opt.version) {
		if (fflush(stdout) != 0)
			die_errno("cannot write '<stdout>'");
		exit(EXIT_OK);
	}

	if (opt.text + opt.json + opt.markdown > 1)
		die("--text, --json and --markdown exclude each other");
	if (opt.width > 0 && (opt.json || opt.markdown))
		die("--width applies only to a report as text");
	if (opt.strict && opt.tolerate)
		die("--strict and --tolerate exclude each other");
}

static void
init_input(struct filter *f, char **files, size_t n)
{
	input_init(&f->input, files, n);
	f->input.on_read = opt.progress ? progress_show : NULL;
}

void
filter_open(struct filter *f, const struct about *about, int argc, char **argv)
{
	open_standard_descriptors();
	*f = (struct filter){ 0 };
	if (opt.max_memory > 0)
		mem_limit(opt.max_memory, &f->input.name);
	f->reading.limit_is_given = opt.max_record > 0;
	f->max_record = opt.max_record > 0 ? opt.max_record :
	    FILTER_LINE_MAX;
	f->rejecting.is_kept = opt.rejects != NULL;
	f->rejecting.strict = opt.strict;
	f->rejecting.tolerate = opt.tolerate;
	f->reading.partial = opt.partial;
	f->text = opt.text || opt.markdown || (about->reports && !opt.json &&
	    opt.output == NULL && isatty(STDOUT_FILENO));
	style_choose(opt.output == NULL, opt.width, opt.markdown);
	f->reading.records = about->keys != NULL;
	f->reading.name = about->name;
	f->reading.what = about->reads;
	if (f->reading.records)
		f->reading.recio = recio_new(about->keys);
	if (about->reads_python)
		recio_accept_python(f->reading.recio);
	f->reading.operands = argv + optind;
	f->reading.n_operands = (size_t)(argc - optind);
	init_input(f, f->reading.operands, f->reading.n_operands);
	output_open(&f->out, opt.output);
	f->out.flush_each = opt.line_buffered;
	f->output = f->text ? OUTPUT_TEXT : output_kind(about);
	if (f->output == OUTPUT_RECORDS) {
		boundary_put_begin(&f->out.buf);
		/* A command must run even if nothing can be written. */
		stream.has_begun = !about->is_command;
		if (stream.has_begun)
			output_flush(&f->out);
	}
	if (opt.rejects != NULL)
		output_open(&f->rejecting.file, opt.rejects);
	if (output_is_same_file(&f->out, &f->rejecting.file))
		die("--output and --rejects name the same file");
}

void
filter_begin(struct filter *f, const struct about *about,
    const struct opt *options, int argc, char **argv)
{
	void *volatile block;

	filter_read_options(about, options, argc, argv);
	/* What one run frees the next one needs again: the C library keeps
	   about as much as the largest block that was freed. */
	block = mem_alloc(512 << 10);
	free(block);
	filter_open(f, about, argc, argv);
}

void
filter_declare_keys(struct filter *f, const char *const *keys)
{
	recio_free(f->reading.recio);
	f->reading.recio = recio_new(keys);
}

/* Sets the files to read: path first, then the n others. */
static void
set_files(struct filter *f, const char *path, char *const *others, size_t n)
{
	char **files = mem_resize(NULL, n + 1, sizeof *files);

	files[0] = (char *)(uintptr_t)path;
	for (size_t i = 0; i < n; i++)
		files[i + 1] = others[i];
	free(f->reading.files);
	f->reading.files = files;
	input_release(&f->input);
	init_input(f, files, n + 1);
}

const char *
filter_operand(struct filter *f)
{
	const char *first;

	if (f->reading.n_operands == 0)
		return NULL;
	first = f->reading.operands[0];
	f->reading.n_operands--;
	f->reading.operands++;
	input_release(&f->input);
	init_input(f, f->reading.operands, f->reading.n_operands);
	return first;
}

void
filter_read_first(struct filter *f, const char *path)
{
	/* input_init() has turned an empty list into { "-" }. */
	set_files(f, path, f->input.files, f->input.n_files);
	f->reading.first_is_needed = true;
}

void
filter_read_next(struct filter *f, const char *path, bool is_needed)
{
	set_files(f, path, NULL, 0);
	f->reading.first_is_needed = is_needed;
}

void
filter_read_each(struct filter *f)
{
	f->reading.each = f->input.survives = true;
}

struct buf *
filter_begin_record(struct filter *f, const char *type)
{
	json_begin(filter_out(f), type);
	return filter_out(f);
}

struct buf *
filter_begin_stat(struct filter *f, const char *name)
{
	json_cstr(filter_begin_record(f, "stat"), "stat", name);
	return filter_out(f);
}

void
filter_end_record(struct filter *f)
{
	json_end(filter_out(f));
	filter_emit(f);
}

int
filter_end(struct filter *f)
{
	struct buf *out = filter_out(f);

	if (opt.progress)
		progress_end(&f->input);
	filter_report_unprinted(f);
	/* The rejects first: they must be complete if the output then fails. */
	if (opt.rejects != NULL)
		output_close(&f->rejecting.file);

	/*
	 * If the input is truncated, so is the output: it gets no end record,
	 * and no output file.  A report says so in words, also of a log that
	 * was.  If nothing came, perhaps because the filter before this one has
	 * failed, there is no output file either.
	 */
	if (f->output == OUTPUT_DOCUMENT && f->n_records == 0)
		put_lone_begin(out);
	if (f->text && f->current_line > 0 && (f->truncated ||
	    (f->lacks & (LACKS_HEAD | LACKS_TAIL)) != 0))
		buf_str(out, "\nPartial: the input was truncated.\n");
	if (f->output == OUTPUT_RECORDS && !f->truncated)
		boundary_put_end(out, f->n_records, f->rejecting.n,
		    f->rejecting.n_faults, f->lacks);
	(f->truncated || f->reading.got_nothing || f->cannot_answer ?
	    output_abandon : output_close)(&f->out);

	input_release(&f->input);
	recio_free(f->reading.recio);
	free(f->rejecting.messages);
	free(f->reading.files);
	buf_release(&f->reading.key);
	if (f->truncated || f->cannot_answer ||
	    (f->undecided && !f->answered_no))
		return EXIT_FATAL;
	if (f->answered_no || f->rejecting.n_faults > 0)
		return EXIT_REJECTED;
	return f->rejected && !opt.tolerate ? EXIT_REJECTED : EXIT_OK;
}
