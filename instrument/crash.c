/*
 * crash - report the shadow stack when a fatal signal arrives
 *
 * A handler for SIGSEGV and similar signals sends the shadow stack, which has
 * the calls that have not returned (see hooks.c).  The handler may have
 * interrupted any code, even code that holds the link's lock, so it uses a
 * connection, a buffer and a stack of its own.  Then it passes the signal on to
 * the program's own handler or to the default action.
 *
 * The program should neither notice this handler nor be able to replace it.  So
 * sigaction() and signal() are interposed: they store the action that the
 * program asks for in program_actions, and install the instrument's handler
 * with the program's flags and mask.  Later calls return the stored action.
 */

#include <signal.h>

#include "instrument/crash.h"
#include "instrument/emit.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/put.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

enum { FRAMES_MAX = 1000, REPORTS_MAX = 16, STACK_SIZE = 16 * 1024 };

typedef void handler(int);

/* glibc's other names for sigaction() and signal(); they are not interposed. */
int __sigaction(int, const struct sigaction *, struct sigaction *);
handler *bsd_signal(int, handler *);

/*
 * The sanitizers' own sigaction() and signal(), in a program that has them.
 * ThreadSanitizer's delay a handler until its locks are free.
 */
int __interceptor_sigaction(int, const struct sigaction *, struct sigaction *)
    __attribute__((weak));
handler *__interceptor_signal(int, handler *) __attribute__((weak));

static struct sigaction program_actions[_NSIG];	/* of fatal signals */
static bool is_installed;

static struct out report = { .fd = -1 };
static char stack[STACK_SIZE] __attribute__((aligned(16)));	/* for it */
static int is_reporting, n_reports;

static bool
is_fatal(int number)
{
	return number == SIGSEGV || number == SIGILL || number == SIGFPE ||
	    number == SIGBUS || number == SIGABRT;
}

/*
 * Writes the innermost call first.  A frame has only its caller's node, so the
 * node of the call f[-1] is the caller in f or, for the innermost call, the
 * current node.
 */
static void
put_frames(const struct thread *t)
{
	const struct node *n = thread_node(t);
	const struct frame *f = t->top;
	int n_written = 0;

	put_str(&report, ",\"frames\":[");
	for (; f > t->frames && n_written < FRAMES_MAX; n = (--f)->caller) {
		if (f[-1].sp & FRAME_NO_NODE)
			continue;
		put_str(&report, n_written == 0 ? "\"" : ",\"");
		put_call(&report, n);
		put_str(&report, "\"");
		n_written++;
	}
	put_str(&report, "]");
	if (f > t->frames)
		put_number(&report, "frames_omitted",
		    (uint64_t)(f - t->frames));
}

static void
send_report(int number)
{
	static const struct thread no_calls;
	const struct thread *t = self;

	report.fd = link_connect();
	if (report.fd < 0)
		return;
	report.len = report.sent = 0;
	link_put_hello(&report);
	emit_modules(&report, 0, STALL_TIMEOUT_NS);
	/* The next line may need the whole buffer. */
	if (!link_flush(&report, STALL_TIMEOUT_NS)) {
		SYS(close, report.fd);
		return;
	}
	put_begin_record(&report, "crash");
	put_number(&report, "time_us", (uint64_t)sys_time_us());
	put_number(&report, "signal", (uint64_t)number);
	put_frames(t != NULL ? t : &no_calls);
	put_end_record(&report);
	link_flush(&report, STALL_TIMEOUT_NS);
	SYS(close, report.fd);
}

/*
 * Some programs handle such signals and continue, perhaps many times: only the
 * first REPORTS_MAX crashes are reported.  If the signal ends the program, also
 * emits what was counted, unless another thread holds the link for long.
 */
static void
make_report(int number)
{
	if (n_reports++ < REPORTS_MAX)
		send_report(number);
	if (program_actions[number].sa_handler == SIG_DFL)
		emit(STALL_TIMEOUT_NS, false);
}

/*
 * Calls make_report() on a stack of its own, because that of the handler may be
 * small.  A debugger finds the caller by the frame pointer.
 */
static __attribute__((noinline)) void
make_report_on_stack(int number)
{
	void *frame = __builtin_frame_address(0);

	__asm__ volatile (
	    "movq %%rsp, %%rbx\n\t"
	    "movq %[top], %%rsp\n\t"
	    "call %P[f]\n\t"
	    "movq %%rbx, %%rsp"
	    : "+r" (frame), "+D" (number)
	    : [top] "r" (stack + STACK_SIZE), [f] "i" (make_report)
	    : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
	      "memory", "cc");
}

/*
 * A crash during the report of another one is not reported.  If it ends the
 * program, it waits for that report.
 */
