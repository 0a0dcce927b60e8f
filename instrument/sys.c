/* sys - system calls without the C library */

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "instrument/sys.h"

void *
sys_map(size_t size)
{
	long p = SYS(mmap, NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p < 0 && p >= -4095 ? NULL : (void *)p;
}

void
sys_unmap(void *p, size_t size)
{
	SYS(munmap, p, size);
}

/*
 * The kernel maps memory close to what it has mapped before, so addresses far
 * away from that remain free.
 */
void *
sys_map_extensible(size_t size, size_t max_size, int fd)
{
	static const uintptr_t distance = UINT64_C(1) << 36;
	static uintptr_t lowest;
	long p;

	if (lowest == 0) {
		p = (long)sys_map(1);
		sys_unmap((void *)p, 1);
		lowest = (uintptr_t)p + ((uintptr_t)p > distance ? -distance :
		    distance);
	}
	p = SYS(mmap, __atomic_sub_fetch(&lowest, max_size, __ATOMIC_RELAXED),
	    size, PROT_READ | PROT_WRITE, MAP_NORESERVE | (fd < 0 ?
	    MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED), fd, 0);
	return p < 0 && p >= -4095 ? NULL : (void *)p;
}

bool
sys_extend(void *p, size_t size, size_t new_size)
{
	return SYS(mremap, p, size, new_size, 0) == (long)p;
}

int64_t
sys_clock_ns(int clock)
{
	struct timespec now = { 0, 0 };

	SYS(clock_gettime, clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t
sys_time_us(void)
{
	return sys_clock_ns(CLOCK_REALTIME) / 1000;
}

void
sys_sleep_ms(int ms)
{
	SYS(poll, NULL, 0, ms);
}

uint64_t
sys_block_signals(void)
{
	uint64_t all = ~UINT64_C(0), before = 0;

	SYS(rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
	return before;
}

void
sys_restore_signals(uint64_t mask)
{
	SYS(rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}
