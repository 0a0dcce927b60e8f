/*
 * failing - to be preloaded: lets calls of a program fail as a machine does
 *
 * A call is known by its function and its site, "FUNCTION OBJECT+OFFSET": where
 * in which program or library the call is.
 *
 *	FAIL_LIST=FILE	writes the site of each call to FILE at the end
 *	FAIL_SITE=SITE	the calls at this site fail,
 *	FAIL_CALL=N	from the Nth on (1);
 *	FAIL_ONCE=1	only that one; otherwise all later calls of the
 *			functions of its group fail, too, wherever they are
 *	FAIL_ERRNO=N	with this errno instead of that of the group
 *	FAIL_IN=NAME	only in the program NAME, not in those that it starts
 *
 * A call of the C library by itself, such as that of read() by fgets(), goes
 * past these functions.  Its calls of malloc() do not.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* <stdlib.h>, <fcntl.h> and others would declare what is defined below. */
char *getenv(const char *name);
long atol(const char *);
int dprintf(int fd, const char *fmt, ...);
int snprintf(char *to, size_t size, const char *fmt, ...);
int strcmp(const char *, const char *);
extern char *program_invocation_short_name;
char *strrchr(const char *, int);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

enum group { ALLOCATE, MAP, OPEN, READ, WRITE, STATUS, LIST, NAME, REMOVE, SYNC, LOCK,
    PROCESS, SOCKET, CONVERT, N_GROUPS };

static const int errnos[N_GROUPS] = { [ALLOCATE] = ENOMEM, [MAP] = ENOMEM,
    [OPEN] = EMFILE, [READ] = EIO, [WRITE] = ENOSPC, [STATUS] = EIO,
    [LIST] = EIO, [NAME] = EIO, [REMOVE] = EIO, [SYNC] = EIO, [LOCK] = EIO,
    [PROCESS] = EAGAIN, [SOCKET] = ENOBUFS, [CONVERT] = ENOMEM };

static struct {
	const char *site, *list;
	long call, error, n;
	int once, is_ready, has_failed;
	enum group failed;
} state = { .call = 1 };

enum { CALLS_MAX = 1 << 20 };
static struct call {
	const char *function;
	void *site;
} calls[CALLS_MAX];
static size_t n_calls;

__attribute__((constructor))
static void
start(void)
{
	const char *program = getenv("FAIL_IN");

	if (program != NULL &&
	    strcmp(program, program_invocation_short_name) != 0)
		return;
	state.site = getenv("FAIL_SITE");
	state.list = getenv("FAIL_LIST");
	if (getenv("FAIL_CALL") != NULL)
		state.call = atol(getenv("FAIL_CALL"));
	if (getenv("FAIL_ERRNO") != NULL)
		state.error = atol(getenv("FAIL_ERRNO"));
	state.once = getenv("FAIL_ONCE") != NULL;
	state.is_ready = state.site != NULL || state.list != NULL;
}

/* Sets text to the site of a call. */
static void
describe(char *text, size_t size, const char *function, void *site)
{
	const char *object = "?", *slash;
	uintptr_t offset = 0;
	Dl_info info;

	if (dladdr(site, &info) != 0 && info.dli_fname != NULL) {
		slash = strrchr(info.dli_fname, '/');
		object = slash != NULL ? slash + 1 : info.dli_fname;
		offset = (uintptr_t)site - (uintptr_t)info.dli_fbase;
	}
	snprintf(text, size, "%s %s+%#lx", function, object,
	    (unsigned long)offset);
}

/* Whether this call is to fail, with errno. */
static int
fails(const char *function, enum group group, void *site)
{
	static __thread int is_inside;	/* dladdr() may allocate */
	char text[512];
	int is_it;

	if (!state.is_ready || is_inside)
		return 0;
	if (state.list != NULL && n_calls < CALLS_MAX)
		calls[n_calls++] = (struct call){ function, site };
	if (state.site == NULL)
		return 0;
	is_it = state.has_failed && !state.once && group == state.failed;
	if (!is_it && !state.has_failed) {
		is_inside = 1;
		describe(text, sizeof text, function, site);
		is_inside = 0;
		is_it = strcmp(text, state.site) == 0 &&
		    ++state.n == state.call;
	}
	if (!is_it)
		return 0;
	state.has_failed = 1;
	state.failed = group;
	errno = state.error != 0 ? (int)state.error : errnos[group];
	return 1;
}

__attribute__((destructor))
static void
end(void)
{
	char text[512];
	int fd;
	int (*open_list)(const char *, int, int) = dlsym(RTLD_NEXT, "open");

	state.is_ready = 0;
	if (state.list == NULL)
		return;
	fd = open_list(state.list, 02001, 0);	/* O_WRONLY | O_APPEND */
	for (size_t i = 0; i < n_calls; i++) {
		describe(text, sizeof text, calls[i].function, calls[i].site);
		dprintf(fd, "%s\n", text);
	}
}

void *
malloc(size_t size)
{
	return fails("malloc", ALLOCATE, __builtin_return_address(0)) ? NULL :
	    __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails("calloc", ALLOCATE, __builtin_return_address(0)) ? NULL :
	    __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails("realloc", ALLOCATE, __builtin_return_address(0)) ? NULL :
	    __libc_realloc(p, size);
}

int
close(int fd)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "close");
	int status = real(fd);

	/* The descriptor is closed even if an error is reported. */
	return fails("close", SYNC, __builtin_return_address(0)) ? -1 : status;
}

/*
 * A function of at most six arguments, each an integer or a pointer, which a
 * register passes.  The result is one, too.
 */
