#ifndef WEIR_SYS_H
#define WEIR_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * System calls without the C library, whose functions may be replaced by the
 * program's own, instrumented ones, are cancellation points, and set errno.  A
 * result in [-4095, -1] is a negated error number.
 */
static inline long
sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile ("syscall" : "=a" (result)
	    : "a" (n), "D" (a), "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9)
	    : "rcx", "r11", "memory");
	return result;
}

/*
 * SYS(name, argument...) makes the system call SYS_name with one to six
 * arguments of any scalar type.  SYS_PICK() selects SYS_1 to SYS_6 by their
 * number.
 */
#define SYS(name, ...) SYS_PICK(__VA_ARGS__, 6, 5, 4, 3, 2, 1)(name, \
	__VA_ARGS__)
#define SYS_PICK(a, b, c, d, e, f, n, ...) SYS_##n
#define SYS_1(name, a) sys6(SYS_##name, (long)(a), 0, 0, 0, 0, 0)
#define SYS_2(name, a, b) \
	sys6(SYS_##name, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS_3(name, a, b, c) \
	sys6(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS_4(name, a, b, c, d) \
	sys6(SYS_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS_5(name, a, b, c, d, e) sys6(SYS_##name, (long)(a), (long)(b), \
	(long)(c), (long)(d), (long)(e), 0)
#define SYS_6(name, a, b, c, d, e, f) sys6(SYS_##name, (long)(a), (long)(b), \
	(long)(c), (long)(d), (long)(e), (long)(f))

/*
 * Returns zeroed memory, which is allocated page by page on first use, or NULL
 * if none is left.
 */
void *sys_map(size_t size);
void sys_unmap(void *, size_t size);

/*
 * Like sys_map(), but nothing else is mapped in the next bytes up to max_size,
 * if possible, so that sys_extend() can add to this memory without moving it.
 * With a descriptor (not -1), maps that file to share it.
 */
void *sys_map_extensible(size_t size, size_t max_size, int fd);
bool sys_extend(void *, size_t size, size_t new_size);

/* clock: a CLOCK_... constant, or the id of a thread's CPU clock */
int64_t sys_clock_ns(int clock);
int64_t sys_time_us(void);		/* since 1970 */
void sys_sleep_ms(int ms);

/* Blocks all signals and returns the previous mask. */
uint64_t sys_block_signals(void);
void sys_restore_signals(uint64_t mask);

#endif
