/*
 * cases - situations that are difficult for the instrument
 *
 * The first argument selects one by its name; see main() for the names.
 * Further arguments are a number, n, or select a variant.
 */

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <stdint.h>
#include <time.h>
#include <ucontext.h>

#include "count.h"
#include "weir-instrument.h"

static NOINLINE void
leaf(void)
{
	__asm__ volatile ("");
}

static NOINLINE void
middle(int n)
{
	for (int i = 0; i < n; i++)
		CALL(leaf);
	CALL(leaf);
}

/*
 * Makes the directory `ready`, and waits for a byte or the end of standard
 * input.  A signal handler that ran meanwhile would make read() fail.
 */
static NOT_COUNTED void
wait_for_input(void)
{
	char c;

	mkdir("ready", 0777);
	if (read(0, &c, 1) < 0)
		abort();
}

/*
 * Calls a function after the instrument's destructor has run, and waits then: of
 * the destructors in one file, that with the lowest priority number runs last.
 */
static bool waits_at_exit;

static NOT_COUNTED void
wait_at_exit(void)
{
	if (waits_at_exit) {
		CALL(leaf);
		wait_for_input();
	}
}

static void (*const last_destructor)(void)
    __attribute__((section(".fini_array.00050"), used)) = wait_at_exit;

/* A thread sets this flag, and the thread that started it waits for that. */
static int has_started;

static NOT_COUNTED void
wait_for_start(void)
{
	while (!__atomic_exchange_n(&has_started, 0, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* --- threads --- */

static void *
work(void *p)
{
	for (int i = 0; i < *(int *)p; i++)
		CALL(middle, i % 5);
	return p;
}

static NOINLINE void
eight_threads(int n)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, work, &n);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void *
short_work(void *p)
{
	errno = 4711;		/* any number: the hooks must not change it */
	CALL(middle, 1);
	if (errno != 4711)
		abort();
	return p;
}

static NOINLINE void
short_threads(int n)
{
	pthread_t threads[4];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < n; i += 4) {
		for (int j = 0; j < 4; j++)
			pthread_create(&threads[j], &small, short_work, NULL);
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
	}
}

static pthread_key_t key;

/* A destructor of thread-specific data that calls functions. */
static void
at_thread_end(void *p)
{
	(void)p;
	CALL(leaf);
}

static void *
with_key(void *p)
{
	pthread_setspecific(key, &key);
	return p;
}

/*
 * A destructor that sets its key again, so that the C library runs it in every
 * round of destructors.  The call is without CALL(): in the last round, the
 * instrument may have stopped counting.
 */
static void
at_thread_end_again(void *p)
{
	leaf();
	pthread_setspecific(key, p);
}

static NOINLINE void
keys(bool set_again)
{
	pthread_t thread;

	pthread_key_create(&key, set_again ? at_thread_end_again :
	    at_thread_end);
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, with_key, NULL);
		pthread_join(thread, NULL);
	}
}

static void *
to_be_cancelled(void *p)
{
	CALL(middle, 2);
	__atomic_store_n(&has_started, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return p;
}

static NOINLINE void
cancels(void)
{
	pthread_t thread;

	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, to_be_cancelled, NULL);
		wait_for_start();
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
}

/* --- depth --- */

static NOINLINE int
dive(int n)
{
	int below;

	if (n == 0)
		return 0;
	below = CALL(dive, n - 1);
	return below + 1;
}

/* --- longjmp --- */

static jmp_buf target;
static sigjmp_buf signal_target;

static NOINLINE void
jump_from(int depth)
{
	if (depth == 0)
		longjmp(target, 1);
	CALL(jump_from, depth - 1);
}

/* Inlined into jump_to().  test/oracles/instrument.py knows its name. */
static inline __attribute__((always_inline)) void
built_in(int depth)
{
	jump_from(depth);
}

static NOINLINE void
jump_to(int depth)
{
	if (setjmp(target) == 0)
		CALL(jump_from, depth);
	CALL(leaf);
	if (setjmp(target) == 0)
		built_in(depth);
	CALL(leaf);
}

/*
 * Calls itself down to depth 0, where it returns.  At every other depth it ends
 * by a longjmp() to the setjmp() of its caller.
 */
static NOINLINE void
nested(int depth)
{
	jmp_buf outer;

	memcpy(&outer, &target, sizeof outer);
	if (depth > 0 && setjmp(target) == 0)
		CALL(nested, depth - 1);
	memcpy(&target, &outer, sizeof target);
	CALL(leaf);
	if (depth > 0)
		longjmp(target, 1);
}

