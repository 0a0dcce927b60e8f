#ifndef WEIR_INSTRUMENT_INTERNAL_H
#define WEIR_INSTRUMENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/shared.h"

/*
 * The instrument is linked into programs that are compiled with
 * -finstrument-functions: each function calls one hook at its entry and another
 * one at its exit.  The hooks count the calls of each thread in a tree.  An
 * emission sends what has been counted since the previous emission to the
 * wrapper, callgraph-record(1), which started the program.
 *
 * These are its files; each uses only files that are listed before it.
 *
 *	sys		system calls
 *	bytes		strings and memory, without the C library
 *	state		settings and state of the process
 *	shared		the memory that the wrapper reads too
 *	put		an output buffer, and JSON written into it
 *	altstack	alternate signal stacks
 *	jmpbuf		longjmp of the C library, and the layout of a jmp_buf
 *	modules		which ELF file contains an address
 *	tree		the call tree of one thread
 *	thread		all threads, each with its tree and its shadow stack
 *	link		the connection to the wrapper
 *	marks		the queue of weir_mark()
 *	emit		makes emissions
 *	helper		a thread that emits at intervals and takes samples
 *	crash		handlers for SIGSEGV and other fatal signals
 *	seccomp		ends all system calls once the program forbids them
 *	start		initialization, fork and exit
 *	hooks		function entry and exit: the hot path
 *	calibrate	measures the cost of the hooks; the constructor
 *	vfork		vfork, whose child runs in the parent's memory
 *	jump		longjmp, which abandons calls
 *	weir-mark	weir_mark(), which programs call
 *
 * A signal may interrupt a hook anywhere, and its handler may call hooks on the
 * same data.  So hooks take no lock, and data that a handler may change as well
 * is changed by one store or one read-modify-write instruction.
 *
 * Functions named FILE_fork() are called in the child after fork(), by start.c.
 */

/* Nothing is exported from the library unless it is marked EXPORT. */
#pragma GCC visibility push(hidden)

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)

/*
 * Keeps the compiler from moving memory accesses across it.  That is enough
 * for signal handlers, which run in the thread that they interrupt.
 */
#define BARRIER() __asm__ volatile ("" ::: "memory")

/*
 * Adds n to *p, atomically with respect to signal handlers of the same thread,
 * but not to other threads: one instruction without the cost of a lock prefix.
 */
static inline void
local_add(uint64_t *p, uint64_t n)
{
	__asm__ volatile ("addq %1, %0" : "+m" (*p) : "er" (n) : "cc");
}

/*
 * Compare-and-swap, as atomic as local_add(): if *p is *expected, stores wanted
 * and returns true; otherwise sets *expected to *p and returns false.
 */
static inline bool
local_compare_exchange(void *p, uint64_t *expected, uint64_t wanted)
{
	bool done;

	__asm__ volatile ("cmpxchgq %3, %1"
	    : "=@ccz" (done), "+m" (*(uint64_t *)p), "+a" (*expected)
	    : "r" (wanted) : "memory");
	return done;
}

/* The processor's time-stamp counter; emit.c converts ticks to nanoseconds. */
static inline uint64_t
ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * Waits until all earlier instructions have been executed.  Hooks that measure
 * time call it at their beginning and their end; calibrate.c says why.
 */
static inline void
fence(void)
{
	__builtin_ia32_lfence();
}

/* A call that has not returned: an entry of the shadow stack. */
struct frame {
	struct node *caller;	/* node of the caller, not of the call itself */
	uintptr_t sp;	/* stack pointer of the call, perhaps | FRAME_NO_NODE */
};
enum { FRAME_NO_NODE = 1 };	/* flag in sp: the call has no node */

static inline uintptr_t
frame_sp(const struct frame *f)
{
	return f->sp & ~(uintptr_t)FRAME_NO_NODE;
}

/* --- bytes --- */

size_t bytes_length(const char *);
bool bytes_equal(const char *, const char *);

/* memmove() for to <= from, or for memory that does not overlap. */
void bytes_move_down(char *to, const char *from, size_t n);

/* Copies at most size - 1 bytes and a NUL; false if it truncated the string. */
bool bytes_copy_string(char *to, const char *from, size_t size);

/* --- state --- */

