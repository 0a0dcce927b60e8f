#ifndef WEIR_SYS_H
#define WEIR_SYS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * The system's calls, not the C library's: those may be the program's own
 * (instrumented) ones, are cancellation points, and set errno.  A result in
 * [-4095, -1] is an error number, negated.
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

/* Zeroed memory, touched when used; NULL if there is none. */
void *sys_map(size_t size);
void sys_unmap(void *, size_t size);

int64_t sys_clock_ns(int clock);	/* CLOCK_..., in nanoseconds */
int64_t sys_time_us(void);		/* since 1970 */
void sys_sleep_ms(int ms);

/* All signals wait from sys_block() until sys_unblock(). */
uint64_t sys_block_signals(void);
void sys_restore_signals(uint64_t before);

#endif
