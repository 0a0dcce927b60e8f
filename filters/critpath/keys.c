/* keys - the keys of tasks by which options group or select them */

#include "common/base/err.h"
#include "common/base/mem.h"
#include "common/build/build-names.h"
#include "common/build/builds.h"
#include "filters/critpath/critpath.h"

/* The first key that is kept (build.h), and how many options may add. */
enum {
	KEPT = KEY_REMOTE_US,
	ADDED_MAX = KEPT_KEYS_MAX - N_OWN_KEYS + KEPT
};

const char *const keys_own[] = { "kind", "host", "rule", "target", "name",
    NULL };

static struct {
	const char *names[KEPT_KEYS_MAX + 1];	/* end with NULL */
	unsigned n;
} kept = { { "remote_us", "remote_execution_id", "pool", "limit",
    "worker_of" }, N_OWN_KEYS - KEPT };

unsigned
keys_add(struct span name)
{
	unsigned i;

	for (i = 0; i < KEPT; i++)
		if (span_eq(name, keys_own[i]))
			return i;
	for (i = 0; i < kept.n; i++)
		if (span_eq(name, kept.names[i]))
			return KEPT + i;
	if (name.n == 0)
		die("the name of a key is empty");
	if (kept.n == KEPT_KEYS_MAX)
		die("--by and --drop have more than %d different keys",
		    ADDED_MAX);
	kept.names[kept.n++] = mem_strndup(name.p, name.n);
	return KEPT + i;
}

void
keys_declare(struct filter *f)
{
	builds_keep(f, kept.names);
}

bool
keys_any_has(const struct build *b, unsigned key)
{
	return build_has_value(b, key - KEPT);
}

sym
keys_symbol(const struct build *b, const struct task *t, unsigned key)
{
	switch (key) {
	case KEY_KIND:
		return t->kind;
	case KEY_HOST:
		return t->host;
	case KEY_RULE:
		return build_rule(b, t);
	case KEY_TARGET:
		return build_target(b, t);
	default:
		return build_value(b, t, key - KEPT);
	}
}

struct span
keys_value(const struct build *b, const struct task *t, unsigned key)
{
	sym value;

	if (key == KEY_NAME)
		return build_name(b, t);
	value = keys_symbol(b, t, key);
	return value == SYM_NONE ? span_of("", 0) :
	    intern_span(&b->names, value);
}