/* Read from the environment by state_init(), and constant from then on. */
struct settings {
	bool timed;
	bool fold_recursion;		/* see find_folded() in tree.c */
	bool no_helper;
	uint64_t max_nodes;
	int64_t interval_ns;		/* between emissions; 0: no interval */
	int64_t sample_period_ns;	/* CPU time; 0: no samples */
	const char *socket_path;	/* NULL: no wrapper */
};
extern struct settings settings;

/*
 * Set if there is no wrapper or the instrument gives up, and never cleared:
 * nothing is counted any more.
 */
extern bool dormant;

/*
 * Hooks return at once unless is_on.  If state_wipe_on_fork() has returned
 * true, the kernel clears is_on in every child process that gets a copy of the
 * memory, whichever way the child was made.  The kernel clears whole pages, so
 * this structure fills one.  A child that shares the memory, as after vfork(),
 * shares is_on too.
 */
extern struct counting {
	bool is_on;
	char rest_of_page[4095];
} counting;
extern bool is_confined;	/* make no system calls, see seccomp.c */
extern int own_pid;		/* of the process that owns this state */

void state_init(void);
bool state_wipe_on_fork(void);
void state_give_up(void);	/* sets dormant and clears counting.is_on */
void state_fork(void);

/*
 * False in a child made by vfork() or clone(): such a child shares or copies
 * this state, but no fork handler has run in it.
 */
bool state_is_ours(void);

/* --- shared --- */

extern struct shared *shared;	/* NULL if there was no memory */
extern int shared_fd;		/* to be sent to the wrapper, or -1 */

/* Both functions allocate new memory, and return false if there is none. */
bool shared_init(void);
bool shared_fork(void);		/* copies the modules to the new memory */
void shared_close_fd(void);

/* Returns zeroed memory for nodes, or NULL if none is left. */
struct slab *shared_new_slab(void);

/* --- put --- */

/*
 * JSON lines that wait to be sent.  Text that does not fit is truncated.
 * LINE_SIZE_MAX is enough for a path of 4096 bytes that are all escaped as
 * \u00XX, six bytes each.  Only two types of lines may be longer: a "nodes"
 * line is closed as soon as less than LINE_SIZE_MAX is free, and a "crash" line
 * starts in an empty buffer.
 */
enum { OUT_SIZE = 64 * 1024, LINE_SIZE_MAX = 28 * 1024 };
struct out {
	int fd;			/* a socket, or -1 */
	size_t len, sent;	/* bytes in data; how many of them were sent */
	char data[OUT_SIZE];
};

/* Is there room for a line of LINE_SIZE_MAX bytes? */
static inline bool
out_has_room(const struct out *o)
{
	return sizeof o->data - o->len >= LINE_SIZE_MAX;
}

void put_str(struct out *, const char *);
void put_bytes(struct out *, const char *, size_t);
void put_u64(struct out *, uint64_t);
void put_hex(struct out *, uintptr_t);
void put_hex_byte(struct out *, unsigned char);		/* two digits */

/* Writes "FUNCTION CALL_SITE", the addresses of the node in hexadecimal. */
void put_call(struct out *, const struct node *);

/*
 * A record is a line.  put_begin_record() writes {"type":"TYPE" and
 * put_end_record() writes }\n.  Between them, each of the others writes one
 * member, ,"key":value.
 */
void put_begin_record(struct out *, const char *type);
void put_text(struct out *, const char *key, const char *value);
void put_true(struct out *, const char *key);
void put_number(struct out *, const char *key, uint64_t value);
void put_address(struct out *, const char *key, uintptr_t value);
void put_end_record(struct out *);

/* --- altstack --- */

enum { ALTSTACK_SIZE = 32768 };

/*
 * Gives the calling thread an alternate signal stack of ALTSTACK_SIZE bytes at
 * base, unless the thread has one.  The caller owns the memory.
 */
void altstack_set(void *base);

/* Undoes altstack_set(), unless the program has set another stack since. */
void altstack_unset(void *base);

/* --- jmpbuf --- */

struct __jmp_buf_tag;
typedef void jump_function(struct __jmp_buf_tag *, int);

/* The C library's functions, found by jmpbuf_init(); NULL before that. */
extern jump_function *real_longjmp, *real_siglongjmp, *real_longjmp_chk;

