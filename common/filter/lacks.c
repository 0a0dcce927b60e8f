/* lacks - the words for what is missing, and what each of them means */

#include "common/base/buf.h"
#include "common/filter/lacks.h"
#include "common/json/json.h"
#include "common/json/rec.h"

/* In the order of the bits of enum lacks. */
static const struct word {
	const char *word, *clause;
	unsigned opens;
} words[] = {
	{ "head", "the beginning of the input is missing",
	    OPENS_LENGTH | OPENS_WALL },
	{ "tail", "the end of the input is missing",
	    OPENS_LENGTH | OPENS_WALL },
	{ "rejected", "lines were rejected", OPENS_PATH },
	{ "unfinished", "tasks did not end", OPENS_LENGTH | OPENS_WALL },
	{ "failed", "commands of the graph are not in the log, which does not "
	    "name those that failed", OPENS_LENGTH | OPENS_WALL },
	{ "runs", "which lines of the log are its last run is a guess",
	    OPENS_ALL },
	{ "graph", "there is no graph of the tasks", OPENS_PATH },
	{ "times", "the log has no times", OPENS_ALL },
	{ "deps", "which task waited for which is a guess",
	    OPENS_PATH | OPENS_STEPS },
};

enum { N_WORDS = sizeof words / sizeof *words };

unsigned
lacks_opens(unsigned lacks)
{
	unsigned opens = 0;

	for (unsigned i = 0; i < N_WORDS; i++)
		opens |= (lacks >> i & 1) != 0 ? words[i].opens : 0;
	return opens;
}

void
lacks_put(struct buf *b, unsigned lacks)
{
	if (lacks == 0)
		return;
	json_open(b, "lacks", '[');
	for (unsigned i = 0; i < N_WORDS; i++)
		if ((lacks >> i & 1) != 0)
			json_item(b, span_str(words[i].word));
	json_close(b, ']');
}

static unsigned
find_word(struct span text)
{
	for (unsigned i = 0; i < N_WORDS; i++)
		if (span_eq(text, words[i].word))
			return 1u << i;
	return LACKS_TAIL;
}

unsigned
lacks_read(const struct rec *r, const struct field *f)
{
	unsigned lacks = 0;

	if (f == NULL)
		return 0;
	if (f->kind != REC_ARRAY || f->mixed)
		return LACKS_TAIL;
	for (uint32_t i = 0; i < f->n_items; i++)
		lacks |= find_word(r->items[f->first_item + i]);
	return lacks;
}

static void
put_texts(struct buf *b, unsigned lacks, bool clauses, const char *separator)
{
	const char *before = "";

	for (unsigned i = 0; i < N_WORDS; i++) {
		if ((lacks >> i & 1) == 0)
			continue;
		buf_str(b, before);
		buf_str(b, clauses ? words[i].clause : words[i].word);
		before = separator;
	}
}

void
lacks_put_words(struct buf *b, unsigned lacks)
{
	put_texts(b, lacks, false, ", ");
}

void
lacks_put_clauses(struct buf *b, unsigned lacks)
{
	put_texts(b, lacks, true, "; ");
}