static void
on_signal(int number)
{
	(void)number;
	CALL(leaf);
	siglongjmp(signal_target, 1);
}

static NOINLINE void
jump_from_handler(int flags)
{
	struct sigaction action = { .sa_handler = on_signal,
	    .sa_flags = flags };

	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 50; i++) {
		if (sigsetjmp(signal_target, 1) == 0)
			raise(SIGUSR2);
		CALL(leaf);
	}
}

static NOINLINE void
jumps(void)
{
	stack_t other = { .ss_size = 65536 };

	for (int i = 0; i < 200; i++)
		CALL(jump_to, i % 9);
	for (int i = 0; i < 20; i++)
		if (setjmp(target) == 0)
			CALL(nested, 5);
	CALL(jump_from_handler, 0);
	/* On an alternate stack, at lower addresses than this stack. */
	other.ss_sp = mmap(NULL, other.ss_size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&other, NULL);
	CALL(jump_from_handler, SA_ONSTACK);
	CALL(leaf);
}

static void *
jumps_in_thread(void *stack_above)
{
	stack_t other = { .ss_size = 65536, .ss_sp = stack_above };

	sigaltstack(&other, NULL);
	CALL(jump_from_handler, SA_ONSTACK);
	CALL(leaf);
	return NULL;
}

/* A thread whose alternate stack is at higher addresses than its own. */
static NOINLINE void
jump_between(void)
{
	char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, memory, 1 << 19);
	pthread_create(&thread, &attr, jumps_in_thread, memory + (1 << 19));
	pthread_join(thread, NULL);
}

/* --- signals --- */

static volatile sig_atomic_t n_signals;

static void
on_timer(int number)
{
	(void)number;
	n_signals++;
	CALL(middle, 3);
	CALL(leaf);
}

#ifdef __SANITIZE_THREAD__
/*
 * ThreadSanitizer delays handlers until a call such as usleep(), in which none
 * of its locks is taken.  Fails if the kernel calls the handler directly.
 */
static void
wait_for_handler(void)
{
	struct { void (*handler)(int); unsigned long others[3]; } action;

	if (syscall(SYS_rt_sigaction, SIGALRM, NULL, &action, 8) != 0 ||
	    action.handler == on_timer)
		abort();
	usleep(0);
}
#else
#define wait_for_handler() ((void)0)
#endif

