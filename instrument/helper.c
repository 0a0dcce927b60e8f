/*
 * helper - a thread that emits at intervals and on request, and takes samples
 *
 * The thread is made by clone(), unknown to the C library.  If it were a
 * pthread, the process would not exit when the program's last thread ends, the
 * C library would call malloc to create it, and would no longer treat a program
 * without threads as single-threaded.  The price is that the helper must not
 * call the C library.  The helper's thread-local variables are all zero.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "instrument/emit.h"
#include "instrument/helper.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/put.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

/*
 * The thread control block is at the offset TLS_SELF of the thread-local
 * storage, and thread-local variables are below it.
 */
enum { STACK_SIZE = 128 * 1024, TLS_SIZE = 8192, TLS_SELF = 4096 };

/*
 * How often to check whether the program has closed the socket, whether its
 * threads have ended, and whether the helper is to end.
 */
#define CHECK_NS INT64_C(100000000)

static char *memory;	/* the helper's stack and thread-local storage */
static int helper_tid;	/* the kernel clears it when the helper has ended */
static int must_stop;

/*
 * Counts one sample, at the thread's current node, for each period of CPU time
 * that the thread has used since it was sampled last.
 */
static void
sample_thread(struct thread *t)
{
	/* The id of a thread's CPU clock consists of ~tid and these bits. */
	enum { SCHED = 2, PER_THREAD = 4 };
	int tid = __atomic_load_n(&t->tid, __ATOMIC_RELAXED);
	int64_t now, n;

	if (tid == 0)
		return;
	now = sys_clock_ns((int)(~(unsigned)tid << 3 | PER_THREAD | SCHED));
	n = (now - t->cpu_ns) / settings.sample_period_ns;
	if (n <= 0)
		return;
	t->cpu_ns += n * settings.sample_period_ns;
	thread_node(t)->samples += (uint32_t)n;
}

static void
sample_all(void)
{
	uint64_t mask;

	if (!link_lock(0, &mask))
		return;
	FOR_EACH_THREAD(t)
		sample_thread(t);
	link_unlock(mask);
}

/*
 * Has the wrapper asked for an emission?  If it has closed the connection, the
 * instrument becomes dormant.
 */
static bool
has_request(void)
{
	char bytes[64];
	uint64_t mask;
	long n = -1;

	if (!link_lock(STALL_TIMEOUT_NS, &mask))
		return false;
	if (link_ensure_open())
		n = SYS(recvfrom, link_out.fd, bytes, sizeof bytes,
		    MSG_DONTWAIT, NULL, NULL);
	if (n == 0)
		state_give_up();
	link_unlock(mask);
	return n > 0;
}

/*
 * Have all other threads ended, the last of them by the system call exit, which
 * ends only a thread?  Then the helper alone keeps the process alive.  The
 * kernel keeps an ended main thread until the process ends, but without memory:
 * so process_vm_readv() of that thread fails with ESRCH.  The link count of a
 * directory in /proc is 2 more than the number of its subdirectories: here
 * these are two threads, the main thread and the helper.
 */
static bool
is_alone(void)
{
	char byte;
	struct { void *base; size_t n; } local = { &byte, 1 },
	    remote = { &must_stop, 1 };		/* any readable address */
	struct stat st;

	return SYS(process_vm_readv, own_pid, &local, 1, &remote, 1, 0) ==
	    -ESRCH && (SYS(stat, "/proc/self/task", &st) < 0 ||
	    st.st_nlink <= 2 + 2);
}

/*
 * Returns the exit status of the main thread: bits 8 to 15 of the last number
 * in /proc/self/stat (proc_pid_stat(5)).  Since Linux 5.17 the process ends
 * with the status of its last thread, which is the helper.
 */
