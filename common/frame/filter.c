/* filter - options, input, bad input, output and exit status of every filter */

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/frame/filter.h"
#include "common/frame/format.h"
#include "common/io/progress.h"
#include "common/json/recio.h"
#include "common/json/scan.h"

enum { MESSAGES_SHOWN = 10 };

/* The messages with one format string: the first MESSAGES_SHOWN are printed. */
struct message {
	const char *fmt;
	uint64_t count;
	char last[4096];		/* the last one that was printed */
};

static struct {
	const char *output, *rejects;
	uint64_t max_record;
	bool strict, line_buffered, progress, help, version, text, json;
} opt = { .max_record = 64 << 20 };

static const struct opt common_options[] = {
	{ 'o', "output", OPT_STR, &opt.output, "FILE",
	    "write to FILE, completely or not at all", 0, 0 },
	{ 0, "strict", OPT_FLAG, &opt.strict, NULL,
	    "stop at the first bad input", 0, 0 },
	{ 0, "rejects", OPT_STR, &opt.rejects, "FILE",
	    "keep every rejected line in FILE", 0, 0 },
	{ 0, "max-record", OPT_SIZE, &opt.max_record, "BYTES",
	    "longest line or record (64M)", 1, UINT64_C(1) << 32 },
	{ 0, "line-buffered", OPT_FLAG, &opt.line_buffered, NULL,
	    "flush the output after each record", 0, 0 },
	{ 0, "progress", OPT_FLAG, &opt.progress, NULL,
	    "show bytes, rate and time left", 0, 0 },
	{ 'h', "help", OPT_FLAG, &opt.help, NULL, "print this", 0, 0 },
	{ 'V', "version", OPT_FLAG, &opt.version, NULL,
	    "print the version", 0, 0 },
	{ 0 }
};

