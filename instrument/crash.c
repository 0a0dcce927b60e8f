/*
 * crash - signals of which programs die
 *
 * The handler sends the stack over a connection of its own, for it may have
 * interrupted anything, and lets the program's own handler or the default
 * follow.  To stay in front of handlers that the program sets later, sigaction
 * and signal are ours: the kernel knows the program's flags and mask with our
 * handler.
 */

#include <errno.h>
#include <signal.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum { FRAMES_MAX = 1000, REPORTS_MAX = 16 };

typedef void handler(int);

int __sigaction(int, const struct sigaction *, struct sigaction *);
handler *bsd_signal(int, handler *);

static const int numbers[] = { SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGABRT };
enum { N_SIGNALS = sizeof numbers / sizeof *numbers };

/* What the program believes to be there. */
static struct sigaction own[N_SIGNALS];
static bool is_ready;

static struct out report = { .fd = -1 };
static int is_busy, n_reports;

static int
place(int number)
{
	for (int i = 0; i < N_SIGNALS; i++)
		if (numbers[i] == number)
			return i;
	return -1;
}

static void
put_frame(const struct node *n, bool is_first)
{
	put_str(&report, is_first ? "\"" : ",\"");
	put_call(&report, n);
	put_str(&report, "\"");
}

static void
put_frames(const struct thread *t)
{
	const struct node *n = thread_node(t);
	const struct frame *f = t->top;
	int told = 0;

	put_str(&report, ",\"frames\":[");
	for (; f > t->frames && told < FRAMES_MAX; n = (--f)->caller)
		if (!(f[-1].sp & FRAME_LIMITED))
			put_frame(n, told++ == 0);
	put_str(&report, "]");
	if (f > t->frames)
		put_number(&report, "frames_omitted",
		    (uint64_t)(f - t->frames));
}

static void
send_report(int number)
{
	static const struct thread nowhere;
	const struct thread *t = self;

	report.fd = link_connect();
	if (report.fd < 0)
		return;
	report.len = report.sent = 0;
	put_hello(&report);
	put_modules(&report, 0, STALL_TIMEOUT_NS);
	link_flush(&report, STALL_TIMEOUT_NS);
	put_begin_record(&report, "crash");
	put_number(&report, "time_us", (uint64_t)sys_time_us());
	put_number(&report, "signal", (uint64_t)number);
	put_frames(t != NULL ? t : &nowhere);
	put_end_record(&report);
	link_flush(&report, STALL_TIMEOUT_NS);
	SYS(close, report.fd);
}

/* The program may use the signal many times; only the first are told. */
static void
tell(int number)
{
	if (dormant || !state_is_ours() ||
	    __atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	if (n_reports++ < REPORTS_MAX)
		send_report(number);
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
}

/* What was counted goes out, too, unless another thread is at it for long. */
static void
emit_last(void)
{
	if (!dormant && state_is_ours())
		emit(STALL_TIMEOUT_NS, false);
}

/*
 * The default follows: what the processor found happens again when we return,
 * what somebody sent has to be sent again.
 */
static void
die_of(int number, const siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	int was_sent = info->si_code <= 0;

	emit_last();
	__sigaction(number, &action, NULL);
	if (was_sent)
		SYS(tgkill, SYS(getpid, 0), SYS(gettid, 0), number);
}

static void on_crash(int, siginfo_t *, void *);

/* Our handler in the program's name. */
static void
ours(const struct sigaction *wanted, struct sigaction *action)
{
	*action = *wanted;
	if (!(wanted->sa_flags & SA_SIGINFO)) {
		if (wanted->sa_handler == SIG_IGN)
			return;
		if (wanted->sa_handler == SIG_DFL)
			action->sa_flags = SA_ONSTACK | SA_NODEFER;
	}
	action->sa_sigaction = on_crash;
	action->sa_flags |= SA_SIGINFO;
}

/* A handler that was for once has had its turn: we come before the default. */
static void
reset(int i)
{
	struct sigaction action;

	own[i] = (struct sigaction){ .sa_handler = SIG_DFL };
	ours(&own[i], &action);
	__sigaction(numbers[i], &action, NULL);
}

static void
on_crash(int number, siginfo_t *info, void *context)
{
	int i = place(number);
	struct sigaction action = own[i];

	tell(number);
	if (action.sa_flags & SA_RESETHAND)
		reset(i);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else if (action.sa_handler == SIG_DFL)
		die_of(number, info);
	else if (action.sa_handler != SIG_IGN)
		action.sa_handler(number);
}

EXPORT int
sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	int i = is_ready ? place(number) : -1, result = 0;
	struct sigaction action, before;
	uint64_t mask;

	if (i < 0)
		return __sigaction(number, new, old);
	mask = sys_block_signals();
	before = own[i];
	if (new != NULL) {
		ours(new, &action);
		own[i] = *new;
		result = __sigaction(number, &action, NULL);
		if (result != 0)
			own[i] = before;
	}
	sys_restore_signals(mask);
	if (old != NULL && result == 0)
		*old = before;
	return result;
}

EXPORT handler *
signal(int number, handler *wanted)
{
	struct sigaction action = { .sa_handler = wanted,
	    .sa_flags = SA_RESTART }, old;

	if (!is_ready || place(number) < 0 || wanted == SIG_ERR)
		return bsd_signal(number, wanted);
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, number);
	if (sigaction(number, &action, &old) != 0)
		return SIG_ERR;
	return old.sa_handler;
}

void
crash_init(void)
{
	struct sigaction action;

	for (int i = 0; i < N_SIGNALS; i++) {
		__sigaction(numbers[i], NULL, &own[i]);
		ours(&own[i], &action);
		__sigaction(numbers[i], &action, NULL);
	}
	is_ready = true;
}

void
crash_fork(void)
{
	is_busy = n_reports = 0;
}