static NOINLINE void
signals(void)
{
	struct sigaction action = { .sa_handler = on_timer,
	    .sa_flags = SA_RESTART };
	struct itimerval every_50_us = { { 0, 50 }, { 0, 50 } }, never = { 0 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_50_us, NULL);
	while (n_signals < 500) {
		CALL(middle, 4);
		wait_for_handler();
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * All threads of the program block the signal.  So the handler must not run at
 * all: there must be no other thread, while the wrapper reads.
 */
static NOINLINE void
blocked(void)
{
	struct sigaction action = { .sa_handler = on_timer };
	sigset_t all;

	sigaction(SIGALRM, &action, NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	CALL(leaf);
	kill(getpid(), SIGALRM);
	wait_for_input();
	if (n_signals > 0)
		abort();
	signal(SIGALRM, SIG_IGN);
}

/* --- processes --- */

static NOINLINE void
in_child(void)
{
	CALL(middle, 7);
}

static NOINLINE void
forks(void)
{
	pid_t child, grandchild;

	CALL(middle, 2);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		count_reset();
		CALL(in_child);
		grandchild = fork();
		if (grandchild == 0) {
			count_reset();
			CALL(in_child);
			count_write();
			_exit(0);
		}
		waitpid(grandchild, NULL, 0);
		CALL(leaf);
		count_write();
		exit(0);
	}
	waitpid(child, NULL, 0);
	CALL(middle, 1);
}

static void *
busy(void *stop)
{
	__atomic_store_n(&has_started, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		CALL(middle, 3);
	return NULL;
}

static NOINLINE void
left(int);			/* makes many nodes, see right() */

static NOINLINE void
fork_with_threads(int n)
{
	static int stop;
	pthread_t threads[3];
	pid_t child;

	if (n > 0)
		CALL(left, n);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, busy, &stop);
	fflush(stdout);
	for (int i = 0; i < 20; i++) {
		child = fork();
		if (child == 0) {
			count_reset();
			CALL(in_child);
			count_write();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static NOINLINE void
execute(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(1);
}

static NOINLINE void
vforks(void)
{
	pid_t child;

	for (int i = 0; i < 10; i++) {
		child = vfork();
		if (child == 0)
			execute();
		if (child < 0)
			printf("%s\n", strerror(errno));
		waitpid(child, NULL, 0);
		CALL(leaf);
	}
	CALL(middle, 2);
}

static NOINLINE void
execute_nothing(void)
{
	execl("/nowhere/at/all", "nothing", (char *)NULL);
	_exit(1);
}

static NOINLINE pid_t
fork_by_call(void)
{
	return (pid_t)syscall(SYS_fork);
}

/*
 * The C library runs no fork handler in these children, half of which exit
 * without executing another program.
 */
static NOINLINE void
children_end(void)
{
	pid_t child;

	for (int i = 0; i < 10; i++) {
		child = vfork();
		if (child == 0)
			execute_nothing();
		waitpid(child, NULL, 0);
		CALL(leaf);
		child = CALL(fork_by_call);
		if (child == 0) {
			count_reset();
			CALL(leaf);
			weir_mark("a child", 1);
			count_write();
			_exit(0);
		}
		waitpid(child, NULL, 0);
		CALL(leaf);
	}
}

/* --- libraries --- */

static NOINLINE void
plugin(const char *path)
{
#ifndef STATIC		/* glibc warns of dlopen() in static programs */
	void *library;
	int (*plugin_work)(int);

	for (int i = 0; i < 3; i++) {
		library = dlopen(path, RTLD_NOW);
		if (library == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		plugin_work = (int (*)(int))dlsym(library, "plugin_work");
		CALL(plugin_work, 10);
		dlclose(library);
	}
#else
	(void)path;
#endif
}

/* --- descriptors --- */

static NOINLINE void
closes(void)
{
	int fd, all = (int)sysconf(_SC_OPEN_MAX);

	CALL(leaf);
	for (int i = 3; i < all; i++)
		close(i);
	/* The program gets the instrument's former descriptor number. */
	for (int i = 0; i < 1000; i++) {
		fd = open("file", O_RDWR | O_CREAT, 0666);
		if (fd < 0)
			break;
	}
	CALL(middle, 5);
}

/* Prints the first free descriptor, and those that execl() passes on. */
static NOINLINE void
descriptors(void)
{
	char here[] = "/proc/self/fd";
	int fd = open("/dev/null", O_RDONLY);

	printf("%d\n", fd);
	fflush(stdout);
	close(fd);
	execl("/bin/ls", "ls", here, (char *)NULL);
}

/* --- coroutines --- */

static ucontext_t here, there;

static void
coroutine(void)
{
	for (;;) {
		CALL(leaf);
		swapcontext(&there, &here);
	}
}

static NOINLINE void
coroutines(void)
{
	static char stack[65536];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof stack;
	makecontext(&there, coroutine, 0);
	for (int i = 0; i < 1000; i++) {
		CALL(leaf);
		swapcontext(&here, &there);
	}
}

/* --- ways to end --- */

static void *
exit_here(void *p)
{
	CALL(leaf);
	count_write();
	exit(p != NULL ? 7 : 0);
}

static void *
last_thread(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	CALL(leaf);
	count_write();
	return NULL;
}

static void
on_crash(int number)
{
	static const char text[] = "own handler\n";

	if (write(1, text, sizeof text - 1) < 0)
		_exit(1);
	_exit(number == SIGSEGV ? 9 : 8);
}

/* The status is 9 if info and context describe a write to address 0. */
static void
on_crash_check_info(int number, siginfo_t *info, void *context)
{
	const ucontext_t *there = context;

	_exit(info->si_signo == number && info->si_addr == NULL &&
	    there->uc_mcontext.gregs[REG_RSP] != 0 ? 9 : 8);
}

static volatile int zero;	/* volatile: not known to the compiler */

static NOINLINE void
crash(const char *how)
{
	if (strcmp(how, "segv") == 0)
		*(volatile int *)(uintptr_t)zero = 1;
	if (strcmp(how, "fpe") == 0)
		zero = 100 / zero;
	if (strcmp(how, "ill") == 0)
		__builtin_trap();
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGBUS);
	if (strcmp(how, "overflow") == 0)
		CALL(dive, 100000000);
	if (strcmp(how, "info") == 0) {
		struct sigaction action = { .sa_sigaction =
		    on_crash_check_info,
		    .sa_flags = SA_SIGINFO };

		sigaction(SIGSEGV, &action, NULL);
		*(volatile int *)(uintptr_t)zero = 1;
	}
	if (strcmp(how, "ignored") == 0) {
		struct sigaction action = { .sa_handler = SIG_IGN,
		    .sa_flags = SA_SIGINFO };

		sigaction(SIGBUS, &action, NULL);
		kill(getpid(), SIGBUS);
		_exit(7);
	}
	if (strcmp(how, "handler") == 0) {
		signal(SIGSEGV, on_crash);
		*(volatile int *)(uintptr_t)zero = 1;
	}
}

static __thread sigjmp_buf after_crash;

static void
on_crash_continue(int number)
{
	siglongjmp(after_crash, number);
}

static pthread_barrier_t all_started;

static NOINLINE void
crash_below(int n)
{
	if (n == 0)
		CALL(crash, "segv");
	CALL(crash_below, n - 1);
}

/* Crashes 20 times, 500 calls deep; the handler jumps back to here. */
static void *
crash_often(void *p)
{
	pthread_barrier_wait(&all_started);
	for (volatile int i = 0; i < 20; i++)
		if (sigsetjmp(after_crash, 1) == 0)
			CALL(crash_below, 500);
	return p;
}

static NOINLINE void
crashes(int n_threads)
{
	pthread_t threads[8];

	signal(SIGSEGV, on_crash_continue);
	pthread_barrier_init(&all_started, NULL, (unsigned)n_threads);
	for (int i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, crash_often, NULL);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

/* SA_RESETHAND: the handler runs once; the second crash ends the program. */
static NOINLINE void
crash_twice(void)
{
	struct sigaction action = { .sa_handler = on_crash_continue,
	    .sa_flags = SA_RESETHAND };

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 2; i++)
		if (sigsetjmp(after_crash, 1) == 0)
			CALL(crash, "segv");
}

static NOT_COUNTED void
return_from_abort(int number)
{
	(void)number;
}

/*
 * Ends the program, after calls whose number depends on n, without _exit() and
 * without the functions registered with atexit().  how is the number of a
 * signal or one of the names below.
 */
static NOINLINE void
end_at_once(const char *how, int n)
{
	int number = strtol(how, NULL, 10);

	for (int i = 0; i < n; i++)
		CALL(middle, i % 9);
	CALL(left, n % 14);
	count_write();
	if (number > 0) {
		/* Background jobs of a shell ignore SIGINT. */
		signal(number, SIG_DFL);
		raise(number);
	}
	if (strcmp(how, "exec") == 0)
		execl("/bin/true", "true", (char *)NULL);
	if (strcmp(how, "abort") == 0) {
		signal(SIGABRT, return_from_abort);
		abort();
	}
	if (strcmp(how, "system call") == 0)
		syscall(SYS_exit_group, 3);
}

static NOINLINE void
ends(const char *how)
{
	static int never_set;	/* the threads get its address */
	static pthread_t main_thread;
	pthread_t thread;

	CALL(middle, 2);
	if (strcmp(how, "thread") == 0) {
		pthread_create(&thread, NULL, exit_here, &never_set);
		pthread_join(thread, NULL);
	} else if (strcmp(how, "main") == 0) {
		main_thread = pthread_self();
		pthread_create(&thread, NULL, last_thread, &main_thread);
		pthread_exit(NULL);
	} else if (strcmp(how, "_exit") == 0) {
		count_write();
		_exit(5);
	} else if (strcmp(how, "late") == 0) {
		waits_at_exit = true;
	} else if (strcmp(how, "quick") == 0) {
		count_write();
		quick_exit(6);
	} else if (strcmp(how, "live") == 0) {
		pthread_create(&thread, NULL, busy, &never_set);
		wait_for_start();
		exit(4);
	} else {
		CALL(crash, how);
	}
}

/* --- seccomp --- */

/*
 * Allows only read, write, rt_sigreturn and exit_group.  Any other system call
 * kills the process by SIGSYS.
 */
static NOINLINE void
forbid_most(bool by_prctl)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof *code, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (by_prctl)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	else
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		    SECCOMP_FILTER_FLAG_TSYNC, &filter);
}

static int confined_pipe[2], done_pipe[2];

/* Calls its first function after the main thread has called seccomp(). */
static NOT_COUNTED void *
call_when_confined(void *unused)
{
	char c;

	if (write(done_pipe[1], "", 1) != 1)
		abort();
	if (read(confined_pipe[0], &c, 1) == 1)
		middle(3);
	if (write(done_pipe[1], "", 1) != 1)
		abort();
	for (;;)
		if (read(confined_pipe[0], &c, 1) != 1)
			abort();
	return unused;
}

/*
 * A thread that starts before the main thread calls seccomp(), and calls its
 * first function afterwards.  The main thread waits until it runs, because the
 * C library makes system calls of its own when a thread starts.
 */
static NOINLINE void
confined_thread(void)
{
	pthread_t thread;
	char c;

	if (pipe(confined_pipe) != 0 || pipe(done_pipe) != 0 ||
	    pthread_create(&thread, NULL, call_when_confined, NULL) != 0 ||
	    read(done_pipe[0], &c, 1) != 1)
		abort();
	CALL(forbid_most, false);
	if (write(confined_pipe[1], "", 1) != 1 ||
	    read(done_pipe[0], &c, 1) != 1)
		abort();
	_exit(4);
}

/* Writes the counts before seccomp(), after which no file can be opened. */
static NOINLINE void
confined(const char *how, int n)
{
	CALL(middle, 3);
	if (strcmp(how, "refused") == 0) {
		if (prctl(PR_SET_SECCOMP, 4711) == 0 || errno != EINVAL)
			abort();
		return;
	}
	count_write();
	if (strcmp(how, "strict") == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else
		CALL(forbid_most, strcmp(how, "prctl") == 0);
	/* Much longer than OFF_TICKS. */
	for (volatile int i = 0; i < 1000000; i++)
		;
	left(n);
	if (strcmp(how, "strict") == 0)
		syscall(SYS_exit, 4);
	exit(4);
}

/* The only thread ends by a system call that bypasses the C library. */
static NOINLINE void
end_thread_by_call(void)
{
	CALL(middle, 3);
	count_write();
	syscall(SYS_exit, 3);
}

/* --- time --- */

/* Spins until the thread has used this much CPU time. */
static NOINLINE void
spin(long ms)
{
	struct timespec now, end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	end.tv_nsec += ms * 1000000;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - end.tv_sec) * 1000000000 +
	    (now.tv_nsec - end.tv_nsec) < 0);
}

static NOINLINE void
nap(void)
{
	usleep(20000);
}

static NOINLINE void
spins(void)
{
	CALL(spin, 40);
	for (int i = 0; i < 5; i++)
		CALL(spin, 10);
	for (int i = 0; i < 3; i++)
		CALL(nap);
}

/* --- work until a descriptor can be read --- */

/* Makes the directory `ready` after some calls. */
static NOINLINE void
until_readable(int fd)
{
	char c;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (read(fd, &c, 1) < 0 && errno == EAGAIN) {
		for (int i = 0; i < 1000; i++)
			CALL(middle, i % 10);
		mkdir("ready", 0777);
		usleep(1000);
	}
}

static NOINLINE void
marks(int n)
{
	for (int i = 0; i < n; i++)
		weir_mark("a \"name\" \xc3\xa9", i + 0.1);
	if (n == 1)		/* 63 dots fit; the rest is truncated */
		weir_mark("............................................."
		    ".................. is truncated", 1);
}

/*
 * left(n) and right(n) make 2^(n + 1) - 1 nodes each: one for each sequence of
 * up to n calls of left and right.
 */
static NOINLINE void
right(int n)
{
	if (n > 0) {
		CALL(left, n - 1);
		CALL(right, n - 1);
	}
}

static NOINLINE void
left(int n)
{
	if (n > 0) {
		CALL(left, n - 1);
		CALL(right, n - 1);
	}
}

/* A signal handler adds nodes while the program adds nodes. */
static NOINLINE void
signals_and_turns(int n)
{
	struct sigaction action = { .sa_handler = on_timer,
	    .sa_flags = SA_RESTART };
	struct itimerval every_20_us = { { 0, 20 }, { 0, 20 } }, never = { 0 };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every_20_us, NULL);
	CALL(left, n);
	setitimer(ITIMER_REAL, &never, NULL);
}

/*
 * In steps(), a signal arrives after each instruction.  The handler calls
 * functions at every call_period-th signal.
 */
static long n_steps;		/* signals so far */
static int call_period = 1;

static NOT_COUNTED void
on_step(int number)
{
	(void)number;
	if (++n_steps % call_period == 0)
		CALL(middle, 1);
}

static NOINLINE void
steps(int n)
{
	struct sigaction action = { .sa_handler = on_step };

	sigaction(SIGTRAP, &action, NULL);
	/* Sets the trap flag (256); pushes below the red zone (128 bytes). */
	__asm__ volatile ("subq $128, %%rsp\n\tpushfq\n\t"
	    "orq $256, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp" ::: "memory");
	CALL(left, n);
	CALL(left, n);
	CALL(jump_to, 2);
	/* Clears the trap flag. */
	__asm__ volatile ("subq $128, %%rsp\n\tpushfq\n\t"
	    "andq $-257, (%%rsp)\n\tpopfq\n\taddq $128, %%rsp" ::: "memory");
	CALL(leaf);
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *argument = argc > 2 ? argv[2] : "";
	int n = strtol(argument, NULL, 10);

	if (strcmp(how, "threads") == 0)
		CALL(eight_threads, n > 0 ? n : 20000);
	else if (strcmp(how, "short") == 0)
		CALL(short_threads, n);
	else if (strcmp(how, "keys") == 0)
		CALL(keys, n > 0);
	else if (strcmp(how, "deep") == 0)
		CALL(dive, n);
	else if (strcmp(how, "jumps") == 0)
		CALL(jumps);
	else if (strcmp(how, "between") == 0)
		CALL(jump_between);
	else if (strcmp(how, "signals") == 0)
		CALL(signals);
	else if (strcmp(how, "forks") == 0)
		CALL(forks);
	else if (strcmp(how, "several") == 0) {
		CALL(eight_threads, n);
		CALL(keys, false);
		CALL(jumps);
		CALL(forks);
		CALL(closes);
	} else if (strcmp(how, "fork-threads") == 0)
		CALL(fork_with_threads, n);
	else if (strcmp(how, "vfork") == 0)
		CALL(vforks);
	else if (strcmp(how, "children-end") == 0)
		CALL(children_end);
	else if (strcmp(how, "cancels") == 0)
		CALL(cancels);
	else if (strcmp(how, "blocked") == 0)
		CALL(blocked);
	else if (strcmp(how, "descriptors") == 0)
		CALL(descriptors);
	else if (strcmp(how, "crashes") == 0)
		CALL(crashes, n);
	else if (strcmp(how, "crash-twice") == 0)
		CALL(crash_twice);
	else if (strcmp(how, "plugin") == 0)
		CALL(plugin, argument);
	else if (strcmp(how, "closes") == 0)
		CALL(closes);
	else if (strcmp(how, "closes-until") == 0) {
		CALL(closes);
		CALL(until_readable, 0);
	} else if (strcmp(how, "coroutines") == 0)
		CALL(coroutines);
	else if (strcmp(how, "end") == 0)
		CALL(ends, argument);
	else if (strcmp(how, "confined-thread") == 0)
		CALL(confined_thread);
	else if (strcmp(how, "confined") == 0)
		CALL(confined, argument, strtol(argv[3], NULL, 10));
	else if (strcmp(how, "end-thread-by-call") == 0)
		CALL(end_thread_by_call);
	else if (strcmp(how, "end-at-once") == 0)
		CALL(end_at_once, argument, strtol(argv[3], NULL, 10));
	else if (strcmp(how, "spins") == 0)
		CALL(spins);
	else if (strcmp(how, "spins-waits") == 0) {
		CALL(spins);
		wait_for_input();
	} else if (strcmp(how, "until") == 0) {
		CALL(until_readable, 0);
		CALL(left, n);
		if (argc > 2 && n == 0)		/* not a number */
			CALL(ends, argument);
	} else if (strcmp(how, "marks") == 0)
		CALL(marks, n);
	else if (strcmp(how, "turns") == 0)
		CALL(left, n);
	else if (strcmp(how, "turns-twice") == 0) {
		CALL(left, n);
		wait_for_input();
		CALL(left, n);
	} else if (strcmp(how, "steps") == 0) {
		call_period = strtol(argv[3], NULL, 10);
		CALL(steps, n);
	} else if (strcmp(how, "signals-turns") == 0)
		CALL(signals_and_turns, n);
	printf("done\n");
	count_write();
	return 0;
}
