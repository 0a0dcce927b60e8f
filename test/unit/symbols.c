/*
 * symbols - tests the parts of a symbol table (rows of the line table, the
 * depth of scopes, ELF symbols) and the demangler
 */

#include "common/base/num.h"
#include "common/program/demangle.h"
#include "common/program/symtab.h"
#include "test/unit/unit.h"

enum { ADDRESSES = 200, ROUNDS = 3000 };

/*
 * A row is the file and line of the code from an address on; without a file,
 * there is no line.  Rows are added in the order of addresses; the last row
 * that is not above an address has its line.
 */
static void
test_rows(void)
{
	static const char *const files[] = { NULL, "a", "b" };
	struct row want[ADDRESSES + 1] = { { 0 } }, row;
	struct symtab t = { 0 };
	const struct row *found;

	row.address = 0;
	while ((row.address += unit_random(9)) < ADDRESSES) {
		row.file = files[unit_random(3)];
		row.line = row.file == NULL ? 0 : (uint32_t)unit_random(4);
		symtab_add_row(&t, row);
		for (uint64_t a = row.address; a < ADDRESSES; a++)
			want[a] = row;
	}
	for (uint64_t a = 0; a < ADDRESSES; a++) {
		found = symtab_row(&t, a);
		CHECK(found == NULL ? want[a].file == NULL :
		    found->file == want[a].file && found->line == want[a].line,
		    "row of %d", (int)a);
	}
	symtab_release(&t);
}

/*
 * A scope is a function, or a call inlined into its parent scope.  A scope at
 * depth SCOPE_DEPTH_MAX is refused.
 */
static void
test_depth(void)
{
	struct symtab t = { 0 };
	struct scope scope = { .parent = INDEX_NONE };

	for (uint32_t i = 0; i < SCOPE_DEPTH_MAX; i++) {
		CHECK(symtab_add_scope(&t, scope) == i, "scope %u", i);
		CHECK(t.scopes[i].depth == i, "scope %u has depth %u", i,
		    t.scopes[i].depth);
		scope.parent = i;
	}
	CHECK(symtab_add_scope(&t, scope) == INDEX_NONE,
	    "a scope too deep is added");
	scope.parent = 7;
	CHECK(symtab_add_scope(&t, scope) == SCOPE_DEPTH_MAX,
	    "a scope under scope 7 is not added");
	CHECK(t.scopes[SCOPE_DEPTH_MAX].depth == 8, "not depth 8");
	symtab_release(&t);
}

static const char *
symbol_at(const struct symtab *t, uint64_t address)
{
	uint32_t index = intervals_find(&t->symbol_index, address);

	return index != INDEX_NONE ? t->symbols[index].name : "";
}

static void
add(struct symtab *t, const char *name, uint64_t address, uint64_t size,
    enum symbol_kind kind, int rank)
{
	symtab_add_symbol(t, (struct symbol){ address, size, name, kind,
	    rank });
}

/*
 * The highest rank at an address wins.  Inner symbols are found before outer
 * ones.  A symbol without a size ends at the next one; no symbol extends beyond
 * the end of its section.  A label inside a function is dropped.
 */
static void
test_symbols(void)
{
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = { { 9, "" }, { 10, "global" }, { 19, "global" },
	    { 20, "" }, { 30, "outer" }, { 35, "inner" }, { 39, "inner" },
	    { 40, "outer" }, { 50, "" }, { 60, "open" }, { 69, "open" },
	    { 70, "label" }, { 89, "label" }, { 90, "last" }, { 99, "last" },
	    { 100, "" }, { 150, "huge" }, { 199, "huge" }, { 200, "" } };
	struct interval sections[] = { { 0, 100, 0 }, { 100, 200, 1 } };
	struct intervals code = { 0 };
	struct symtab t = { 0 };

	intervals_build(&code, sections, 2);
	add(&t, "huge", 150, UINT64_MAX, SYMBOL_FUNCTION, 0);
	add(&t, "weak", 10, 10, SYMBOL_FUNCTION, 1);
	add(&t, "global", 10, 10, SYMBOL_FUNCTION, 2);
	add(&t, "local", 10, 10, SYMBOL_FUNCTION, 0);
	add(&t, "inner", 35, 5, SYMBOL_FUNCTION, 0);
	add(&t, "outer", 30, 20, SYMBOL_FUNCTION, 0);
	add(&t, "within", 32, 0, SYMBOL_LABEL, 0);
	add(&t, "open", 60, 0, SYMBOL_FUNCTION, 0);
	add(&t, "label", 70, 0, SYMBOL_LABEL, 0);
	add(&t, "last", 90, 0, SYMBOL_FUNCTION, 0);
	symtab_finish_symbols(&t, &code);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK(strcmp(symbol_at(&t, cases[i].address),
		    cases[i].name) == 0, "symbol at %d is %s, not %s",
		    (int)cases[i].address, symbol_at(&t, cases[i].address),
		    cases[i].name);
	symtab_release(&t);
	intervals_release(&code);
}

/*
 * Appends the mangled name of f(a<int>, a<a<int>, a<int> >, ...) with n pairs.
 * Each type is twice as long as the one before.  The mangled name is short: a
 * type refers twice to the one before by its number, a digit in base 36.
 */
static void
add_pairs(struct buf *name, unsigned n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	buf_str(name, "_Z1f1aIiE");
	for (unsigned i = 0; i < n; i++)
		buf_printf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
}

static void
test_names(void)
{
	static const char *const names[][2] = { { "main", "main" },
	    { "_Z3addii", "add(int, int)" }, { "_Zxyz", "_Zxyz" },
	    { "_ZN5outer5innerEv.cold", "outer::inner() [clone .cold]" },
#ifdef DEMANGLE_BY_STDCXX
	    { "_RNvC5crate4main", "_RNvC5crate4main" },
#else
	    { "_RNvC5crate4main", "crate::main" },
#endif
	    { "", "" } };
	struct demangler d;
	struct buf bomb = { 0 };
	struct span got;

	demangler_init(&d);
	/* Each twice: the second time, the demangler has cached the result. */
	for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
		got = demangler_name(&d, names[i / 2][0]);
		CHECK(span_eq(got, names[i / 2][1]), "%s is %.*s",
		    names[i / 2][0], SPAN_ARG_ALL(got));
	}
	/* The last of eight types alone repeats a<int> 256 times. */
	add_pairs(&bomb, 8);
	got = demangler_name(&d, buf_cstr(&bomb));
	CHECK(got.n > 1000 && strncmp(got.p, "f(a<int>, a<a<int>", 18) ==
	    0, "eight pairs are %zu bytes", got.n);
	/* With 36 pairs it would be too long, so it is left mangled. */
	bomb.len = 0;
	add_pairs(&bomb, 36);
	got = demangler_name(&d, buf_cstr(&bomb));
	CHECK(span_eq(got, bomb.data), "36 pairs are demangled");
	buf_release(&bomb);
	demangler_release(&d);
}

int
main(void)
{
	unit_seed();
	for (int i = 0; i < ROUNDS; i++)
		test_rows();
	test_depth();
	test_symbols();
	test_names();
	return unit_end();
}
