/*
 * json-floor - what reading JSON takes at least: parses the values on standard
 * input with simdjson, the fastest library there is, and visits each value in
 * them
 *
 * A long document is in memory as a whole, so that a filter that streams may be
 * faster.
 */

#include <algorithm>
#include <cstdio>
#include <simdjson.h>
#include <sys/stat.h>

using namespace simdjson;

static size_t
visit(dom::element e)
{
	size_t n = 1;

	if (e.is_array())
		for (dom::element item : e.get_array())
			n += visit(item);
	else if (e.is_object())
		for (dom::key_value_pair member : e.get_object())
			n += visit(member.value);
	return n;
}

/* Lines of records are parsed in batches, and a long document as a whole. */
static size_t
batch_size(const std::string &text)
{
	size_t batch = 1 << 20, start = 0, end = text.find('\n');

	if (end == text.npos || end == 0 || text[end - 1] != '}')
		return text.size() + 1;
	for (; end != text.npos; end = text.find('\n', start)) {
		batch = std::max(batch, end - start + 1);
		start = end + 1;
	}
	return batch;
}

int
main()
{
	static char block[1 << 20];
	dom::parser parser;
	std::string text;
	struct stat st;
	size_t n = 0, got;

	if (fstat(0, &st) == 0)
		text.reserve(st.st_size + SIMDJSON_PADDING);
	while ((got = fread(block, 1, sizeof block, stdin)) > 0)
		text.append(block, got);
	for (dom::element e : parser.parse_many(text, batch_size(text)))
		n += visit(e);
	printf("%zu values\n", n);
}