static void
report_crash(int number, bool is_last)
{
	uint64_t mask;

	if (dormant || !state_is_ours())
		return;
	mask = sys_block_signals();
	if (__atomic_exchange_n(&is_reporting, 1, __ATOMIC_ACQUIRE) == 0) {
		make_report_on_stack(number);
		__atomic_store_n(&is_reporting, 0, __ATOMIC_RELEASE);
	}
	for (int ms = 0; is_last && ms < 1000 && __atomic_load_n(&is_reporting,
	    __ATOMIC_ACQUIRE) != 0; ms++)
		sys_sleep_ms(1);
	sys_restore_signals(mask);
}

/*
 * Restores the default action.  A fault of the processor then happens again as
 * soon as the handler returns; a signal that a process has sent (si_code <= 0)
 * has to be sent again.
 */
static void
die_by_default(int number, const siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	int was_sent = info->si_code <= 0;

	__sigaction(number, &action, NULL);
	if (was_sent)
		SYS(tgkill, SYS(getpid, 0), SYS(gettid, 0), number);
}

static void on_crash(int, siginfo_t *, void *);

/*
 * Makes the action to install from the one that the program wants.  If the
 * program wants the default action, the flags are SA_ONSTACK, since the stack
 * may have overflowed, and SA_NODEFER, so that the signal is not blocked when
 * die_by_default() sends it again.  SIG_IGN is installed as it is.
 */
static void
make_action(const struct sigaction *wanted, struct sigaction *action)
{
	*action = *wanted;
	if (wanted->sa_handler == SIG_IGN)
		return;
	if (wanted->sa_handler == SIG_DFL)
		action->sa_flags = SA_ONSTACK | SA_NODEFER;
	action->sa_sigaction = on_crash;
	action->sa_flags |= SA_SIGINFO;
}

static void
on_crash(int number, siginfo_t *info, void *context)
{
	struct sigaction action = program_actions[number], next;

	report_crash(number, action.sa_handler == SIG_DFL);
	/*
	 * With SA_RESETHAND the program's handler runs only once.  From the
	 * next signal on, the default action follows the report.
	 */
	if (action.sa_flags & SA_RESETHAND) {
		program_actions[number] = (struct sigaction){ .sa_handler =
		    SIG_DFL };
		make_action(&program_actions[number], &next);
		__sigaction(number, &next, NULL);
	}
	if (action.sa_handler == SIG_DFL)
		die_by_default(number, info);
	else if (action.sa_handler == SIG_IGN)
		return;
	else if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
}

/*
 * A handler that wants an alternate stack must not get the instrument's, which
 * is small.
 */
static void
note_onstack(const struct sigaction *action)
{
	if (action == NULL || !(action->sa_flags & SA_ONSTACK) ||
	    action->sa_handler == SIG_IGN || action->sa_handler == SIG_DFL)
		return;
	has_onstack_handler = true;
	if (self != NULL)
		thread_unset_altstack(self);
}

static int
set_action(int number, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction action, before;
	uint64_t mask;
	int result = 0;

	if (is_installed)
		note_onstack(new);
	if (!is_installed || !is_fatal(number))
		return __interceptor_sigaction != NULL ?
		    __interceptor_sigaction(number, new, old) :
		    __sigaction(number, new, old);
	mask = sys_block_signals();
	before = program_actions[number];
	if (new != NULL) {
		make_action(new, &action);
		program_actions[number] = *new;
		result = __sigaction(number, &action, NULL);
		if (result != 0)
			program_actions[number] = before;
	}
	sys_restore_signals(mask);
	if (old != NULL && result == 0)
		*old = before;
	return result;
}

INTERPOSED int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	return set_action(number, new, old);
}

INTERPOSED handler *
signal(int number, handler *wanted)
{
	struct sigaction action = { .sa_handler = wanted,
	    .sa_flags = SA_RESTART }, old;

	if (!is_installed || !is_fatal(number) || wanted == SIG_ERR)
		return __interceptor_signal != NULL ?
		    __interceptor_signal(number, wanted) :
		    bsd_signal(number, wanted);
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, number);
	if (set_action(number, &action, &old) != 0)
		return SIG_ERR;
	return old.sa_handler;
}

void
crash_init(void)
{
	struct sigaction action;

	for (int i = 1; i < _NSIG; i++) {
		if (__sigaction(i, NULL, &action) != 0)
			continue;	/* a signal of the C library's own */
		note_onstack(&action);
		if (is_fatal(i)) {
			program_actions[i] = action;
			make_action(&program_actions[i], &action);
			__sigaction(i, &action, NULL);
		}
	}
	is_installed = true;
}

void
crash_uninstall(void)
{
	is_installed = false;
	for (int i = 1; i < _NSIG; i++)
		if (is_fatal(i))
			__sigaction(i, &program_actions[i], NULL);
}

void
crash_fork(void)
{
	is_reporting = n_reports = 0;
}
