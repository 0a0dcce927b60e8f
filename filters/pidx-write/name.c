/* name - generates and checks the names of profiles */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/perun/profile.h"
#include "filters/pidx-write/pidx-write.h"

void
names_init(struct names *n, const char *template)
{
	*n = (struct names){ .template = template != NULL ? template :
	    "%collector%-%cmd%-%workload%-%date%" };
	intern_init(&n->taken);
	intern_init(&n->stems);
}

void
names_release(struct names *n)
{
	intern_release(&n->taken);
	intern_release(&n->stems);
	free(n->numbers);
	buf_release(&n->name);
}

/* Appends s, with "_" for each byte but letters, digits, ".", "_" and "-". */
static void
put_safe(struct buf *b, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_char(b, isalnum((unsigned char)s.p[i]) ||
		    (s.p[i] != '\0' && strchr("._-", s.p[i]) != NULL) ?
		    s.p[i] : '_');
}

/*
 * The value of a tag, which is empty if the tag is unknown.  That of %date%,
 * the time now, is stored in the array "date" of size bytes.
 */
static struct span
tag_value(const struct profile *p, struct span tag, char *date, size_t size,
    time_t now)
{
	const struct { const char *tag; struct span value; } values[] = {
	    { "collector", p->collector }, { "cmd", p->cmd },
	    { "workload", p->workload }, { "type", p->type },
	    { "label", p->label.n > 0 ? p->label : span_of("_", 1) },
	    { "origin", p->origin },
	    { "postprocessors", buf_span(&p->postprocessors) } };
	struct tm utc;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (span_eq(tag, values[i].tag))
			return values[i].value;
	if (!span_eq(tag, "date") || gmtime_r(&now, &utc) == NULL)
		return span_of(NULL, 0);
	return span_of(date, strftime(date, size, "%Y-%m-%d-%H-%M-%S", &utc));
}

struct span
names_take(struct names *n, struct span stem)
{
	size_t n_stems = n->stems.n, n_taken = n->taken.n;
	sym symbol = intern_add(&n->stems, stem);

	n->numbers = mem_grow(n->numbers, &n->numbers_cap, n->stems.n,
	    sizeof *n->numbers);
	if (symbol == n_stems)
		n->numbers[symbol] = 0;
	do {
		n->name.len = 0;
		buf_str(&n->name, intern_str(&n->stems, symbol));
		if (++n->numbers[symbol] > 1)
			buf_printf(&n->name, "-%u", n->numbers[symbol]);
		buf_str(&n->name, ".perf");
		intern_add(&n->taken, buf_span(&n->name));
	} while (n->taken.n == n_taken);
	return buf_span(&n->name);
}

struct span
names_make(struct names *n, const struct profile *p, time_t now)
{
	const char *at = n->template, *end;
	char date[32];

	n->name.len = 0;
	while (*at != '\0') {
		end = *at == '%' ? strchr(at + 1, '%') : NULL;
		if (end == NULL) {
			put_safe(&n->name, span_of(at++, 1));
			continue;
		}
		put_safe(&n->name, tag_value(p, span_of(at + 1,
		    (size_t)(end - at) - 1), date, sizeof date, now));
		at = end + 1;
	}
	return names_take(n, buf_span(&n->name));
}

const char *
name_error(struct span name)
{
	if (name.n == 0)
		return "a profile has no name";
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '/' || name.p[i] == '\0')
			return "the name of a profile contains a '/' or a NUL";
		if ((unsigned char)name.p[i] >= 0x80)
			return "the name of a profile is not ASCII: Perun "
			    "could no longer read the index";
	}
	return NULL;
}
