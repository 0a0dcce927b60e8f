/*
 * output - an output file appears when it is complete; until then the old file
 * stays, and a process that ends early leaves no temporary file
 */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/io/output.h"
#include "test/unit/unit.h"

static bool
file_is(const char *path, struct span want)
{
	struct buf text = { 0 };
	bool same = unit_read(path, &text) && span_same(buf_span(&text), want);

	buf_release(&text);
	return same;
}

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static size_t
count_files(const char *directory)
{
	DIR *d = opendir(directory);
	size_t n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return n - 2;		/* . and .. */
}

static void
write_text(const char *path, const char *text)
{
	struct output o;

	output_open(&o, path);
	buf_str(&o.buf, text);
	output_done(&o);
	output_close(&o);
}

static void
test_replace(void)
{
	struct output o;
	struct stat st;

	umask(027);
	output_open(&o, "d/new");
	buf_str(&o.buf, "one\n");
	output_flush(&o);
	CHECK(!exists("d/new") && count_files("d") == 1,
	    "not a temporary file alone");
	buf_str(&o.buf, "two\n");
	output_close(&o);
	CHECK(file_is("d/new", SPAN("one\ntwo\n")), "not the complete file");
	CHECK(count_files("d") == 1, "a temporary file is left");
	CHECK(stat("d/new", &st) == 0 && (st.st_mode & 07777) == 0640,
	    "mode %o", (unsigned)st.st_mode);
	output_open(&o, "d/new");
	buf_str(&o.buf, "three\n");
	output_flush(&o);
	CHECK(file_is("d/new", SPAN("one\ntwo\n")),
	    "the old file is replaced too early");
	output_close(&o);
	CHECK(file_is("d/new", SPAN("three\n")),
	    "the old file is not replaced");
	write_text("d/empty", "");
	CHECK(file_is("d/empty", SPAN("")), "not an empty file");
	unlink("d/new");
	unlink("d/empty");
}

/* Records are written in blocks or, with flush_each, each at once. */
static void
test_large(void)
{
	struct output o;
	struct buf want = { 0 };

	for (int flush_each = 0; flush_each < 2; flush_each++) {
		want.len = 0;
		output_open(&o, "d/large");
		o.flush_each = flush_each;
		for (int i = 0; i < (flush_each ? 2000 : 200000); i++) {
			buf_printf(&o.buf, "record %d\n", i);
			buf_printf(&want, "record %d\n", i);
			output_done(&o);
			CHECK(o.buf.len < (flush_each ? 1 : OUTPUT_SIZE),
			    "%zu bytes are not written", o.buf.len);
		}
		output_close(&o);
		CHECK(file_is("d/large", buf_span(&want)),
		    "not the %zu bytes that were written",
		    want.len);
	}
	buf_release(&want);
	unlink("d/large");
}

static const char *path;		/* where a child writes */
static void (*end_process)(void);	/* how end_early() ends it */

/* Ends the process while it writes two files. */
static void
end_early(void)
{
	struct output o, other;

	output_open(&o, path);
	output_open(&other, "d/other");
	buf_str(&o.buf, "half");
	output_flush(&o);
	end_process();
}

static void
by_die(void)
{
	die("expected");
}

static void
by_exit(void)
{
	exit(EXIT_FATAL);
}

static void
by_term(void)
{
	raise(SIGTERM);
}

static void
by_int(void)
{
	raise(SIGINT);
}

static void
by_hup(void)
{
	raise(SIGHUP);
}

static void
by_pipe(void)
{
	raise(SIGPIPE);
}

static void
test_early_end(void)
{
	static const struct { void (*end)(void); int status; } cases[] = {
		{ by_die, EXIT_FATAL }, { by_exit, EXIT_FATAL },
		{ by_term, 128 + SIGTERM }, { by_int, 128 + SIGINT },
		{ by_hup, 128 + SIGHUP }, { by_pipe, 128 + SIGPIPE } };
	int status;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		end_process = cases[i].end;
		path = "d/new";
		status = unit_child(end_early);
		CHECK(status == cases[i].status, "%zu: status %d", i, status);
		CHECK(count_files("d") == 0, "%zu: a file is left", i);
		unit_write("d/old", SPAN("old"));
		path = "d/old";
		status = unit_child(end_early);
		CHECK(status == cases[i].status, "%zu: status %d", i, status);
		CHECK(file_is("d/old", SPAN("old")) && count_files("d") == 1,
		    "%zu: the old file has changed", i);
		unlink("d/old");
	}
}

/* Writing to a symbolic link replaces its target, not the link. */
static void
test_link(void)
{
	unit_write("d/target", SPAN("old"));
	CHECK(symlink("target", "d/link") == 0, "cannot make a link");
	write_text("d/link", "new");
	CHECK(is_link("d/link") && file_is("d/link", SPAN("new")) &&
	    file_is("d/target", SPAN("new")) && !is_link("d/target"),
	    "not only the link's target is replaced");
	CHECK(count_files("d") == 2, "a temporary file is left");
	unlink("d/target");
	write_text("d/link", "newer");
	CHECK(is_link("d/link") && file_is("d/target", SPAN("newer")),
	    "the link's target is not created");
	unlink("d/target");
	unlink("d/link");
}

/* A pipe or a device is written directly, and not replaced. */
static void
test_direct(void)
{
	char got[8] = "";
	struct output o;
	struct stat st;
	int fd;

	CHECK(mkfifo("d/pipe", 0600) == 0, "cannot make a pipe");
	fd = open("d/pipe", O_RDWR);
	output_open(&o, "d/pipe");
	CHECK(o.temporary == NULL && count_files("d") == 1,
	    "a temporary file is used");
	buf_str(&o.buf, "direct");
	output_close(&o);
	CHECK(read(fd, got, sizeof got - 1) == 6 && strcmp(got, "direct") == 0,
	    "'%s'", got);
	CHECK(stat("d/pipe", &st) == 0 && S_ISFIFO(st.st_mode),
	    "the pipe is replaced");
	close(fd);
	unlink("d/pipe");
	write_text("/dev/null", "text");
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode),
	    "the device is replaced");
}

static void
write_to_path(void)
{
	write_text(path, "text");
}

static void
write_megabyte_to_path(void)
{
	struct output o;

	output_open(&o, path);
	for (int i = 0; i < 100000; i++) {
		buf_str(&o.buf, "more and more\n");
		output_done(&o);
	}
	output_close(&o);
}

static void
test_errors(void)
{
	static const char *const paths[] = { "d/missing/file", "d/", "d",
	    "/dev/full", "" };
	int status;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		path = paths[i];
		status = unit_child(write_to_path);
		CHECK(status == EXIT_FATAL, "'%s': status %d", path, status);
	}
	path = "/dev/full";
	status = unit_child(write_megabyte_to_path);
	CHECK(status == EXIT_FATAL, "'%s': status %d", path, status);
	CHECK(count_files("d") == 0, "a file is left");
}

int
main(void)
{
	err_init("output");
	/* The test may have been started with these signals ignored. */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (mkdir("d", 0777) != 0)
		return UNIT_EXIT_SETUP;
	test_replace();
	test_large();
	test_early_end();
	test_link();
	test_direct();
	test_errors();
	CHECK(count_files("d") == 0, "a file is left");
	return unit_end();
}
