/* operation - the names of MAL operations */

#include "common/mal/operation.h"

sym
mal_operation(struct intern *names, struct span module, struct span function)
{
	struct buf b = { 0 };
	sym name;

	buf_add(&b, module.p, module.n);
	buf_str(&b, module.n + function.n == 0 ? "assignment" : ".");
	buf_add(&b, function.p, function.n);
	name = intern_add(names, buf_span(&b));
	buf_release(&b);
	return name;
}
