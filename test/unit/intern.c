/*
 * intern - equal strings get the same symbol; symbols are numbers from 0, in
 * the order in which their strings are added
 */

#include "common/base/intern.h"
#include "common/base/mem.h"
#include "test/unit/unit.h"

enum { N_WORDS = 200000 };

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
		CHECK(intern_find(&in, words[i]) == SYM_NONE,
		    "word %u is found before it is added", i);
		CHECK(intern_add(&in, words[i]) == i, "word %u is added", i);
	}
	for (uint32_t i = 0; i < N; i++) {
		CHECK(intern_add(&in, words[i]) == i, "word %u again", i);
		CHECK(intern_find(&in, words[i]) == i, "word %u", i);
		got = intern_span(&in, i);
		CHECK(span_same(got, words[i]), "word %u", i);
		CHECK(got.p[got.n] == '\0', "no NUL after word %u", i);
		CHECK(intern_str(&in, i) == got.p, "word %u", i);
		for (uint32_t j = 0; j < N; j++) {
			order = memcmp(words[i].p, words[j].p, words[i].n <
			    words[j].n ? words[i].n : words[j].n);
			if (order == 0)
				order = (int)words[i].n - (int)words[j].n;
			CHECK((intern_cmp(&in, i, j) > 0) == (order > 0) &&
			    (intern_cmp(&in, i, j) < 0) == (order < 0),
			    "the order of words %u and %u", i, j);
		}
		CHECK(intern_cmp(&in, SYM_NONE, i) < 0 &&
		    intern_cmp(&in, i, SYM_NONE) > 0,
		    "SYM_NONE is not before word %u", i);
	}
	CHECK(in.n == N, "%zu symbols", in.n);
	CHECK(intern_cmp(&in, SYM_NONE, SYM_NONE) == 0,
	    "SYM_NONE differs from itself");
	intern_release(&in);
}

/* Strings do not move when others are added, one of which has a megabyte. */
static void
test_many(void)
{
	struct intern in;
	const char *first;
	char word[32];
	struct span long_word = span_of(calloc(1, 1 << 20), 1 << 20);
	sym s;

	intern_init(&in);
	CHECK(intern_add(&in, SPAN("first")) == 0, "not the first symbol");
	first = intern_str(&in, 0);
	CHECK(intern_add(&in, long_word) == 1, "not the second symbol");
	for (uint32_t i = 0; i < N_WORDS; i++) {
		snprintf(word, sizeof word, "word/%u", i);
		CHECK(intern_add(&in, span_str(word)) == i + 2, "%s", word);
	}
	for (uint32_t i = 0; i < N_WORDS; i++) {
		snprintf(word, sizeof word, "word/%u", i);
		s = intern_find(&in, span_str(word));
		CHECK(s == i + 2 && strcmp(intern_str(&in, s), word) == 0,
		    "%s", word);
	}
	CHECK(intern_str(&in, 0) == first && strcmp(first, "first") == 0,
	    "the first word has moved");
	CHECK(span_same(intern_span(&in, 1), long_word),
	    "the long word has changed");
	intern_release(&in);
	free((char *)(uintptr_t)long_word.p);
}

/*
 * intern_defer() looks up strings in batches, and stores their symbols in an
 * array later.  The symbols are the same as those of intern_add(), although
 * the array moves, the table grows, and words occur twice within a batch.
 */
static void
test_deferred(void)
{
	struct word { uint32_t number; sym symbol; } *words = NULL;
	struct intern immediate, deferred;
	size_t cap = 0;
	char word[32];

	intern_init(&immediate);
	intern_init(&deferred);
	for (uint32_t i = 0; i < N_WORDS; i++) {
		words = mem_grow(words, &cap, i + 1, sizeof *words);
		words[i] = (struct word){ (uint32_t)unit_random(i / 2 + 1),
		    SYM_NONE };
		snprintf(word, sizeof word, "word/%u", words[i].number);
		intern_defer(&deferred, span_str(word), &words,
		    i * sizeof *words + offsetof(struct word, symbol));
	}
	intern_flush(&deferred);
	for (uint32_t i = 0; i < N_WORDS; i++) {
		snprintf(word, sizeof word, "word/%u", words[i].number);
		CHECK(words[i].symbol == intern_add(&immediate,
		    span_str(word)), "%s, number %u", word, i);
	}
	CHECK(deferred.n == immediate.n, "%zu symbols, not %zu", deferred.n,
	    immediate.n);
	intern_release(&immediate);
	intern_release(&deferred);
	free(words);
}

int
main(void)
{
	unit_seed();
	test_few();
	test_many();
	test_deferred();
	return unit_end();
}
