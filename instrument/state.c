/*
 * state - the settings and the state of the process, which all others read
 */

#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

struct settings settings = { .max_nodes = 400000 };
bool dormant;
int own_pid;

/* getenv() may be the program's own. */
static const char *
setting(const char *name)
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

/* A number within bounds, or else what it is by default. */
static uint64_t
number(const char *name, uint64_t least, uint64_t most, uint64_t otherwise)
{
	const char *s = setting(name);
	uint64_t value = 0;

	if (s == NULL)
		return otherwise;
	for (; *s >= '0' && *s <= '9' && value <= most; s++)
		value = value * 10 + (unsigned)(*s - '0');
	return *s != '\0' || value < least || value > most ? otherwise : value;
}

void
state_init(void)
{
	uint64_t hz;

	state_fork();
	settings.socket_path = setting("WEIR_SOCKET");
	settings.timed = number("WEIR_TIME", 0, 1, 0);
	settings.fold_recursion = number("WEIR_FOLD_RECURSION", 0, 1, 0);
	settings.no_helper = !number("WEIR_HELPER", 0, 1, 1);
	settings.max_nodes = number("WEIR_MAX_NODES", 1, UINT32_MAX / 2,
	    settings.max_nodes);
	settings.interval_ns = (int64_t)number("WEIR_INTERVAL_MS", 0,
	    UINT32_MAX, 0) * 1000000;
	hz = number("WEIR_SAMPLE_HZ", 0, 10000, 0);
	settings.sample_period_ns = hz > 0 ? (int64_t)(1000000000 / hz) : 0;
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
