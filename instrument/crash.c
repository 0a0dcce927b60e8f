/*
 * crash - report the shadow stack when a fatal signal arrives
 *
 * A handler for SIGSEGV and similar signals copies the shadow stack, which has
 * the calls that have not returned (see hooks.c), to the shared memory.  Then
 * it passes the signal on to the program's own handler or to the default
 * action.
 *
 * The program should neither notice this handler nor be able to replace it.  So
 * sigaction() and signal() are interposed: they store the action that the
 * program asks for in program_actions, and install the instrument's handler
 * with the program's flags and mask.  Later calls return the stored action.
 */

#include <signal.h>

#include "instrument/crash.h"
#include "instrument/instrument.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/thread.h"
#include "instrument/tree.h"

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

static bool
is_fatal(int number)
{
	return number == SIGSEGV || number == SIGILL || number == SIGFPE ||
	    number == SIGBUS || number == SIGABRT;
}

/*
 * Copies the calls, the innermost first.  A frame has only its caller's node,
 * so the node of the call f[-1] is the caller in f or, for the innermost call,
 * the current node.
 */
static void
copy_frames(const struct thread *t, struct shared_crash *to)
{
	const struct node *n = thread_node(t);
	const struct frame *f = t->top;

	for (; f > t->frames && to->n_frames < CRASH_FRAMES_MAX;
	    n = (--f)->caller) {
		if (f[-1].sp & FRAME_NO_NODE)
			continue;
		to->frames[to->n_frames].function = n->function;
		to->frames[to->n_frames++].call_site = n->call_site;
	}
	to->n_omitted = (size_t)(f - t->frames);
}

/*
 * Some programs handle such signals and continue, perhaps many times: only the
 * first CRASHES_MAX crashes are reported.
 */
static void
report_crash(int number)
{
	struct shared_crash *to;
	size_t i;

	if (dormant || !state_is_ours())
		return;
	i = __atomic_fetch_add(&shared->n_crashes, 1, __ATOMIC_RELAXED);
	if (i >= CRASHES_MAX)
		return;
	to = &shared->crashes[i];
	to->signal = number;
	to->time_us = sys_time_us();
	if (self != NULL)
		copy_frames(self, to);
	__atomic_store_n(&to->is_complete, 1, __ATOMIC_RELEASE);
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

	report_crash(number);
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
