/* filter - options, input, bad input, output and exit status of every filter */

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/num.h"
#include "common/frame/filter.h"
#include "common/frame/foreign.h"
#include "common/frame/format.h"
#include "common/frame/style.h"
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
	uint64_t max_record, width;
	bool strict, line_buffered, progress, help, version, text, json;
	bool markdown, partial, tolerate;
} opt = { .max_record = 64 << 20 };

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
	    about->reports ? report_options : none,
	    about->keys != NULL ? record_options : none, common_options, NULL };
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
	if (opt.text + opt.json + opt.markdown > 1)
		die("--text, --json and --markdown exclude each other");
	if (opt.width > 0 && (opt.json || opt.markdown))
		die("--width applies only to a report as text");
	if (opt.strict && opt.tolerate)
		die("--strict and --tolerate exclude each other");
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
	f->text = opt.text || opt.markdown || (about->reports && !opt.json &&
	    opt.output == NULL && isatty(STDOUT_FILENO));
	style_choose(opt.output == NULL, opt.width, opt.markdown);
	f->reads_records = about->keys != NULL;
	if (f->reads_records)
		f->recio = recio_new(about->keys);
	f->operands = argv + optind;
	f->n_operands = (size_t)(argc - optind);
	init_input(f);
	output_open(&f->out, opt.output);
	f->out.flush_each = opt.line_buffered;
	if (opt.rejects != NULL)
		output_open(&f->rejects, opt.rejects);
	if (output_is_same_file(&f->out, &f->rejects))
		die("--output and --rejects name the same file");
	f->writes_records = !f->text;
	if (f->writes_records)
		boundary_put_begin(&f->out.buf);
}

void
filter_write_text(struct filter *f)
{
	f->writes_records = false;
	f->out.buf.len = 0;
}

void
filter_declare_keys(struct filter *f, const char *const *keys)
{
	recio_free(f->recio);
	f->recio = recio_new(keys);
}

/* Sets the files to read: path first, then the n others. */
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
	f->first_is_needed = true;
}

void
filter_read_next(struct filter *f, const char *path, bool is_needed)
{
	set_files(f, path, NULL, 0);
	f->got_input = false;
	f->first_is_needed = is_needed;
}

void
filter_read_each(struct filter *f)
{
	f->reads_each = f->input.survives = true;
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
 * Counts and formats a message.  Returns its text, or NULL after MESSAGES_SHOWN
 * with the same format string.
 */
static const char *
format_message(struct filter *f, const char *fmt, va_list ap)
{
	struct message *m = find_message(f, fmt);

	if (m->count++ >= MESSAGES_SHOWN)
		return NULL;
	vsnprintf(m->last, sizeof m->last, fmt, ap);
	return m->last;
}

/* Reports a fault, with a position if file is not NULL. */
static void
report_fault(struct filter *f, const char *file, const char *fmt, va_list ap)
{
	const char *text = format_message(f, fmt, ap);

	f->rejected = true;
	f->n_rejected++;
	if (text != NULL && file != NULL)
		err_warn_at(file, f->current_line, "%s", text);
	else if (text != NULL)
		err_warn("%s", text);
}

void
filter_warn(struct filter *f, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = format_message(f, fmt, ap);
	va_end(ap);
	if (text != NULL && f->reads_each)
		err_warn("warning: %s: %s", f->input.name, text);
	else if (text != NULL)
		err_warn("warning: %s", text);
}

void
filter_warn_file(struct filter *f, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = format_message(f, fmt, ap);
	va_end(ap);
	if (text != NULL)
		err_warn("warning: %s: %s", f->input.name, text);
}

/*
 * Under --strict, ends the program: abandons the output, but completes the
 * --rejects file.
 */
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
	f->n_faults++;
	stop_if_strict(f);
}

void
filter_answer_no(struct filter *f, const char *why)
{
	err_warn("%s", why);
	f->answered_no = true;
}

void
filter_expect_records(struct filter *f, const char *why)
{
	if (f->n_records > 0)
		return;
	if (f->rejected)
		filter_fail(f, "%s", why);
	else
		err_warn("warning: %s", why);
}

static void
set_current(struct filter *f, const char *p, size_t n)
{
	f->current = span_of(p, n);
	f->current_line = f->input.line;
	f->got_input = true;
}

/*
 * Reports what the begin and end records of all files say: filters that wrote
 * the input rejected some of theirs, or a stream is truncated.
 */
static void
end_streams(struct filter *f)
{
	const struct boundaries *s = &f->boundaries;

	if (s->n_rejected > 0) {
		err_warn("input was rejected by %s", s->rejected_by);
		f->rejected = true;
		f->n_rejected = saturating_add(f->n_rejected, s->n_rejected);
		f->n_faults = saturating_add(f->n_faults, s->n_faults);
	}
	if (s->n_open > 0 && !opt.partial) {
		err_warn("the input is truncated: the end record of %s is "
		    "missing", s->begun_by[0] != '\0' ? s->begun_by :
		    "a stream");
		f->truncated = true;
	}
	f->boundaries = (struct boundaries){ 0 };
}

static void
end_file(struct filter *f)
{
	if (f->input.unreadable) {
		filter_fail(f, "cannot %s", f->input.damage);
	} else if (f->input.damage != NULL) {
		set_current(f, NULL, 0);
		f->n_faults++;
		filter_reject(f, "the file ends early: %s", f->input.damage);
	}
}

/*
 * Reports a stream of records that is empty: a filter that could not start
 * leaves its reader such an input.
 */
static void
check_not_empty(struct filter *f)
{
	if (!f->reads_records || f->got_input)
		return;
	filter_fail(f, "nothing came: '%s' is empty", f->input.name);
	f->got_input = f->got_nothing = true;
	if (f->first_is_needed && !opt.partial)
		f->truncated = true;
}