static const struct opt report_options[] = {
	{ 0, "text", OPT_FLAG, &opt.text, NULL,
	    "print a report, as on a terminal", 0, 0 },
	{ 0, "json", OPT_FLAG, &opt.json, NULL,
	    "print records, as in a pipe", 0, 0 },
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
print_formats(const struct input_format *f)
{
	if (f == NULL)
		return;
	printf("Formats:\n");
	for (; f->name != NULL; f++)
		printf("  %-12s %s\n", f->name, f->help);
	printf("\n");
}

static void
read_options(const struct about *about, const struct opt *options, int argc,
    char **argv)
{
	static const struct opt none[] = { { 0 } };
	const struct opt *tables[] = { options,
	    about->reports ? report_options : none, common_options, NULL };
	char usage[256];

	snprintf(usage, sizeof usage, "[options] %s", about->operands);
	optind = opt_parse(tables, usage, about->is_command, argc, argv);
	if (opt.help) {
		printf("usage: %s %s\n%s\n\n", err_program(), usage,
		    about->purpose);
		print_formats(about->formats);
		opt_print(tables);
	}
	if (opt.version)
		printf("%s (weir) " WEIR_VERSION "\n", err_program());
	if (opt.help || opt.version) {
		if (fflush(stdout) != 0)
			die_errno("cannot write '<stdout>'");
		exit(EXIT_OK);
	}
	if (opt.text && opt.json)
		die("--text and --json exclude each other");
}

static void
init_input(struct filter *f)
{
	input_init(&f->input, f->operands, f->n_operands);
	f->input.on_read = opt.progress ? progress_show : NULL;
}

void
filter_begin(struct filter *f, const struct about *about,
    const struct opt *options, int argc, char **argv)
{
	err_init(argv[0]);
	open_standard_descriptors();
	signal(SIGPIPE, SIG_DFL);	/* a parent may have ignored it */
	read_options(about, options, argc, argv);

	*f = (struct filter){ 0 };
	f->max_record = opt.max_record;
	f->keeps_rejects = opt.rejects != NULL;
	f->text = opt.text || (about->reports && !opt.json &&
	    opt.output == NULL && isatty(STDOUT_FILENO));
	if (about->keys != NULL)
		f->recio = recio_new(about->keys);
	f->operands = argv + optind;
	f->n_operands = (size_t)(argc - optind);
	init_input(f);
	output_open(&f->out, opt.output);
	f->out.flush_each = opt.line_buffered;
	if (opt.rejects != NULL)
		output_open(&f->rejects, opt.rejects);
}

void
filter_declare_keys(struct filter *f, const char *const *keys)
{
	f->recio = recio_new(keys);
}

/* Makes path, followed by the n others, the list of files to read. */
static void
set_files(struct filter *f, const char *path, char *const *others, size_t n)
{
	struct input *in = &f->input;
	void (*on_read)(const struct input *) = in->on_read;
	char **files = mem_resize(NULL, n + 1, sizeof *files);

	files[0] = (char *)(uintptr_t)path;
	for (size_t i = 0; i < n; i++)
		files[i + 1] = others[i];
	free(f->files);
	f->files = files;
	input_release(in);
	input_init(in, files, n + 1);
	in->on_read = on_read;
}

const char *
filter_operand(struct filter *f)
{
	const char *first;

	if (f->n_operands == 0)
		return NULL;
	first = f->operands[0];
	f->n_operands--;
	f->operands++;
	input_release(&f->input);
	init_input(f);
	return first;
}

void
filter_read_first(struct filter *f, const char *path)
{
	/* input_init() has turned an empty list into { "-" }. */
	set_files(f, path, f->input.files, f->input.n_files);
}

void
filter_read_next(struct filter *f, const char *path)
{
	set_files(f, path, NULL, 0);
}

/* Copies bytes to the --rejects file. */
static void
keep_rejected(struct filter *f, const char *p, size_t n)
{
	if (opt.rejects == NULL)
		return;
	buf_add(&f->rejects.buf, p, n);
	output_done(&f->rejects);
}

static struct message *
find_message(struct filter *f, const char *fmt)
{
	struct message *m = f->messages, *end = m + f->n_messages;

	/* Format strings are literals: the address identifies one. */
	while (m < end && m->fmt != fmt)
		m++;
	if (m < end)
		return m;
	f->messages = mem_grow(f->messages, &f->messages_cap,
	    f->n_messages + 1, sizeof *f->messages);
	m = &f->messages[f->n_messages++];
	m->fmt = fmt;
	m->count = 0;
	return m;
}

/*
 * Prints a message, with a position if file is not NULL; only counts it after
 * MESSAGES_SHOWN with the same format string.
 */
static void
report_fault(struct filter *f, const char *file, const char *fmt, va_list ap)
{
	struct message *m = find_message(f, fmt);

	f->rejected = true;
	if (m->count++ >= MESSAGES_SHOWN)
		return;
	vsnprintf(m->last, sizeof m->last, fmt, ap);
	if (file != NULL)
		err_warn_at(file, f->current_line, "%s", m->last);
	else
		err_warn("%s", m->last);
}

/* The output is abandoned, but the --rejects file is completed. */
static void
stop_if_strict(struct filter *f)
{
	if (!opt.strict)
		return;
	if (opt.rejects != NULL)
		output_close(&f->rejects);
	exit(EXIT_FATAL);
}

/* Reports f->current and copies it to the --rejects file. */
static void
reject_current(struct filter *f, const char *fmt, va_list ap)
{
	report_fault(f, f->input.name, fmt, ap);
	keep_rejected(f, f->current.p, f->current.n);
}

/*
 * filter_reject() for the beginning of what is rejected: --strict must not end
 * the program before the caller has copied the rest to the --rejects file.
 */
static PRINTF_LIKE(2, 3) void
reject_beginning(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reject_current(f, fmt, ap);
	va_end(ap);
}

void
filter_reject(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reject_current(f, fmt, ap);
	va_end(ap);
	stop_if_strict(f);
}

bool
filter_check_text(struct filter *f, const struct line *line)
{
	if (memchr(line->p, '\0', line->len) != NULL) {
		filter_reject(f, "the line contains a NUL byte");
		return false;
	}
	if (!utf8_valid(line->p, line->len)) {
		filter_reject(f, "the line is not UTF-8");
		return false;
	}
	return true;
}

void
filter_fail(struct filter *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report_fault(f, NULL, fmt, ap);
	va_end(ap);
	stop_if_strict(f);
}

static void
set_current(struct filter *f, const char *p, size_t n)
{
	f->current = span_of(p, n);
	f->current_line = f->input.line;
}

static void
end_file(struct filter *f)
{
	f->in_file = false;
	if (f->input.damage == NULL)
		return;
	set_current(f, NULL, 0);
	filter_reject(f, "the file ends early: %s", f->input.damage);
}

bool
filter_next_file(struct filter *f)
{
	if (f->in_file)
		end_file(f);
	f->in_file = input_next_file(&f->input);
	f->gave_up = false;
	return f->in_file;
}

static void
reject_long_line(struct filter *f)
{
	struct line piece;

	reject_beginning(f, "the line is longer than %llu bytes (--max-record)",
	    (unsigned long long)opt.max_record);
	while (input_rest(&f->input, &piece))
		keep_rejected(f, piece.p, piece.full_len);
	stop_if_strict(f);
}

bool
filter_file_line(struct filter *f, struct line *line)
{
	while (f->in_file && input_line(&f->input, opt.max_record, line)) {
		set_current(f, line->p, line->full_len);
		if (line->too_long)
			reject_long_line(f);
		else if (f->input.damage != NULL && line->len == line->full_len)
			/* It does not end in a newline. */
			filter_reject(f, "the line is truncated");
		else
			return true;
	}
	return false;
}

bool
filter_line(struct filter *f, struct line *line)
{
	do
		if (filter_file_line(f, line))
			return true;
	while (filter_next_file(f));
	return false;
}

struct rec *
filter_record(struct filter *f, struct span text)
{
	const char *why;
	struct rec *rec = recio_parse(f->recio, text, &why);

	if (rec == NULL)
		filter_reject(f, "%s", why);
	return rec;
}

/*
 * The next record, without consuming it.  NULL if it does not have the plain
 * form (plain.h), is not complete in the buffer, or is longer than
 * --max-record.  Faster than the usual way, which searches for the end of the
 * line or value before reading it.
 */
static struct rec *
peek_plain(struct filter *f, size_t *n)
{
	struct input *in = &f->input;
	struct rec *rec = recio_plain(f->recio, span_of(in->at,
	    (size_t)(in->end - in->at)), n);

	return rec != NULL && *n <= opt.max_record ? rec : NULL;
}

/* filter_next() for a line that is nothing but a record of the plain form. */
static struct rec *
next_plain(struct filter *f)
{
	struct input *in = &f->input;
	size_t n;
	struct rec *rec = peek_plain(f, &n);

	if (rec == NULL || in->at + n == in->end || in->at[n] != '\n')
		return NULL;
	in->line++;
	set_current(f, in->at, n + 1);
	in->at += n + 1;
	return rec;
}

struct rec *
filter_next(struct filter *f)
{
	struct line line;
	struct rec *rec = next_plain(f);

	if (rec != NULL)
		return rec;
	while (filter_line(f, &line)) {
		rec = filter_record(f, span_of(line.p, line.len));
		if (rec != NULL)
			return rec;
	}
	return NULL;
}

/* Rejects `current`, and the file from there to its end. */
static void
reject_to_end(struct filter *f, const char *why)
{
	struct span piece;

	f->gave_up = true;
	reject_beginning(f, "%s: the rest of the file is rejected", why);
	while (scan_rest(&f->input, &piece))
		keep_rejected(f, piece.p, piece.n);
	stop_if_strict(f);
}

void
filter_reject_rest(struct filter *f, struct span before, const char *why)
{
	if (f->gave_up)
		return;
	f->current = before;
	f->current_line = f->input.line + 1;
	reject_to_end(f, why);
}

bool
filter_value(struct filter *f, struct span *value)
{
	uint64_t line;
	enum scan_result result;

	result = scan_value(&f->input, opt.max_record, value, &line);
	if (result == SCAN_NONE)
		return false;
	f->current = *value;
	f->current_line = line + 1;
	if (result == SCAN_VALUE)
		return true;
	reject_to_end(f, result == SCAN_TRUNCATED ?
	    "the file ends within a value" :
	    "a value is longer than --max-record");
	return false;
}

bool
filter_object(struct filter *f, struct rec **rec)
{
	struct input *in = &f->input;
	struct span value;
	size_t n;

	scan_peek(in);
	if ((*rec = peek_plain(f, &n)) != NULL) {
		/* The plain form contains no newline to count. */
		f->current = span_of(in->at, n);
		f->current_line = in->line + 1;
		in->at += n;
		return true;
	}
	if (!filter_value(f, &value))
		return false;
	*rec = filter_record(f, value);
	return true;
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

/* Reports how many messages were counted without being printed. */
static void
report_unprinted(const struct filter *f)
{
	const struct message *m = f->messages, *end = m + f->n_messages;

	for (; m < end; m++)
		if (m->count > MESSAGES_SHOWN)
			err_warn("%llu more like: %s", (unsigned long long)
			    (m->count - MESSAGES_SHOWN), m->last);
}

int
filter_end(struct filter *f)
{
	if (opt.progress)
		progress_end(&f->input);
	report_unprinted(f);
	output_close(&f->out);
	if (opt.rejects != NULL)
		output_close(&f->rejects);
	input_release(&f->input);
	recio_free(f->recio);
	free(f->messages);
	free(f->files);
	return f->rejected ? EXIT_REJECTED : EXIT_OK;
}
