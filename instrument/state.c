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
	settings.sampled = number & SOCKET_SAMPLED;
	for (char *p = name + SOCKET_NAME_LEN; p[-1] != '-'; number >>= 4)
		*--p = "0123456789abcdef"[number & 15];
	settings.socket_name = name;
}

void
state_init(void)
{
	state_fork();
	settings.socket_name = find_variable("WEIR_SOCKET");
	settings.timed = read_number("WEIR_TIME", 0, 1, 0);
	settings.fold_recursion = read_number("WEIR_FOLD_RECURSION", 0, 1, 0);
	settings.sampled = read_number("WEIR_SAMPLE_HZ", 0, 10000, 0) > 0;
	settings.max_nodes = read_number("WEIR_MAX_NODES", 1, INT32_MAX,
	    settings.max_nodes);
	if (settings.socket_name == NULL)
		find_socket_number();
	settings.is_slow = settings.timed || settings.sampled;
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
}

bool
state_is_ours(void)
{
	return own_pid == (int)SYS(getpid, 0);
}
