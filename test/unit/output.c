/* output - a file is whole or absent */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "common/base/err.h"
#include "common/io/output.h"
#include "test/unit/unit.h"

static bool
holds(const char *path, struct span want)
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
test_whole(void)
{
	struct output o;
	struct stat st;

	umask(027);
	output_open(&o, "d/new");
	buf_str(&o.buf, "one\n");
	output_flush(&o);
	CHECK(!exists("d/new") && count_files("d") == 1, "only a temporary");
	buf_str(&o.buf, "two\n");
	output_close(&o);
	CHECK(holds("d/new", SPAN("one\ntwo\n")), "all of it");
	CHECK(count_files("d") == 1, "nothing is left over");
	CHECK(stat("d/new", &st) == 0 && (st.st_mode & 07777) == 0640,
	    "mode %o", (unsigned)st.st_mode);
	output_open(&o, "d/new");
	buf_str(&o.buf, "three\n");
	output_flush(&o);
	CHECK(holds("d/new", SPAN("one\ntwo\n")), "the old until the end");
	output_close(&o);
	CHECK(holds("d/new", SPAN("three\n")), "the new then");
	write_text("d/empty", "");
	CHECK(holds("d/empty", SPAN("")), "an empty file");
	unlink("d/new");
	unlink("d/empty");
}

static void
test_much(void)
{
	struct output o;
	struct buf want = { 0 };

	for (int each = 0; each < 2; each++) {
		want.len = 0;
		output_open(&o, "d/much");
		o.flush_each = each;
		for (int i = 0; i < (each ? 2000 : 200000); i++) {
			buf_printf(&o.buf, "record %d\n", i);
			buf_printf(&want, "record %d\n", i);
			output_done(&o);
			CHECK(o.buf.len < (each ? 1 : OUTPUT_SIZE), "%zu",
			    o.buf.len);
		}
		output_close(&o);
		CHECK(holds("d/much", buf_span(&want)), "%zu",
		    want.len);
	}
	buf_release(&want);
	unlink("d/much");
}

static const char *path;
static void (*ending)(void);

/* Two files are being written when the end comes. */
static void
end_early(void)
{
	struct output o, other;

	output_open(&o, path);
	output_open(&other, "d/other");
	buf_str(&o.buf, "half");
	output_flush(&o);
	ending();
}

static void
by_die(void)
{
	die("as we must");
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
	static const struct { void (*how)(void); int status; } ends[] = {
		{ by_die, EXIT_FATAL }, { by_exit, EXIT_FATAL },
		{ by_term, 128 + SIGTERM }, { by_int, 128 + SIGINT },
		{ by_hup, 128 + SIGHUP }, { by_pipe, 128 + SIGPIPE } };
	int status;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		ending = ends[i].how;
		path = "d/new";
		status = unit_child(end_early);
		CHECK(status == ends[i].status, "%zu: status %d", i, status);
		CHECK(count_files("d") == 0, "%zu: something is left", i);
		unit_write("d/old", SPAN("old"));
		path = "d/old";
		status = unit_child(end_early);
		CHECK(status == ends[i].status, "%zu: status %d", i, status);
		CHECK(holds("d/old", SPAN("old")) && count_files("d") == 1,
		    "%zu: the old file is as it was", i);
		unlink("d/old");
	}
}

static void
test_link(void)
{
	unit_write("d/target", SPAN("old"));
	CHECK(symlink("target", "d/link") == 0, "a link");
	write_text("d/link", "new");
	CHECK(is_link("d/link") && holds("d/link", SPAN("new")) &&
	    holds("d/target", SPAN("new")) && !is_link("d/target"),
	    "what it names is replaced");
	CHECK(count_files("d") == 2, "nothing is left over");
	unlink("d/target");
	write_text("d/link", "newer");
	CHECK(is_link("d/link") && holds("d/target", SPAN("newer")),
	    "what it names is made, if it is not there");
	unlink("d/target");
	unlink("d/link");
}

/* A pipe is written as it is, and stays one. */
static void
test_direct(void)
{
	char got[8] = "";
	struct output o;
	struct stat st;
	int fd;

	CHECK(mkfifo("d/pipe", 0600) == 0, "a pipe");
	fd = open("d/pipe", O_RDWR);
	output_open(&o, "d/pipe");
	CHECK(o.temporary == NULL && count_files("d") == 1, "no temporary");
	buf_str(&o.buf, "direct");
	output_close(&o);
	CHECK(read(fd, got, sizeof got - 1) == 6 && strcmp(got, "direct") == 0,
	    "'%s'", got);
	CHECK(stat("d/pipe", &st) == 0 && S_ISFIFO(st.st_mode), "still one");
	close(fd);
	unlink("d/pipe");
	write_text("/dev/null", "away");
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode), "a device");
}

static void
write_to_path(void)
{
	write_text(path, "text");
}

static void
write_much_to_path(void)
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
test_trouble(void)
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
	status = unit_child(write_much_to_path);
	CHECK(status == EXIT_FATAL, "'%s': status %d", path, status);
	CHECK(count_files("d") == 0, "something is left");
}

int
main(void)
{
	err_init("output");
	signal(SIGINT, SIG_DFL);	/* what runs us may have ignored them */
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (mkdir("d", 0777) != 0)
		return 99;
	test_whole();
	test_much();
	test_early_end();
	test_link();
	test_direct();
	test_trouble();
	CHECK(count_files("d") == 0, "something is left");
	return unit_end();
}
