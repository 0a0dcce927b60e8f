/* input - files as bytes and lines, decompressed */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/base/text.h"
#include "common/io/decompress.h"
#include "common/io/input.h"

enum { READ_SIZE = 256 * 1024, CRLF_SIZE = 2, MAGIC_MAX = 5 };

struct packed {
	struct decompressor *decompressor;	/* NULL before the first file
						   that is compressed */
	bool active;		/* this file is compressed */
	const char *next;	/* what has not been decompressed yet */
	size_t n;
	/* Compressed bytes; large enough for all that detect_format() reads. */
	char in[MAGIC_MAX + READ_SIZE];
};

/* Other compressions: the first bytes, and a program that decompresses. */
static const struct magic {
	const char *bytes, *name, *cat;
} magics[] = {
	{ "\xfd" "7zXZ", "xz", "xzcat" },
	{ "BZh", "bzip2", "bzcat" },
	{ "\x04\x22\x4d\x18", "lz4", "lz4cat" },
};

static bool
is_stdin(const char *file)
{
	return strcmp(file, "-") == 0;
}

static uint64_t
sum_sizes(char *const *files, size_t n)
{
	struct stat st;
	uint64_t sum = 0;
	int failed;

	for (size_t i = 0; i < n; i++) {
		failed = is_stdin(files[i]) ? fstat(0, &st) :
		    stat(files[i], &st);
		if (failed != 0 || !S_ISREG(st.st_mode))
			return 0;
		sum += (uint64_t)st.st_size;
	}
	return sum;
}

void
input_init(struct input *in, char *const *files, size_t n)
{
	static char dash[] = "-";
	static char *const only_stdin[] = { dash };

	*in = (struct input){ .fd = -1, .opened = -1 };
	in->files = n > 0 ? files : only_stdin;
	in->n_files = n > 0 ? n : 1;
	in->cap = READ_SIZE * 2;
	in->data = mem_alloc(in->cap + INPUT_PADDING);
	in->at = in->end = in->data;
}

static void
close_file(struct input *in)
{
	if (in->fd > 0)
		close(in->fd);
	in->fd = -1;
	if (in->packed != NULL)
		in->packed->active = false;
}

void
input_release(struct input *in)
{
	close_file(in);
	if (in->packed != NULL)
		decompress_free(in->packed->decompressor);
	free(in->packed);
	free(in->data);
	buf_release(&in->failure);
	*in = (struct input){ .fd = -1, .opened = -1 };
}

/* Ends the file, which cannot be opened or read because of `why`. */
static COLD void
end_unreadable(struct input *in, const char *what, const char *why)
{
	in->failure.len = 0;
	buf_printf(&in->failure, "%s '%s': %s", what, in->name, why);
	in->damage = buf_cstr(&in->failure);
	in->unreadable = true;
}

/* The same, because of errno. */
static COLD void
fail(struct input *in, const char *what)
{
	if (!in->survives || err_is_failure(errno))
		die_errno("cannot %s '%s'", what, in->name);
	end_unreadable(in, what, strerror(errno));
}

static size_t
read_some(struct input *in, void *to, size_t size)
{
	ssize_t n;

	do
		n = read(in->fd, to, size);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		fail(in, "read");
		return 0;
	}
	in->bytes_read += (uint64_t)n;
	if (in->on_read != NULL)
		in->on_read(in);
	return (size_t)n;
}

/*
 * Decompresses into [to, to + size), at least one byte unless the file ends or
 * is damaged.  Returns the number of bytes.
 */
static size_t
decompress_file(struct input *in, char *to, size_t size)
{
	struct packed *f = in->packed;
	size_t n;

	for (;;) {
		n = decompress_some(f->decompressor, &f->next, &f->n, to, size,
		    &in->damage);
		if (n > 0 || in->damage != NULL)
			return n;
		f->next = f->in;
		f->n = read_some(in, f->in, READ_SIZE);
		if (f->n == 0 && in->unreadable)
			return 0;
		if (f->n == 0) {
			in->damage = decompress_end(f->decompressor);
			return 0;
		}
	}
}

static bool
begins_with(const struct input *in, const char *bytes)
{
	return span_begins_with(span_of(in->at, (size_t)(in->end - in->at)),
	    bytes);
}

static void
reject_other_compressions(struct input *in)
{
	struct buf why = { 0 };

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		if (!begins_with(in, magics[i].bytes))
			continue;
		buf_printf(&why, "%s-compressed: use %s%s%s | %s",
		    magics[i].name, magics[i].cat, in->fd == 0 ? "" : " ",
		    in->fd == 0 ? "" : in->name, err_program());
		if (!in->survives)
			die("%s is %s", in->name, buf_cstr(&why));
		end_unreadable(in, "read", buf_cstr(&why));
		in->at = in->end;
	}
	buf_release(&why);
}

static bool
is_named(const char *name, const char *suffix)
{
	size_t n = strlen(name), n_suffix = strlen(suffix);

	return n > n_suffix && strcmp(name + n - n_suffix, suffix) == 0;
}

/*
 * Starts decompression if the file begins with the magic of gzip or zstd.
 * Refuses another compression.  Then skips a byte order mark.  A pipe may
 * deliver the bytes at the beginning one at a time.
 */