void jmpbuf_init(void);

/* Gets the stack pointer that a jump restores; false if it is not known. */
bool jmpbuf_sp(const struct __jmp_buf_tag *, uintptr_t *sp);

/* --- modules --- */

void modules_fork(void);

/*
 * Adds all modules that are loaded now.  Returns false if another thread is
 * adding modules, or if there is no memory for them (shared is NULL).
 */
bool modules_read_all(void);
int modules_count(void);

/*
 * Adds the module that contains the address, unless it is known.  Returns false
 * if it has read /proc/self/maps and found no module: the next attempt would
 * cost as much and probably fail again.  Returns true otherwise, even if it has
 * not read the maps because another thread is reading them.
 */
bool modules_ensure_known(uintptr_t address);

/* --- tree --- */

/* A sentinel instead of NULL: hooks may read it, and it matches no call. */
extern struct node nil_node;

struct thread {
	struct node *current;	/* node of the innermost call */
	struct frame *top;	/* the next free frame of the shadow stack */
	struct frame *frames_end;	/* one past the last frame */
	uint64_t last_ticks;	/* time of the last entry or exit */

	struct node root;	/* not a call; parent of the outermost calls */
	struct node overflow;	/* the overflow node, see hooks.c */
	struct node *overflow_target;	/* counts the calls that overflow */
	uint64_t n_frameless;	/* calls without a frame, not yet returned */
	struct frame *frames;	/* the shadow stack, outermost call first */
	char *altstack;			/* for altstack_set() */
	struct slab *slab;	/* the newest slab of nodes */
	uint64_t overflow_calls;	/* calls counted at such a target */
	uint64_t sent_overflow_calls;	/* its value when last sent */

	struct thread *next;
	int owned;		/* 0: its thread has ended; see thread.c */
	int tid;		/* 0: ended, or began when is_confined */
	int destructor_rounds;	/* see thread.c */
	int64_t cpu_ns;		/* CPU time that samples have accounted for */
};

/* Finds or adds the child for a call; NULL if there is no room for it. */
struct node *tree_find_or_add(struct thread *, struct node *parent,
    uintptr_t function, uintptr_t call_site);

/* Empties the tree and the shadow stack, and frees nothing. */
void tree_reset(struct thread *);

/* Clears the nodes of a finished tree, which are in one slab at most. */
void tree_discard(struct thread *);

/*
 * In a forked child: replaces the tree by one that contains only the calls that
 * have not returned, with all counts 0.
 */
void tree_fork(struct thread *);

/*
 * Both functions call visit for the nodes of a thread, in opposite orders.
 * tree_visit_children_first(), which must be called first, skips nodes that are
 * not in the tree yet.
 * tree_visit_parents_first() visits the nodes that had been allocated when
 * tree_visit_children_first() was called, whether they are in the tree or not.
 */
typedef void node_visitor(struct node *, void *context);
void tree_visit_children_first(struct thread *, node_visitor *, void *context);
void tree_visit_parents_first(struct thread *, node_visitor *, void *context);

/* --- thread --- */

extern __thread struct thread *self;	/* NULL until thread_begin() */
extern struct thread *threads;		/* all, including those that ended */

#define FOR_EACH_THREAD(t) \
	for (struct thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); \
	    t != NULL; t = t->next)

/* The current node or, while the overflow node is current, its target. */
static inline struct node *
thread_node(const struct thread *t)
{
	struct node *n = __atomic_load_n(&t->current, __ATOMIC_RELAXED);

	return n == &t->overflow ? t->overflow_target : n;
}

/*
 * Adds the time since the last entry or exit to the current node.  If a signal
 * handler interrupts this and calls hooks, the first of these hooks has added
 * that time already.  Then the exchange fails, and the time since the last of
 * them is added at the next entry or exit.
 */
static inline void
account_time(struct thread *t)
{
	uint64_t then = t->last_ticks, now = ticks();

	if (local_compare_exchange(&t->last_ticks, &then, now) && now > then)
		local_add(&t->current->self_ticks, now - then);
}

/*
 * Drops the time since the last entry or exit.  A hook calls it if it has taken
 * a slow path, the cost of which calibrate.c does not measure.
 */
static inline void
skip_time(struct thread *t)
{
	if (settings.timed)
		t->last_ticks = ticks();
}

