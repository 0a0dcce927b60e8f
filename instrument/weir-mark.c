/* weir-mark - weir_mark(), which programs call */

#include "instrument/hooks.h"
#include "instrument/instrument.h"
#include "instrument/link.h"
#include "instrument/marks.h"
#include "instrument/state.h"
#include "instrument/sys.h"
#include "instrument/weir-instrument.h"

EXPORT void
weir_mark(const char *name, double value)
{
	uint64_t mask;

	if (!hooks_start() || dormant || is_confined || !state_is_ours())
		return;
	marks_add(name, value);
	if (!link_lock(0, &mask))
		return;		/* the lock's present or next holder sends it */
	marks_emit();
	link_flush(&link_out, 0);
	link_unlock(mask);
}