static void
detect_format(struct input *in)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const ptrdiff_t n_mark = sizeof byte_order_mark - 1;
	enum compression compression;
	struct packed *f;
	size_t n;

	while (in->end - in->at < MAGIC_MAX && input_more(in))
		;
	n = (size_t)(in->end - in->at);
	compression = decompress_detect(in->at, n);
	if (compression != COMPRESSION_NONE) {
		if (in->packed == NULL) {
			in->packed = mem_alloc(sizeof *in->packed);
			in->packed->decompressor = NULL;
		}
		f = in->packed;
		f->decompressor = decompress_start(f->decompressor,
		    compression);
		f->active = true;
		/* What has been read is the first of the compressed bytes. */
		memcpy(f->in, in->at, n);
		f->next = f->in;
		f->n = n;
		in->at = in->end = in->data;
		in->eof = false;	/* they are still to be decompressed */
	} else if (is_named(in->name, ".gz")) {
		in->misnamed = "it is named .gz but is not a gzip stream";
	} else if (is_named(in->name, ".zst")) {
		in->misnamed = "it is named .zst but is not a zstd stream";
	} else {
		reject_other_compressions(in);
	}

	while (in->end - in->at < n_mark && input_more(in))
		;
	if (begins_with(in, byte_order_mark))
		in->at += n_mark;
}

bool
input_next_is_terminal(const struct input *in)
{
	return in->next_file < in->n_files &&
	    is_stdin(in->files[in->next_file]) && isatty(STDIN_FILENO);
}

bool
input_next_file(struct input *in)
{
	const char *file;

	close_file(in);
	if (in->next_file == in->n_files)
		return false;
	if (in->next_file == 0)
		in->bytes_total = sum_sizes(in->files, in->n_files);
	file = in->files[in->next_file++];
	in->name = is_stdin(file) ? "<stdin>" : file;
	in->fd = in->opened;
	in->opened = -1;
	if (in->fd < 0)
		in->fd = is_stdin(file) ? 0 : open(file, O_RDONLY | O_CLOEXEC);
	in->at = in->end = in->data;
	in->line = 0;
	in->eof = in->unreadable = false;
	in->damage = in->misnamed = NULL;
	if (in->fd < 0)
		fail(in, "open");
	else
		detect_format(in);
	return true;
}

int64_t
input_modified_us(const struct input *in)
{
	struct stat st;

	if (in->fd >= 0 && fstat(in->fd, &st) != 0)
		die_errno("cannot examine '%s'", in->name);
	if (in->fd < 0 || !S_ISREG(st.st_mode))
		return INT_UNKNOWN;
	return (int64_t)st.st_mtim.tv_sec * 1000000 +
	    st.st_mtim.tv_nsec / 1000;
}

bool
input_more(struct input *in)
{
	size_t rest = (size_t)(in->end - in->at), n;
	char *old = in->data, *to;

	if (in->eof || in->fd < 0 || in->damage != NULL)
		return false;

	/* Move [at, end) to the start of the buffer, or of a larger one. */
	if ((size_t)(in->data + in->cap - in->end) < READ_SIZE) {
		if (rest > in->cap - READ_SIZE) {
			in->cap *= 2;
			in->data = mem_alloc(in->cap + INPUT_PADDING);
		}
		memmove(in->data, in->at, rest);
		if (in->data != old)
			free(old);
		in->at = in->data;
		in->end = in->data + rest;
	}

	to = in->data + (in->end - in->data);	/* end, but not const */
	if (in->packed != NULL && in->packed->active)
		n = decompress_file(in, to, READ_SIZE);
	else
		n = read_some(in, to, READ_SIZE);
	in->end += n;
	in->eof = n == 0;
	return n > 0;
}

/* Consumes full_len bytes, which are a line or a piece of one. */
static void
consume_line(struct input *in, struct line *line, size_t full_len)
{
	*line = (struct line){ .p = in->at, .len = full_len,
	    .full_len = full_len };
	in->at += full_len;
	if (line->len > 0 && line->p[line->len - 1] == '\n') {
		line->len--;
		if (line->len > 0 && line->p[line->len - 1] == '\r')
			line->len--;
	}
}

/*
 * For a buffer without a newline: reads until it has one, or the file ends, or
 * the line is longer than the limit.  Returns the length of the line, with the
 * newline, as far as it has been read; 0 at the end of the file.
 */
static COLD size_t
measure_unread_line(struct input *in, size_t limit)
{
	const char *newline;
	size_t seen;

	do {
		seen = (size_t)(in->end - in->at);
		if (seen > limit + CRLF_SIZE || !input_more(in))
			return seen;
		newline = memchr(in->at + seen, '\n',
		    (size_t)(in->end - in->at) - seen);
	} while (newline == NULL);
	return (size_t)(newline - in->at) + 1;
}

/*
 * Truncates a line, of which n bytes have been consumed, to the limit; leaves
 * the rest of it to input_rest().
 */
static COLD void
truncate_line(struct input *in, struct line *line, size_t n, size_t limit)
{
	in->at -= n - limit;
	*line = (struct line){ .p = line->p, .len = limit, .full_len = limit,
	    .too_long = true };
}

bool
input_line(struct input *in, size_t limit, struct line *line)
{
	const char *newline;
	size_t n;

	for (;;) {
		newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
		n = newline != NULL ? (size_t)(newline - in->at) + 1 :
		    measure_unread_line(in, limit);
		if (n == 0)
			return false;
		in->line++;
		consume_line(in, line, n);
		if (line->len > limit) {
			truncate_line(in, line, n, limit);
			return true;
		}
		/* Usually the first byte shows that the line is not blank. */
		if (*line->p > ' ' ||
		    text_trim(span_of(line->p, line->len)).n > 0)
			return true;
	}
}

bool
input_rest(struct input *in, struct line *piece)
{
	const char *newline;

	/* The byte before at is the last one of the previous piece. */
	if (in->at[-1] == '\n' || (in->at == in->end && !input_more(in)))
		return false;
	newline = memchr(in->at, '\n', (size_t)(in->end - in->at));
	consume_line(in, piece, (size_t)((newline != NULL ? newline + 1 :
	    in->end) - in->at));
	return true;
}
