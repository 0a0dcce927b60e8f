/* unit.h - checks, random numbers, files and children for the unit tests */

#ifndef WEIR_UNIT_H
#define WEIR_UNIT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/text.h"

static unsigned long unit_checks, unit_failures;

enum {
	UNIT_EXIT_SETUP = 99,	/* the test itself could not be set up */
	UNIT_FAILURES_SHOWN = 20,
	UNIT_READ_MAX = 31	/* reads of 1 to this many bytes are tested */
};

/* Sanitizers are slow; a tenth of the random cases is enough for them. */
#ifdef __SANITIZE_ADDRESS__
#define UNIT_ROUNDS(n) ((n) / 10)
#else
#define UNIT_ROUNDS(n) (n)
#endif

/*
 * Counts a check.  If it fails, prints the condition and a message, which names
 * the case or what is wrong, and continues.  Only the first UNIT_FAILURES_SHOWN
 * failures are printed.
 */
#define CHECK(holds, ...)						\
	do {								\
		unit_checks++;						\
		if (!(holds) && unit_failures++ < UNIT_FAILURES_SHOWN) {\
			printf("%s:%d: check failed: %s: ", __FILE__,	\
			    __LINE__, #holds);				\
			printf(__VA_ARGS__);				\
			putchar('\n');					\
			fflush(stdout);					\
		}							\
	} while (0)

/* Prints the counts; returns the exit status of the test program. */
static inline int
unit_end(void)
{
	printf("%lu checks, %lu failures\n", unit_checks, unit_failures);
	return unit_failures > 0;
}

/* A string literal as a span; it may contain NUL bytes. */
#define SPAN(literal) (struct span){ (literal), sizeof literal - 1 }

static inline bool
span_same(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Arguments for "%.*s" that, unlike SPAN_ARG (text.h), never truncate. */
#define SPAN_ARG_ALL(s) (int)(s).n, (s).p

/*
 * Waits for a child.  Returns its exit status; 128 plus the number of the
 * signal that ended it, as a shell does; or -1 if it cannot wait.
 */
static inline int
unit_wait(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    128 + WTERMSIG(status);
}

/*
 * Runs act() in a child process whose standard error is discarded.  Returns the
 * child's status as unit_wait() does: 0 if act() returned.
 */
static inline int
unit_child(void (*act)(void))
{
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		if (freopen("/dev/null", "w", stderr) == NULL)
			exit(UNIT_EXIT_SETUP);
		act();
		exit(0);
	}
	return unit_wait(pid);
}

static uint64_t unit_state;	/* of unit_random() */

/*
 * Seeds unit_random() from the environment variable SEED or, without it, from
 * the time.  Prints the seed, so that a failure can be repeated.
 */
static inline void
unit_seed(void)
{
	const char *seed = getenv("SEED");

	unit_state = seed != NULL ? strtoull(seed, NULL, 10) :
	    (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	printf("SEED=%llu\n", (unsigned long long)unit_state);
}

/* A number in [0, below), by splitmix64 (Vigna). */
static inline uint64_t
unit_random(uint64_t below)
{
	uint64_t z = unit_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) % below;
}

/* A random element of an array. */
#define UNIT_ONE_OF(array)						\
	((array)[unit_random(sizeof(array) / sizeof *(array))])

/*
 * Changes a text of n bytes in up to three random places: may remove up to
 * eight bytes there, and may insert one of the pieces.  text has room for size
 * bytes; a NUL is added.  Returns the new length, without the NUL.
 */
static inline size_t
unit_mutate(char *text, size_t n, size_t size, const char *const *pieces,
    size_t n_pieces)
{
	size_t at, n_removed, n_inserted;
	const char *piece;

	for (uint64_t i = unit_random(4); i > 0; i--) {
		at = unit_random(n + 1);
		n_removed = unit_random(3) == 0 ? unit_random(9) : 0;
		n_removed = n_removed < n - at ? n_removed : n - at;
		memmove(text + at, text + at + n_removed, n - at - n_removed);
		n -= n_removed;
		piece = pieces[unit_random(n_pieces)];
		n_inserted = strlen(piece);
		if (unit_random(4) == 0 || n + n_inserted >= size)
			continue;
		memmove(text + at + n_inserted, text + at, n - at);
		memcpy(text + at, piece, n_inserted);
		n += n_inserted;
	}
	text[n] = '\0';
	return n;
}

/*
 * Copies a text to memory of exactly its size, so that AddressSanitizer notices
 * a read past its end.  The caller frees the copy.
 */
static inline char *
unit_copy(struct span text)
{
	char *copy = mem_alloc(text.n);

	if (text.n > 0)
		memcpy(copy, text.p, text.n);
	return copy;
}

/*
 * Sends the text in packets of packet_bytes; flags are those of send().
 * Returns the part that could not be sent, empty if all of it was.
 */
static inline struct span
unit_send(int fd, struct span text, size_t packet_bytes, int flags)
{
	ssize_t n = 0;

	for (; text.n > 0; text = span_of(text.p + n, text.n - (size_t)n)) {
		n = send(fd, text.p, text.n < packet_bytes ? text.n :
		    packet_bytes, flags | MSG_NOSIGNAL);
		if (n < 0)
			break;
	}
	return text;
}

/*
 * Makes standard input a socket from which the text is read.  Each read returns
 * one packet, of read_bytes at most.  If the socket's buffer is too small for
 * the text, a child sends the rest: after reading, the caller reaps it with
 * wait(NULL).
 */
static inline void
unit_stdin(struct span text, size_t read_bytes)
{
	int pair[2];

	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
		exit(UNIT_EXIT_SETUP);
	text = unit_send(pair[1], text, read_bytes, MSG_DONTWAIT);
	if (text.n > 0 && fork() == 0) {
		close(pair[0]);
		unit_send(pair[1], text, read_bytes, 0);
		_exit(0);
	}
	close(pair[1]);
	dup2(pair[0], 0);
	close(pair[0]);
}

/* Writes a file. */
static inline void
unit_write(const char *path, struct span text)
{
	FILE *f = fopen(path, "wb");

	if (f == NULL || fwrite(text.p, 1, text.n, f) != text.n ||
	    fclose(f) != 0)
		exit(UNIT_EXIT_SETUP);
}

/* Appends the bytes of a file to a buffer; false if it cannot be opened. */
static inline bool
unit_read(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "rb");
	int c;

	if (f == NULL)
		return false;
	while ((c = getc(f)) != EOF)
		buf_char(to, (char)c);
	fclose(f);
	return true;
}

#endif
