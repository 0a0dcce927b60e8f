/* state - settings and state of the process, which all other files read */

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/state.h"
#include "instrument/sys.h"

struct settings settings = { .max_nodes = 400000 };
bool dormant;
__attribute__((aligned(4096))) struct counting counting;
bool is_confined;
bool is_misplaced;
int own_pid;

/*
 * Returns NULL if the variable is unset or empty.  Does not call getenv(),
 * which the program may define itself.
 */
static const char *
find_variable(const char *name)
{
	size_t i;

	for (char **e = environ; e != NULL && *e != NULL; e++) {
		for (i = 0; name[i] != '\0' && name[i] == (*e)[i]; i++)
			;
		if (name[i] == '\0' && (*e)[i] == '=')
			return (*e)[i + 1] == '\0' ? NULL : *e + i + 1;
	}
	return NULL;
}

/* Returns fallback if the variable is unset, not a number or out of range. */
static uint64_t
read_number(const char *name, uint64_t min, uint64_t max, uint64_t fallback)
{
	const char *s = find_variable(name);
	uint64_t value = 0;

	if (s == NULL)
		return fallback;
	for (; *s >= '0' && *s <= '9' && value <= max; s++)
		value = value * 10 + (unsigned)(*s - '0');
	return *s != '\0' || value < min || value > max ? fallback :
	    value;
}

/*
 * For a program that was started without the environment: finds the wrapper by
 * the number that layout.h describes.  Such a program has only those of its
 * settings that the number contains.
 */
static void
find_socket_number(void)
{
	static char name[] = "@weir-0123456789abcdef";
	struct rlimit limit = { 0, 0 };
	uint64_t number;

	SYS(prlimit64, 0, RLIMIT_LOCKS, NULL, &limit);
	number = limit.rlim_cur;
	if ((number & SOCKET_TAG_MASK) != SOCKET_TAG)
		return;
	settings.timed = number & SOCKET_TIMED;
	settings.fold_recursion = number & SOCKET_FOLDS;
	settings.no_helper = number & SOCKET_NO_HELPER;
	for (char *p = name + SOCKET_NAME_LEN; p[-1] != '-'; number >>= 4)
		*--p = "0123456789abcdef"[number & 15];
	settings.socket_name = name;
}

void
state_init(void)
{
	uint64_t hz;

	state_fork();
	settings.socket_name = find_variable("WEIR_SOCKET");
	settings.timed = read_number("WEIR_TIME", 0, 1, 0);
	settings.fold_recursion = read_number("WEIR_FOLD_RECURSION", 0, 1, 0);
	settings.no_helper = !read_number("WEIR_HELPER", 0, 1, 1);
	/*
	 * The maximum is INT32_MAX, as in callgraph-record, so the number of a
	 * node fits into the 32 bits that struct node has for it.
	 */
	settings.max_nodes = read_number("WEIR_MAX_NODES", 1, UINT32_MAX / 2,
	    settings.max_nodes);
	settings.interval_ns = (int64_t)read_number("WEIR_INTERVAL_MS", 0,
	    UINT32_MAX, 0) * 1000000;
	hz = read_number("WEIR_SAMPLE_HZ", 0, 10000, 0);
	settings.sample_period_ns = hz > 0 ? (int64_t)(1000000000 / hz) : 0;
	if (settings.socket_name == NULL)
		find_socket_number();
}

bool
state_wipe_on_fork(void)
{
	return SYS(madvise, &counting, sizeof counting, MADV_WIPEONFORK) == 0;
}

void
state_give_up(void)
{
	dormant = true;
	counting.is_on = false;
}

void
state_fork(void)
{
	own_pid = (int)SYS(getpid, 0);
	is_misplaced = false;
}

bool
state_is_ours(void)
{
	return own_pid == (int)SYS(getpid, 0);
}
