/* noop - the same symbols for a program that is not to be measured */

#include "instrument/instrument.h"
#include "instrument/weir-instrument.h"

EXPORT void
__cyg_profile_func_enter(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
}

EXPORT void
__cyg_profile_func_exit(void *function, void *call_site)
{
	(void)function;
	(void)call_site;
}

EXPORT void
weir_mark(const char *name, double value)
{
	(void)name;
	(void)value;
}
