#ifndef WEIR_INSTRUMENT_INTERNAL_H
#define WEIR_INSTRUMENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is not said to be visible is not; so it is found without a table. */
#pragma GCC visibility push(hidden)

/*
 * The instrument's parts, bottom up:
 *
 *	sys	the system's calls
 *	tree	nodes of one thread
 *	thread	the threads, each with its tree and its stack of calls
 *	hooks	a call and a return: what runs most
 *	jump	longjmp
 *	modules	which ELF file an address is in
 *	link	the connection to the wrapper
 *	emit	differences, marks and crashes as lines of JSON
 *	helper	a thread for emission at intervals and samples
 *	crash	SIGSEGV and the like
 *	start	the beginning, fork, and the end
 *
 * Whatever runs in a hook may be interrupted by a signal whose handler calls
 * hooks, too.  So nothing there takes a lock, and what is shared with a
 * handler changes by one store, or by one instruction that reads and writes.
 */

/* A function, called from one place, with one stack below it. */
struct node {
	uintptr_t function, call_site;
	struct node *last_child;	/* called last, or &nobody */
	struct node *successor;	/* followed this one last time, or &nobody */
	uint64_t calls, self_ticks;
	struct node *parent;	/* NULL until the node counts */
	struct node *children;	/* a tree by hash, see tree.c */
	struct node *branch[2];
	uint64_t sent_calls;	/* the rest is emit's */
	uint32_t samples;	/* since the last emission */
	uint32_t index;		/* in this emission, from 1; 0: not in it */
	uint64_t sent_ticks;	/* is there only if time is measured */
};

extern struct node nil_node;	/* matches no call */

/* A call that has not returned. */
struct frame {
	struct node *caller;
	uintptr_t sp;		/* at the call of the hook; FRAME_LIMITED */
};
enum { FRAME_LIMITED = 1 };	/* has no node, for want of room */

static inline uintptr_t
frame_sp(const struct frame *f)
{
	return f->sp & ~(uintptr_t)FRAME_LIMITED;
}

struct slab;

struct thread {
	struct node *current;
	struct frame *top, *frames_end;	/* the next free; behind the last */
	uint64_t last_ticks;		/* of the last event, in ticks */

	struct node root;	/* stands for nothing; parent of the first */
	struct node overflow;	/* current when there is no room */
	struct node *overflow_target;	/* what was current before */
	uint64_t n_frameless;	/* those without a frame */
	struct frame *frames;
	char *altstack;
	struct slab *slab;	/* the newest */
	uint64_t limited_calls;	/* calls counted at an ancestor */
	uint64_t sent_limited_calls;

	struct thread *next;
	int owned, tid;
	int destructor_rounds;		/* of destructors, when it ends */
	int64_t cpu_ns;		/* when last sampled */
	size_t size;		/* of all that it was allotted */
};

/* --- state --- */

/* What was asked for in the environment; constant once started. */
struct settings {
	bool timed, fold_recursion, no_helper;
	uint64_t max_nodes;
	int64_t interval_ns, sample_period_ns;	/* 0: none */
	const char *socket_path;
};
extern struct settings settings;

/* Nothing is measured, ever again.  The only thing an idle hook looks at. */
extern bool dormant;
extern int own_pid;		/* its id */

void state_init(void);
void state_fork(void);			/* in the child */
bool state_is_ours(void);	/* or else it is a child by vfork or clone */

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define BARRIER() __asm__ volatile ("" ::: "memory")

/*
 * Changes that a signal handler of the same thread cannot come between, at
 * the price of a plain instruction: other processors do not matter here.
 */
static inline void
local_add(uint64_t *p, uint64_t n)
{
	__asm__ volatile ("addq %1, %0" : "+m" (*p) : "er" (n) : "cc");
}

static inline bool
local_compare_exchange(void *p, uint64_t *expected, uint64_t wanted)
{
	bool done;

	__asm__ volatile ("cmpxchgq %3, %1"
	    : "=@ccz" (done), "+m" (*(uint64_t *)p), "+a" (*expected)
	    : "r" (wanted) : "memory");
	return done;
}

static inline uint64_t
ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * Gives the time since the last event to the current node.  If a handler comes
 * between reading the stamp and writing it, it has given most of that away, and
 * the rest is the next event's to give.
 */
static inline void
account_time(struct thread *t)
{
	uint64_t then = t->last_ticks, now = ticks();

	if (local_compare_exchange(&t->last_ticks, &then, now) && now > then)
		local_add(&t->current->self_ticks, now - then);
}

/* --- hooks --- */

EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

bool hooks_start(void);			/* unless started; as start_once() */

/*
 * All calls from this frame on have returned; for t->top, those which have no
 * frame.
 */
void hooks_unwind_to(struct thread *, struct frame *);

/* --- altstack --- */

/* The calling thread's stack for signals, of ALTSTACK_SIZE bytes. */
enum { ALTSTACK_SIZE = 32768 };
void altstack_set(void *base);
void altstack_unset(void *base);

/* --- tree --- */

/* The child for a call, made if need be; NULL if there is no room for it. */
struct node *tree_find_or_add(struct thread *, struct node *parent,
    uintptr_t function, uintptr_t call_site);

/* Starts an empty tree, and leaves what there was where it is. */
void tree_reset(struct thread *);

