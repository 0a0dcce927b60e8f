/* fingerprint - tests of common/mal/fingerprint */

#include "common/mal/fingerprint.h"
#include "test/unit/unit.h"

static const struct {
	const char *text, *fingerprint;
} cases[] = {
	{ "SELECT a FROM \"T\" -- why\n  WHERE b IN (1, 2) AND c < -0.5;",
	    "select a from \"T\" where b in (?) and c < ?" },
	{ "select 'a;b', 1.5e-3,x1 , 2 - 1,a-1", "select ?,x1 , ? - ?,a-?" },
	{ "where s = 'it''s' and t = 'a\\'b' and u = r'\\' or v = e'\\''",
	    "where s = ? and t = ? and u = ? or v = ?" },
	{ "/* ' */ select \"A\"\"b 1\".c2 from t /* no end",
	    "select \"A\"\"b 1\".c2 from t" },
	{ "date '1998-12-01' - interval '90' day (3)",
	    "date ? - interval ? day (?)" },
	{ "insert into t values (-1,+2, .5),('x')",
	    "insert into t values (?,+?),(?)" },
	{ "select 'no end", "select ?" },
	{ "select '\\", "select ?" },
	{ "  ;; ", "" },
	{ "", "" },
};

int
main(void)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		buf_str(&b, "query ");
		query_fingerprint(&b, span_str(cases[i].text));
		CHECK(strcmp(buf_cstr(&b) + 6, cases[i].fingerprint) == 0,
		    "%s: %s", cases[i].text, b.data);
	}
	buf_release(&b);
	return unit_end();
}
