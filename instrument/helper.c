/*
 * helper - a thread that emits at intervals and on request, and takes samples
 *
 * The thread is made by clone(), so that the C library does not know it.  If it
 * were a pthread, the process would not exit when the program's last thread
 * ends, the C library would call malloc, and a program without threads would
 * not be single-threaded any more.  The price is that the thread must not call
 * the C library.  Its thread-local variables are all zero.
 */

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum { STACK_SIZE = 128 * 1024, TLS_SIZE = 8192, TLS_SELF = 4096 };

/* How often to check whether the program has closed the socket. */
#define CHECK_NS INT64_C(1000000000)

static char *memory;	/* the helper's stack and thread-local storage */

/*
 * Counts one sample, at the thread's current node, for each period of CPU time
 * that the thread has used since it was sampled last.
 */
static void
sample_thread(struct thread *t)
{
	/* The kernel makes the id of a thread's CPU clock from these. */
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
		dormant = true;
	link_unlock(mask);
	return n > 0;
}

/*
 * Returns due + period or, if that has passed as well, now + period: missed
 * times are not made up for.
 */
static int64_t
next_time(int64_t due, int64_t period, int64_t now)
{
	return due + period > now ? due + period : now + period;
}

static void
run(void)
{
	int64_t now = sys_clock_ns(CLOCK_MONOTONIC), wait;
	int64_t emission_due = settings.interval_ns > 0 ?
	    now + settings.interval_ns : INT64_MAX;
	int64_t sample_due = settings.sample_period_ns > 0 ?
	    now + settings.sample_period_ns : INT64_MAX;
	struct timespec ts;
	struct pollfd p;
	long n;

	while (!dormant) {
		wait = emission_due < sample_due ? emission_due : sample_due;
		wait = wait > now ? wait - now : 0;
		if (wait > CHECK_NS)
			wait = CHECK_NS;
		ts = (struct timespec){ wait / 1000000000, wait % 1000000000 };
		p = (struct pollfd){ .fd = link_out.fd, .events = POLLIN };
		n = SYS(ppoll, &p, 1, &ts, NULL, 8);
		/* has_request() also reopens a socket the program closed. */
		if ((n > 0 || wait == CHECK_NS) && has_request())
			emit(INT64_MAX, false);
		now = sys_clock_ns(CLOCK_MONOTONIC);
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
}

static __attribute__((noreturn, used)) void
helper_main(void)
{
	run();
	for (;;)
		SYS(exit, 0);
}

/*
 * The new thread runs helper_main() on a stack that grows down from top.  Its
 * frame pointer is 0, which ends backtraces.
 */
static long
clone_thread(void *top, void *tls)
{
	register long child_tid __asm__("r10") = 0;
	register void *r8 __asm__("r8") = tls;
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
	    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS, result;

	__asm__ volatile ("syscall\n\t"
	    "testq %%rax, %%rax\n\t"
	    "jnz 1f\n\t"
	    "xorl %%ebp, %%ebp\n\t"
	    "call %P[begin]\n\t"
	    "hlt\n"
	    "1:"
	    : "=a" (result)
	    : "a" ((long)SYS_clone), "D" (flags), "S" (top), "d" (0L),
	      "r" (child_tid), "r" (r8), [begin] "i" (helper_main)
	    : "rcx", "r11", "memory");
	return result;
}

void
helper_start(void)
{
	char *tls;

	if (settings.no_helper)
		return;
	if (memory == NULL)
		memory = sys_map(STACK_SIZE + TLS_SIZE);
	if (memory == NULL)
		return;		/* the final emission does not need it */
	/* On x86-64, two words of the thread control block point to itself. */
	tls = memory + STACK_SIZE + TLS_SELF;
	*(void **)(void *)tls = tls;
	*(void **)(void *)(tls + 16) = tls;
	clone_thread(memory + STACK_SIZE, tls);
}