/*
 * After a fork: an empty tree of the calls that have not returned, and there
 * is no other tree.
 */
void tree_fork(struct thread *);

/* All threads' nodes, in either order; a parent comes before its children. */
typedef void node_visitor(struct node *, void *to);
void tree_visit_children_first(struct thread *, node_visitor *, void *to);
void tree_visit_parents_first(struct thread *, node_visitor *, void *to);

/* --- thread --- */

extern __thread struct thread *self;
extern struct thread *threads;		/* all there ever were */

#define FOR_EACH_THREAD(t) \
	for (struct thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); \
	    t != NULL; t = t->next)

/* Where calls count now. */
static inline struct node *
thread_node(const struct thread *t)
{
	struct node *n = __atomic_load_n(&t->current, __ATOMIC_RELAXED);

	return n == &t->overflow ? t->overflow_target : n;
}

/* Makes the calling thread known; NULL if it is not to be counted. */
struct thread *thread_begin(void);
void thread_init(void);			/* once, before the first */
void thread_fork(void);			/* in the child */

/* --- jmpbuf --- */
struct __jmp_buf_tag;
typedef void jump_function(struct __jmp_buf_tag *, int);
extern jump_function *real_longjmp, *real_siglongjmp, *real_chk;

void jmpbuf_init(void);
/* The stack pointer that a jump restores; false if that is not known. */
bool jmpbuf_sp(const struct __jmp_buf_tag *, uintptr_t *sp);

/* --- modules --- */
struct module {
	uintptr_t start, end, base;
	size_t path;			/* where it begins in module_paths */
	bool is_elf, told;
	unsigned char build_id_len, build_id[20];
};
enum { MODULES_MAX = 2048 };
struct modules {
	int n;			/* grows; those before it are constant */
	struct module list[MODULES_MAX];
};
extern struct modules *modules;
extern char *module_paths;

void modules_init(void);
int modules_count(void);
void modules_fork(void);			/* in the child */
/*
 * Has the module that the address is in been seen?  If not, now it is; false
 * if there is none, so that looking again would cost as much and find as
 * little.
 */
bool modules_ensure_known(uintptr_t address);

/* How long a program waits at its end for a wrapper that does not read. */
#define STALL_TIMEOUT_NS INT64_C(1000000000)
enum { TOTAL_TIMEOUT_FACTOR = 10 };	/* and for one that reads slowly */

/* --- bytes --- */

size_t bytes_length(const char *);
bool bytes_equal(const char *, const char *);
/* The target is before the source, or they do not overlap. */
void bytes_move_down(char *to, const char *from, size_t n);
/* Cut so that it fits into size bytes with its NUL; false if it was cut. */
bool bytes_copy_string(char *to, const char *from, size_t size);

/* --- put --- */

/* Lines of JSON that wait to be sent; what does not fit is cut. */
enum { OUT_SIZE = 64 * 1024 };
struct out {
	int fd;				/* a socket, or -1 */
	size_t len, sent;
	char data[OUT_SIZE];
};

enum { LINE_SIZE_MAX = 28 * 1024 };		/* no line is longer */

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
void put_call(struct out *, const struct node *);	/* FUNCTION CALL_SITE */

/* A line: {"type":"TYPE", members, and what ends it */
void put_begin_record(struct out *, const char *type);
void put_end_record(struct out *);
/* ,"key":value */
void put_text(struct out *, const char *key, const char *value);
void put_true(struct out *, const char *key);
void put_number(struct out *, const char *key, uint64_t value);
void put_address(struct out *, const char *key, uintptr_t value);

/* --- link --- */
extern struct out link_out;		/* what it is to be sent */

/*
 * One thread at a time has the link.  Signals wait meanwhile, so that no
 * handler waits for what it interrupted.  link_take() waits for another thread
 * so long if that gets nothing sent, and PATIENCE_TIMES as long in all.
 */
bool link_lock(int64_t stall_timeout_ns, uint64_t *mask);
void link_unlock(uint64_t mask);

int link_connect(void);			/* a socket, or < 0 */
bool link_open(void);			/* wrapper's, and says hello */
void put_hello(struct out *);		/* the first line of a connection */
bool link_ensure_open(void);		/* ours, or opened anew; else dormant */
void link_fork(void);			/* in the child: forgets */

/*
 * Sends what waits.  Waits for room itself until nothing could be sent for so
 * long; false if that is so, or if nobody reads any more.
 */
bool link_flush(struct out *, int64_t stall_timeout_ns);

bool link_make_room(void);		/* for one more line */

/* --- marks --- */

void marks_add(const char *name, double value);	/* to be sent */
void marks_emit(void);			/* the link is taken */
void marks_fork(void);

/* --- emit --- */

void emit_init(void);
void emit(int64_t stall_timeout_ns, bool is_final);
void emit_fork(void);
/* All from the n-th on that are ELF files; sends when there is no room. */
void put_modules(struct out *, int n, int64_t stall_timeout_ns);

/* --- helper --- */
void helper_start(void);

/* --- crash --- */
void crash_init(void);		/* signals are caught from now on */
void crash_fork(void);			/* in the child */

/* --- start --- */
bool start_once(bool are_hooks_ours);	/* false if it is under way here */

#pragma GCC visibility pop

#endif
