/* shorten - tests of filters/callgraph-stat/shorten, and of common/report/cells */

#include "common/report/cells.h"
#include "filters/callgraph-stat/callgraph-stat.h"
#include "test/unit/unit.h"

static const struct {
	const char *name;
	size_t width;
	const char *shortened, *own;
} cases[] = {
	{ "main", 4, "main", "main" },
	{ "fib(int)", 8, "fib(int)", "fib" },
	{ "fib(int)", 7, "fib(..)", "fib" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 35,
	    "ns::Class<A, B>::method(..) const", "method" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 32,
	    "ns::Class<..>::method(..) const", "method" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 30,
	    "..Class<..>::method(..) const", "method" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 20,
	    "..method(..) const", "method" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 17,
	    "method", "method" },
	{ "ns::Class<A, B>::method(std::vector<int> const&) const", 5,
	    "m..od", NULL },
	{ "void f<g<(h)3>(int)>(int, unsigned long)", 30,
	    "void f<g<(h)3>(int)>(..)", "f" },
	{ "void f<g<(h)3>(int)>(int, unsigned long)", 20, "void f<..>(..)",
	    "f" },
	{ "void f<g<(h)3>(int)>(int, unsigned long)", 13, "..f<..>(..)",
	    "f" },
	{ "a::(anonymous namespace)::function(int)", 37,
	    "..(anonymous namespace)::function(..)", "function" },
	{ "Functional::operator()(int, int, int) const", 40,
	    "Functional::operator()(..) const", "operator()" },
	{ "Comparable::operator<(Comparable const&)", 30,
	    "Comparable::operator<(..)", "operator<" },
	{ "Pointer_to_something::operator->()", 20, "..operator->()",
	    "operator->" },
	{ "Convertible::operator std::vector<int, long>() const", 36,
	    "..operator std::vector<..>() const",
	    "operator std::vector<..>" },
	{ "std::operator<< <char>(std::ostream&)", 26,
	    "std::operator<< <char>(..)", "operator<<" },
	{ "D::cooperator<std::vector<int> >(int)", 25,
	    "D::cooperator<..>(..)", "cooperator" },
	{ "D<&E::operator> >::something(int)", 30, "D<..>::something(..)",
	    "something" },
	{ "std::vector<int> std::function<decltype (a->b)>(int, long)", 40,
	    "std::vector<..> std::function<..>(..)", "function" },
	{ "std::vector<int> std::function<decltype (a->b)>(int, long)", 30,
	    "..std::function<..>(..)", "function" },
	{ "main::{lambda(int)#1}::operator()(int) const", 42,
	    "main::{lambda(..)#1}::operator()(..) const", "operator()" },
	{ "a::f(int)::{lambda()#1}::operator()() const", 26,
	    "..operator()() const", "operator()" },
	{ "function(unsigned long, int) [clone .cold]", 30,
	    "function(..) [clone .cold]", "function" },
	{ "<T as core::ops::Trait<u8>>::function", 14, "..function",
	    "function" },
	{ "no_end(where_it_should", 12, "no_en..hould", NULL },
	{ "(the first of its thread)", 12, "(the ..read)", NULL },
	{ "\u4e2d\u6587::\u51fd\u6570(\u6574\u6570)", 12,
	    "..\u51fd\u6570(..)", "\u51fd\u6570" },
};

static void
test_case(size_t i)
{
	struct buf b = { 0 };
	const char *own = cases[i].own;
	size_t n_own = own == NULL ? 0 : cells_width(span_str(own));

	shorten(&b, span_str(cases[i].name), cases[i].width);
	CHECK(strcmp(buf_cstr(&b), cases[i].shortened) == 0, "%s, %zu: %s",
	    cases[i].name, cases[i].width, b.data);
	for (size_t width = 1; width < 100; width++) {
		b.len = 0;
		shorten(&b, span_str(cases[i].name), width);
		CHECK(cells_width(buf_span(&b)) <= width, "%s, %zu: %s",
		    cases[i].name, width, buf_cstr(&b));
		if (own == NULL || width < n_own ||
		    width >= cells_width(span_str(cases[i].name)))
			continue;
		/* Only brackets within the identifier may be whole. */
		CHECK(strstr(buf_cstr(&b), own) != NULL ||
		    strchr(own, '<') != NULL, "%s, %zu: %s", cases[i].name,
		    width, b.data);
	}
	buf_release(&b);
}

static void
test_cells(void)
{
	/* "e" with a combining accent, a wide character, "f" */
	struct span s = SPAN("e\u0301\u4e2df");

	CHECK(cells_width(s) == 4, "%zu", cells_width(s));
	CHECK(cells_head(s, 1) == 3, "the accent is divided from its letter");
	CHECK(cells_head(s, 2) == 3, "half of a wide character");
	CHECK(cells_tail(s, 1) == 1, "%zu", cells_tail(s, 1));
	CHECK(cells_tail(s, 2) == 1, "half of a wide character");
	CHECK(cells_tail(s, 3) == 4, "an accent without its letter");
	CHECK(cells_width(SPAN("\u0915\u093e")) == 2, "a spacing mark");
	CHECK(cells_width(SPAN("\u200b\u200d")) == 0, "format characters");
	CHECK(cells_width(SPAN("\U0001f600")) == 2, "an emoji");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		test_case(i);
	test_cells();
	return unit_end();
}