void thread_init(void);		/* once, before the first thread_begin() */
void thread_fork(void);

/*
 * Registers the calling thread and sets self.  Returns NULL if its calls are
 * not to be counted.
 */
struct thread *thread_begin(void);

/* --- link --- */

/*
 * How long a program waits when it ends, crashes or calls seccomp():
 * STALL_TIMEOUT_NS for a wrapper that does not read at all, and
 * TOTAL_TIMEOUT_FACTOR times as long for a wrapper that reads slowly.
 */
#define STALL_TIMEOUT_NS INT64_C(1000000000)
enum { TOTAL_TIMEOUT_FACTOR = 10 };

extern struct out link_out;	/* the main connection; protected by the lock */

/*
 * Locks the link, with all signals blocked, so that no handler waits for a lock
 * that the interrupted code holds.  Stores the previous mask for link_unlock().
 * Returns false, with signals as before, if another thread holds the lock and
 * sends nothing for stall_timeout_ns, or holds it for TOTAL_TIMEOUT_FACTOR
 * times as long; or if is_confined.
 */
bool link_lock(int64_t stall_timeout_ns, uint64_t *mask);
void link_unlock(uint64_t mask);

int link_connect(void);		/* a new socket, or < 0 */
void link_put_hello(struct out *);	/* the first line of a connection */

/*
 * link_open() connects link_out and sends hello; link_ensure_open() does so
 * only if the program has closed the connection.  Both return false if link_out
 * cannot be used; if there is no wrapper to connect to, they set dormant.
 */
bool link_open(void);
bool link_ensure_open(void);
void link_fork(void);

/*
 * Sends what is in the buffer.  Returns false if nothing could be sent for
 * stall_timeout_ns, or after an error such as that the other end is closed:
 * this sets dormant.
 */
bool link_flush(struct out *, int64_t stall_timeout_ns);

/*
 * Makes room in link_out for a line of LINE_SIZE_MAX bytes: drops lines that
 * have been sent, but sends none.  Returns false if that does not free enough.
 */
bool link_make_room(void);

/* --- marks --- */

void marks_add(const char *name, double value);	/* lock-free */
void marks_emit(void);	/* writes marks to link_out, which must be locked */
void marks_fork(void);

/* --- emit --- */

void emit_init(void);
void emit_fork(void);

/*
 * Sends what has been counted since the last emission, and the marks.  Locks
 * the link; returns if link_lock() fails.  Stops early if nothing can be sent
 * for stall_timeout_ns, or if sending takes TOTAL_TIMEOUT_FACTOR times as long;
 * INT64_MAX means no limit.  Sends nothing after the final emission.
 */
void emit(int64_t stall_timeout_ns, bool is_final);

/*
 * Writes the modules that are ELF files, from index first on.  Flushes the
 * buffer when it is full, and stops if that fails.  Returns the index from
 * which on modules are still to be written: threads may add modules meanwhile.
 */
int emit_modules(struct out *, int first, int64_t stall_timeout_ns);

/* --- helper --- */

/* All signals must be blocked: the new thread inherits the mask. */
void helper_start(void);
void helper_stop(void);		/* returns when it has ended */

/* --- crash --- */

void crash_init(void);		/* installs the handlers */
void crash_uninstall(void);
void crash_fork(void);

/* --- start --- */

/*
 * Initializes the instrument, unless that has been done; waits while another
 * thread does it.  Returns true when it is initialized, false if this thread is
 * in the middle of the initialization, or if the C library has not set environ
 * yet: in a dynamic program it does so after the functions in .preinit_array,
 * so a later call decides whether there is a wrapper.  If the program calls the
 * hooks of another copy of the instrument (!are_hooks_ours), this copy becomes
 * dormant.
 */
bool start_once(bool are_hooks_ours);
extern bool is_started;		/* the initialization is complete */

/* --- hooks --- */

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/*
 * Finds out whether the program calls this copy's hooks, and returns what
 * start_once() returns.
 */
bool hooks_start(void);

/*
 * Drops the given frame and all inner calls from the shadow stack, as if they
 * had returned.  If the frame is t->top, drops only the calls without a frame.
 */
void hooks_unwind_to(struct thread *, struct frame *);

#pragma GCC visibility pop

#endif
