/* operation - the names of MAL operations */

#include "common/mal/operation.h"

sym
mal_operation(struct intern *names, struct span module, struct span function)
{
	struct buf b = { 0 };
	sym name;

	if (module.n == 0 && function.n == 0)
		buf_str(&b, "assignment");
	else
		buf_printf(&b, "%.*s.%.*s", SPAN_ARG(module),
		    SPAN_ARG(function));
	name = intern_add(names, buf_span(&b));
	buf_release(&b);
	return name;
}