#define FUNCTION(name, group, failure)					\
	long								\
	name(long a, long b, long c, long d, long e, long f)		\
	{								\
		static long (*real)(long, long, long, long, long, long);\
									\
		if (fails(#name, group, __builtin_return_address(0)))	\
			return failure;					\
		if (real == NULL)					\
			real = dlsym(RTLD_NEXT, #name);			\
		return real(a, b, c, d, e, f);				\
	}

/* For ferror(): a stream of glibc begins with its flags. */
static long
fail_stream(long stream, long failure)
{
	enum { IO_ERR_SEEN = 0x20 };

	*(int *)stream |= IO_ERR_SEEN;
	return failure;
}

FUNCTION(posix_memalign, ALLOCATE, ENOMEM)
FUNCTION(mmap, MAP, -1)
FUNCTION(mmap64, MAP, -1)
FUNCTION(mremap, MAP, -1)
FUNCTION(open, OPEN, -1)
FUNCTION(open64, OPEN, -1)
FUNCTION(__open_2, OPEN, -1)
FUNCTION(__open64_2, OPEN, -1)
FUNCTION(openat, OPEN, -1)
FUNCTION(__openat_2, OPEN, -1)
FUNCTION(fopen, OPEN, 0)
FUNCTION(fopen64, OPEN, 0)
FUNCTION(fdopendir, OPEN, 0)
FUNCTION(opendir, OPEN, 0)
FUNCTION(mkostemp, OPEN, -1)
FUNCTION(mkdtemp, OPEN, 0)
FUNCTION(dup, OPEN, -1)
FUNCTION(pipe2, OPEN, -1)
FUNCTION(signalfd, OPEN, -1)
FUNCTION(getpwuid, OPEN, 0)
FUNCTION(getpwuid_r, OPEN, EMFILE)
FUNCTION(read, READ, -1)
FUNCTION(__read_chk, READ, -1)
FUNCTION(pread, READ, -1)
FUNCTION(pread64, READ, -1)
FUNCTION(__pread_chk, READ, -1)
FUNCTION(fgets, READ, fail_stream(c, 0))
FUNCTION(__fgets_chk, READ, fail_stream(d, 0))
FUNCTION(getline, READ, fail_stream(c, -1))
FUNCTION(getdelim, READ, fail_stream(d, -1))
FUNCTION(__getdelim, READ, fail_stream(d, -1))
FUNCTION(recvmsg, READ, -1)
FUNCTION(write, WRITE, -1)
FUNCTION(pwrite, WRITE, -1)
FUNCTION(pwrite64, WRITE, -1)
FUNCTION(fflush, WRITE, -1)
FUNCTION(ftruncate, WRITE, -1)
FUNCTION(ftruncate64, WRITE, -1)
FUNCTION(stat, STATUS, -1)
FUNCTION(stat64, STATUS, -1)
FUNCTION(lstat, STATUS, -1)
FUNCTION(lstat64, STATUS, -1)
FUNCTION(fstat, STATUS, -1)
FUNCTION(fstat64, STATUS, -1)
FUNCTION(fstatat, STATUS, -1)
FUNCTION(fstatat64, STATUS, -1)
FUNCTION(access, STATUS, -1)
FUNCTION(eaccess, STATUS, -1)
FUNCTION(faccessat, STATUS, -1)
FUNCTION(realpath, STATUS, 0)
FUNCTION(__realpath_chk, STATUS, 0)
FUNCTION(readlink, STATUS, -1)
FUNCTION(__readlink_chk, STATUS, -1)
FUNCTION(getcwd, STATUS, 0)
FUNCTION(__getcwd_chk, STATUS, 0)
FUNCTION(statvfs, STATUS, -1)
FUNCTION(isatty, STATUS, 0)
FUNCTION(gethostname, STATUS, -1)
FUNCTION(readdir, LIST, 0)
FUNCTION(readdir64, LIST, 0)
FUNCTION(glob, LIST, 2)		/* GLOB_ABORTED */
FUNCTION(rename, NAME, -1)
FUNCTION(renameat, NAME, -1)
FUNCTION(renameat2, NAME, -1)
FUNCTION(link, NAME, -1)
FUNCTION(symlink, NAME, -1)
FUNCTION(mkdir, NAME, -1)
FUNCTION(mkdirat, NAME, -1)
FUNCTION(unlink, REMOVE, -1)
FUNCTION(unlinkat, REMOVE, -1)
FUNCTION(rmdir, REMOVE, -1)
FUNCTION(chmod, NAME, -1)
FUNCTION(fchmod, NAME, -1)
FUNCTION(fsync, SYNC, -1)
FUNCTION(fdatasync, SYNC, -1)
FUNCTION(syncfs, SYNC, -1)
FUNCTION(fclose, SYNC, -1)
FUNCTION(closedir, SYNC, -1)
FUNCTION(fcntl, LOCK, -1)
FUNCTION(fcntl64, LOCK, -1)
FUNCTION(fork, PROCESS, -1)
FUNCTION(getrandom, PROCESS, -1)
FUNCTION(sigaction, PROCESS, -1)
FUNCTION(madvise, PROCESS, -1)
FUNCTION(pthread_create, PROCESS, EAGAIN)
FUNCTION(poll, PROCESS, -1)
FUNCTION(socket, SOCKET, -1)
FUNCTION(bind, SOCKET, -1)
FUNCTION(listen, SOCKET, -1)
FUNCTION(accept4, SOCKET, -1)
FUNCTION(getsockopt, SOCKET, -1)
FUNCTION(iconv_open, CONVERT, -1)
FUNCTION(regcomp, CONVERT, 12)	/* REG_ESPACE */
FUNCTION(regexec, CONVERT, 12)
