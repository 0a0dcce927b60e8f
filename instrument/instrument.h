#ifndef WEIR_INSTRUMENT_INTERNAL_H
#define WEIR_INSTRUMENT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/layout.h"

/*
 * The instrument is linked into programs that are compiled with
 * -finstrument-functions: each function calls one hook at its entry and another
 * one at its exit.  The hooks count the calls of each thread in a tree, in
 * memory that the wrapper reads, callgraph-record(1), which started the
 * program.
 *
 * These are its files; each uses only files that are listed before it.
 *
 *	sys		system calls
 *	bytes		strings and memory, without the C library
 *	state		settings and state of the process
 *	shared		the memory that the wrapper reads too
 *	modules		which ELF file contains an address
 *	tree		the call tree of one thread
 *	thread		all threads, each with its tree and its shadow stack
 *	link		hands the memory over to the wrapper
 *	crash		handlers for SIGSEGV and other fatal signals
 *	seccomp		ends all system calls once the program forbids them
 *	start		initialization, fork and exit
 *	hooks		function entry and exit: the hot path
 *	calibrate	measures the cost of the hooks; the constructor
 *	jump		longjmp, exceptions and vfork, which abandon calls
 *	mark		weir_mark(), which programs call
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
/* A function of the C library's: one that the program defines goes first. */
#define INTERPOSED __attribute__((visibility("default"), weak))
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

/* The processor's time-stamp counter; the wrapper converts ticks. */
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
	uintptr_t sp;	/* stack pointer of the call, with flags and a mark */
};
enum {
	FRAME_NO_NODE = 1,	/* flag in sp: the call has no node */
	FRAME_SP_BITS = 48	/* above them is the mark, see jump.c */
};

static inline uintptr_t
frame_sp(const struct frame *f)
{
	return f->sp << (64 - FRAME_SP_BITS) >> (64 - FRAME_SP_BITS) &
	    ~(uintptr_t)FRAME_NO_NODE;
}

#pragma GCC visibility pop

#endif