static int
main_status(void)
{
	char text[1024];
	int fd = (int)SYS(open, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : SYS(read, fd, text, sizeof text);
	int status = 0, scale = 1;

	if (fd >= 0)
		SYS(close, fd);
	while (n > 0 && (text[n - 1] < '0' || text[n - 1] > '9'))
		n--;
	for (; n > 0 && text[n - 1] >= '0' && text[n - 1] <= '9' &&
	    scale < 100000; n--, scale *= 10)
		status += (text[n - 1] - '0') * scale;
	return status >> 8 & 255;
}

/*
 * Returns due + period or, if that time has passed as well, now + period:
 * missed times are not made up for.
 */
static int64_t
next_time(int64_t due, int64_t period, int64_t now)
{
	return due + period > now ? due + period : now + period;
}

/* Returns the status with which the helper is to exit. */
static int
run(void)
{
	int64_t now = sys_clock_ns(CLOCK_MONOTONIC), wait;
	int64_t emission_due = settings.interval_ns > 0 ?
	    now + settings.interval_ns : INT64_MAX;
	int64_t sample_due = settings.sample_period_ns > 0 ?
	    now + settings.sample_period_ns : INT64_MAX;
	int64_t check_due = now + CHECK_NS;
	struct timespec ts;
	struct pollfd p;
	long n;

	while (!dormant && !__atomic_load_n(&must_stop, __ATOMIC_RELAXED)) {
		wait = emission_due < sample_due ? emission_due : sample_due;
		if (check_due < wait)
			wait = check_due;
		wait = wait > now ? wait - now : 0;
		ts = (struct timespec){ wait / 1000000000, wait % 1000000000 };
		p = (struct pollfd){ .fd = link_out.fd, .events = POLLIN };
		n = SYS(ppoll, &p, 1, &ts, NULL, 8);
		now = sys_clock_ns(CLOCK_MONOTONIC);
		/* has_request() also reopens a socket the program closed. */
		if ((n > 0 || now >= check_due) && has_request()) {
			emit(INT64_MAX, false);
			now = sys_clock_ns(CLOCK_MONOTONIC);
		}
		if (now >= check_due) {
			if (is_alone())
				return main_status();
			check_due = next_time(check_due, CHECK_NS, now);
		}
		if (now >= sample_due) {
			sample_all();
			sample_due = next_time(sample_due,
			    settings.sample_period_ns, now);
		}
		if (now >= emission_due) {
			emit(INT64_MAX, false);
			now = sys_clock_ns(CLOCK_MONOTONIC);
			emission_due = next_time(emission_due,
			    settings.interval_ns, now);
		}
	}
	return 0;
}

static __attribute__((noreturn, used)) void
helper_main(void)
{
	int status = run();

	for (;;)
		SYS(exit, status);
}

/*
 * Creates a thread that runs helper_main() on a stack that grows down from top.
 * The thread's frame pointer is 0, which ends backtraces.
 */
static long
clone_thread(void *top, void *tcb)
{
	register int *child_tid __asm__("r10") = &helper_tid;
	register void *r8 __asm__("r8") = tcb;
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
	    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
	    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID, result;

	__asm__ volatile ("syscall\n\t"
	    "testq %%rax, %%rax\n\t"
	    "jnz 1f\n\t"
	    "xorl %%ebp, %%ebp\n\t"
	    "call %P[begin]\n\t"
	    "hlt\n"
	    "1:"
	    : "=a" (result)
	    : "a" ((long)SYS_clone), "D" (flags), "S" (top),
	      "d" (&helper_tid),
	      "r" (child_tid), "r" (r8), [begin] "i" (helper_main)
	    : "rcx", "r11", "memory");
	return result;
}

void
helper_start(void)
{
	char *tcb;		/* the thread control block */

	if (settings.no_helper)
		return;
	if (memory == NULL)
		memory = sys_map(STACK_SIZE + TLS_SIZE);
	if (memory == NULL)
		return;		/* the final emission needs no helper */
	/* On x86-64, two words of the thread control block point to itself. */
	tcb = memory + STACK_SIZE + TLS_SELF;
	*(void **)(void *)tcb = tcb;
	*(void **)(void *)(tcb + 16) = tcb;
	must_stop = helper_tid = 0;
	clone_thread(memory + STACK_SIZE, tcb);
}

/*
 * Waits for at most a second, which is longer than CHECK_NS: the helper may be
 * sending to a wrapper that does not read.
 */
void
helper_stop(void)
{
	__atomic_store_n(&must_stop, 1, __ATOMIC_RELAXED);
	for (int ms = 0; ms < 1000 && __atomic_load_n(&helper_tid,
	    __ATOMIC_ACQUIRE) != 0; ms++)
		sys_sleep_ms(1);
}