bool
filter_next_file(struct filter *f)
{
	bool was_needed = f->in_file && f->first_is_needed;

	if (f->in_file)
		end_file(f);
	if (was_needed)
		check_not_empty(f);
	if (f->in_file && f->reads_each) {
		f->in_file = false;
		return false;
	}
	f->in_file = input_next_file(&f->input);
	f->gave_up = false;
	if (f->in_file) {
		if (was_needed)
			f->first_is_needed = f->got_input = false;
		return true;
	}
	check_not_empty(f);
	end_streams(f);
	return false;
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
			/* The last line, which has no newline. */
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

/* Rejects a text that is not a record, for this reason. */
static void
reject_text(struct filter *f, struct span text, const char *why)
{
	const struct foreign *foreign = f->reads_records &&
	    f->current_line == 1 ? foreign_find(text) : NULL;

	/* Equal lengths: the line has no newline, the stream is truncated. */
	if (f->reads_records && text.n == f->current.n &&
	    boundary_is_partial_begin(text)) {
		f->boundaries.n_begun++;
		f->boundaries.n_open++;
	}
	if (foreign != NULL)
		filter_reject(f, "this is %s, which %s reads", foreign->what,
		    foreign->reader);
	else
		filter_reject(f, "%s", why);
}

struct rec *
filter_record(struct filter *f, struct span text)
{
	const char *why;
	struct rec *rec = recio_parse(f->recio, text, &why);

	if (rec == NULL)
		reject_text(f, text, why);
	return rec;
}

/*
 * The next record, of *n bytes, without consuming it.  NULL if it does not have
 * the plain form (plain.h), is not complete in the buffer, or is longer than
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

static struct rec *
next_record(struct filter *f)
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

bool
filter_consume_boundary(struct filter *f, const struct rec *rec)
{
	return boundary_note(&f->boundaries, rec);
}

int64_t
filter_n_begun(const struct filter *f)
{
	return f->boundaries.n_begun;
}

bool
filter_have_ended(const struct filter *f, int64_t n)
{
	return opt.partial ||
	    f->boundaries.n_begun - f->boundaries.n_open >= n;
}

struct rec *
filter_next(struct filter *f)
{
	struct rec *rec;

	do
		rec = next_record(f);
	while (rec != NULL && filter_consume_boundary(f, rec));
	return rec;
}

/* Rejects `current`, and the file from there to its end. */
static void
reject_to_end(struct filter *f, const char *why)
{
	struct span piece;

	f->gave_up = true;
	f->n_faults++;
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

/* Input of which nothing has been consumed is refused at its next line. */
void
filter_refuse(struct filter *f, struct span before, const char *why)
{
	struct buf text = { 0 };

	if (!f->reads_each)
		die("'%s' %s", f->input.name, why);
	buf_printf(&text, "the file %s", why);
	if (before.n == 0)
		f->current_line = f->input.line + 1;
	f->current = before;
	reject_to_end(f, buf_cstr(&text));
	buf_release(&text);
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
	f->got_input = true;
	if (result == SCAN_WHOLE)
		return true;
	reject_to_end(f, result == SCAN_TRUNCATED ?
	    "the file ends within a value" :
	    "a value is longer than --max-record");
	return false;
}

bool
filter_file_value(struct filter *f, bool is_stream, struct span *value)
{
	struct line line;

	if (is_stream) {
		if (!filter_file_line(f, &line))
			return false;
		*value = span_of(line.p, line.len);
		return true;
	}
	while (scan_peek(&f->input) != -1) {
		if (filter_value(f, value))
			return true;
		filter_reject_rest(f, span_of(NULL, 0),
		    "no JSON value begins here");
	}
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

int
filter_member(struct filter *f, const char *const *names)
{
	struct span key;
	int i = 0;

	f->key.len = 0;
	if (scan_peek(&f->input) != '"' || !filter_value(f, &key))
		return NO_MEMBER;
	/* Copied, because the search for the colon may move the input. */
	buf_add(&f->key, key.p, key.n);
	f->current = buf_span(&f->key);
	key = span_of(f->key.data + 1, f->key.len - 2);
	while (names[i] != NULL && !span_eq(key, names[i]))
		i++;
	return scan_accept(&f->input, ':') ? i : NO_MEMBER;
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

/*
 * If the input is truncated, so is the output: it gets no end record, and no
 * output file.  A report says so in words.  If nothing came, perhaps because
 * the filter before this one has failed, there is no output file either.
 */
static void
end_output(struct filter *f)
{
	struct buf *b = filter_out(f);

	if (f->truncated) {
		if (f->text)
			buf_str(b, "\nPartial: the input was truncated.\n");
		output_abandon(&f->out);
		return;
	}
	if (f->writes_records)
		boundary_put_end(b, f->n_records, f->n_rejected, f->n_faults);
	(f->got_nothing ? output_abandon : output_close)(&f->out);
}

int
filter_end(struct filter *f)
{
	if (opt.progress)
		progress_end(&f->input);
	report_unprinted(f);
	/* The rejects first: they must be complete if the output then fails. */
	if (opt.rejects != NULL)
		output_close(&f->rejects);
	end_output(f);
	input_release(&f->input);
	recio_free(f->recio);
	free(f->messages);
	free(f->files);
	buf_release(&f->key);
	if (f->truncated)
		return EXIT_FATAL;
	if (f->answered_no || f->n_faults > 0)
		return EXIT_REJECTED;
	return f->rejected && !opt.tolerate ? EXIT_REJECTED : EXIT_OK;
}
