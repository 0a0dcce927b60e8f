/* intern - equal strings are one symbol */

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "test/unit/unit.h"

enum { MANY = 200000 };

static void
test_few(void)
{
	static const struct span words[] = { SPAN(""), SPAN("a"), SPAN("a\0"),
	    SPAN("a\0b"), SPAN("ab"), SPAN("b"), SPAN("\0"), SPAN("\xff") };
	enum { N = sizeof words / sizeof *words };
	struct intern in;
	struct span got;
	int order;

	intern_init(&in);
	for (uint32_t i = 0; i < N; i++) {
		CHECK(intern_find(&in, words[i]) == SYM_NONE, "word %u", i);
		CHECK(intern_add(&in, words[i]) == i, "word %u", i);
	}
	for (uint32_t i = 0; i < N; i++) {
		CHECK(intern_add(&in, words[i]) == i, "word %u again", i);
		CHECK(intern_find(&in, words[i]) == i, "word %u", i);
		got = intern_span(&in, i);
		CHECK(span_same(got, words[i]), "word %u", i);
		CHECK(got.p[got.n] == '\0', "a NUL behind word %u", i);
		CHECK(intern_str(&in, i) == got.p, "word %u", i);
		for (uint32_t j = 0; j < N; j++) {
			order = memcmp(words[i].p, words[j].p, words[i].n <
			    words[j].n ? words[i].n : words[j].n);
			if (order == 0)
				order = (int)words[i].n - (int)words[j].n;
			CHECK((intern_cmp(&in, i, j) > 0) == (order > 0) &&
			    (intern_cmp(&in, i, j) < 0) == (order < 0),
			    "%u and %u", i, j);
		}
		CHECK(intern_cmp(&in, SYM_NONE, i) < 0 &&
		    intern_cmp(&in, i, SYM_NONE) > 0, "none before %u", i);
	}
	CHECK(in.n == N, "%zu", in.n);
	CHECK(intern_cmp(&in, SYM_NONE, SYM_NONE) == 0, "none is none");
	intern_release(&in);
}

/* Strings stay where they are, whatever is added; one is longer than a block. */
static void
test_many(void)
{
	struct intern in;
	const char *first;
	char word[32];
	struct span long_word = span_of(calloc(1, 1 << 20), 1 << 20);
	sym s;

	intern_init(&in);
	CHECK(intern_add(&in, SPAN("first")) == 0, "the first");
	first = intern_str(&in, 0);
	CHECK(intern_add(&in, long_word) == 1, "the second");
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(word, sizeof word, "word/%u", i);
		CHECK(intern_add(&in, span_str(word)) == i + 2, "%s", word);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(word, sizeof word, "word/%u", i);
		s = intern_find(&in, span_str(word));
		CHECK(s == i + 2 && strcmp(intern_str(&in, s), word) == 0,
		    "%s", word);
	}
	CHECK(intern_str(&in, 0) == first && strcmp(first, "first") == 0,
	    "it has moved");
	CHECK(span_same(intern_span(&in, 1), long_word), "the long word");
	intern_release(&in);
	free((char *)(uintptr_t)long_word.p);
}

/*
 * Symbols that come later are those that would have come at once.  The array
 * they go into moves, words come twice within a batch, and the table grows in
 * the middle of one.
 */
static void
test_later(void)
{
	struct kept { uint32_t number; sym symbol; } *kept = NULL;
	struct intern at_once, later;
	size_t cap = 0;
	char word[32];

	intern_init(&at_once);
	intern_init(&later);
	for (uint32_t i = 0; i < MANY; i++) {
		kept = mem_grow(kept, &cap, i + 1, sizeof *kept);
		kept[i] = (struct kept){ (uint32_t)unit_random(i / 2 + 1),
		    SYM_NONE };
		snprintf(word, sizeof word, "word/%u", kept[i].number);
		intern_defer(&later, span_str(word), &kept,
		    i * sizeof *kept + offsetof(struct kept, symbol));
	}
	intern_flush(&later);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(word, sizeof word, "word/%u", kept[i].number);
		CHECK(kept[i].symbol == intern_add(&at_once, span_str(word)),
		    "%s, the %uth", word, i);
	}
	CHECK(later.n == at_once.n, "%zu, not %zu", later.n, at_once.n);
	intern_release(&at_once);
	intern_release(&later);
	free(kept);
}

int
main(void)
{
	unit_seed();
	test_few();
	test_many();
	test_later();
	return unit_end();
}
