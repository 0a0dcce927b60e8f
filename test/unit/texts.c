/* texts - texts that are stored as differences are read back unchanged */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/texts.h"
#include "test/unit/unit.h"

enum { TEXTS = 500, ROUNDS = 50, LONGEST = 700 };

/*
 * Makes a text that usually begins like the previous one; its bytes are a few
 * letters or any.
 */
static void
change_text(struct buf *text)
{
	size_t shared = unit_random(text->len + 1), n = unit_random(12);

	if (unit_random(20) == 0)
		n = unit_random(LONGEST);
	if (unit_random(10) == 0)
		shared = 0;
	text->len = shared;
	for (size_t i = 0; i < n; i++)
		buf_char(text, (char)(unit_random(2) == 0 ? 'a' :
		    unit_random(256)));
}

static void
check_round(void)
{
	struct texts t = { 0 };
	struct buf text = { 0 }, got = { 0 };
	struct buf *copies = mem_zero(TEXTS, sizeof *copies);
	uint32_t places[TEXTS];
	size_t n = unit_random(TEXTS);

	for (size_t i = 0; i < n; i++) {
		change_text(&text);
		buf_add(&copies[i], text.data, text.len);
		places[i] = texts_add(&t, buf_span(&text));
	}
	for (size_t k = 0; k < 2 * n; k++) {
		size_t i = unit_random(n);

		texts_get(&t, places[i], &got);
		CHECK(span_same(buf_span(&got), buf_span(&copies[i])),
		    "text %zu of %zu", i, n);
	}
	for (size_t i = 0; i < n; i++)
		buf_release(&copies[i]);
	free(copies);
	buf_release(&text);
	buf_release(&got);
	texts_release(&t);
}

int
main(void)
{
	unit_seed();
	for (int i = 0; i < ROUNDS; i++)
		check_round();
	return unit_end();
}
