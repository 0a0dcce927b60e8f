/*
 * config - tests of common/perun/config, which reads Perun's settings in YAML.
 * Given files as arguments, prints each as JSON, or the error, for other tests.
 */

#include <sys/stat.h>

#include "common/json/json.h"
#include "common/perun/config.h"
#include "test/unit/unit.h"

/* Converts YAML to JSON, or to the error; borrowed until the next call. */
static const char *
read_as_json(struct span yaml)
{
	static struct buf json;
	struct config c = { 0 };
	const char *why;

	json.len = 0;
	if (config_add(&c, "f", yaml, &why))
		config_put_json(&json, c.levels[0]);
	else
		buf_str(&json, why);
	config_release(&c);
	return buf_cstr(&json);
}

/* Checks that YAML is converted to `want`: JSON, or the error. */
#define IS(yaml, want)							\
	do {								\
		const char *got = read_as_json(SPAN(yaml));		\
		CHECK(strcmp(got, want) == 0, "%s: %s", yaml, got);	\
	} while (0)

static void
test_values(void)
{
	IS("", "{}");
	IS("# nothing\n", "{}");
	IS("---\n", "{}");
	IS("~\n", "{}");
	IS("a: b", "{\"a\":\"b\"}");
	IS("\xef\xbb\xbf" "a: b\r\nc: d\r\n", "{\"a\":\"b\",\"c\":\"d\"}");
	IS("a:\n- 1\n- [x, {y: z}]\nb: {}\nc: []\n",
	    "{\"a\":[\"1\",[\"x\",{\"y\":\"z\"}]],\"b\":{},\"c\":[]}");
	IS("{\"a\": \"\\u00e9\\n\\\"\", 'b': 'it''s'}",
	    "{\"a\":\"\xc3\xa9\\n\\\"\",\"b\":\"it's\"}");
	IS("a: |\n  x\n  y\nb: >\n  x\n  y\n",
	    "{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\"}");
	IS("z: 1\na: 2\nm: 3\n", "{\"z\":\"1\",\"a\":\"2\",\"m\":\"3\"}");
	IS("a: !!str 1\nb: !mine {c: d}\n",
	    "{\"a\":\"1\",\"b\":{\"c\":\"d\"}}");
}

/*
 * Scalars stay texts as written: YAML 1.1 and 1.2 disagree on which of them are
 * booleans, numbers or null.
 */
static void
test_scalars_as_written(void)
{
	IS("a: [yes, True, 010, 0x1F, 1e3, 1_000, 12:30:45, ~, null, .inf, ]",
	    "{\"a\":[\"yes\",\"True\",\"010\",\"0x1F\",\"1e3\",\"1_000\","
	    "\"12:30:45\",\"~\",\"null\",\".inf\"]}");
	IS("1: a\ntrue: b\n~: c\n", "{\"1\":\"a\",\"true\":\"b\",\"~\":\"c\"}");
}

static void
test_aliases(void)
{
	IS("a: &x [1, 2]\nb: *x\n",
	    "{\"a\":[\"1\",\"2\"],\"b\":[\"1\",\"2\"]}");
	IS("a: &x 1\nb: &x 2\nc: *x\n",
	    "{\"a\":\"1\",\"b\":\"2\",\"c\":\"2\"}");
	IS("&k a: 1\nb: {*k : 2}\n", "{\"a\":\"1\",\"b\":{\"a\":\"2\"}}");
	IS("a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x, r: 4}\n",
	    "{\"a\":{\"p\":\"1\",\"q\":\"2\"},"
	    "\"b\":{\"q\":\"3\",\"r\":\"4\",\"p\":\"1\"}}");
	IS("a: {<<: [{p: 1}, {p: 2, q: 3}]}\n",
	    "{\"a\":{\"p\":\"1\",\"q\":\"3\"}}");
	IS("a: {'<<': 1}\n", "{\"a\":{\"<<\":\"1\"}}");
	IS("a: 1\nb: *x\n", "f:2:4: the alias has no anchor");
	IS("a: &x [1, *x]\n",
	    "f:1:11: the alias is in the value of its anchor");
	IS("a: {<<: 1}\n",
	    "f:1:9: << needs a mapping or a list of mappings");
	IS("a: {<<: [{}, []]}\n",
	    "f:1:16: << needs a mapping or a list of mappings");
}

static void
test_refusals(void)
{
	IS("a: 1\nb: 2\n  \na: 3\n", "f:4:1: the key 'a' occurs twice");
	IS("x:\n  - {a: 1, 'a': 2}\n", "f:2:12: the key 'a' occurs twice");
	IS("- a\n- b\n", "f:1:1: the document is not a mapping");
	IS("\n\ntext\n", "f:3:1: the document is not a mapping");
	IS("a: 1\n---\nb: 2\n", "f:2:1: there is a second document");
	IS("[a]: 1\n", "f:1:1: the key is a list or a mapping");
	IS("? {a: 1}\n: 2\n", "f:1:3: the key is a list or a mapping");
	IS("a: \"x\\0y\"\n", "f:1:4: the text contains a NUL character");
	IS("a: [1, 2\nb: 3\n", "f:2:2: while parsing a flow sequence, "
	    "did not find expected ',' or ']'");
	IS("a: b: c\n", "f:1:5: mapping values are not allowed in this "
	    "context");
	IS("a: 1\n\tb: 2\n", "f:2:1: while scanning a plain scalar, found a "
	    "tab character that violates indentation");
	IS("a: \"open\n", "f:2:1: while scanning a quoted scalar, "
	    "found unexpected end of stream");
	IS("a: 1\nb: \xff\n", "f:2:4: invalid leading UTF-8 octet");
	IS("a: 1\nb: \xc3", "f:2:4: incomplete UTF-8 octet sequence");
	IS("\xff\xfe" "a\0:\0 \0b\0", "f:1:1: invalid leading UTF-8 octet");
	IS("a: 1\n b\0: 2\n", "f:2:3: control characters are not allowed");
}

/*
 * Returns `before`, then `piece` n times, then `after`; borrowed until the next
 * call.
 */
static struct span
repeat(const char *before, const char *piece, size_t n, const char *after)
{
	static struct buf b;

	b.len = 0;
	buf_str(&b, before);
	for (size_t i = 0; i < n; i++)
		buf_str(&b, piece);
	buf_str(&b, after);
	return buf_span(&b);
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static void
test_limits(void)
{
	const char *got;

	/*
	 * The lists are not closed, so both documents are refused, but only the
	 * second for its depth.  The mapping itself is the first level.
	 */
	got = read_as_json(repeat("a: ", "[", CONFIG_DEPTH_MAX - 1, ""));
	CHECK(strstr(got, "nested") == NULL, "%s", got);
	/* CONFIG_DEPTH_MAX is 100, and the 100th '[' is in column 3 + 100. */
	got = read_as_json(repeat("a: ", "[", CONFIG_DEPTH_MAX, ""));
	CHECK(strcmp(got, "f:1:103: values are nested too deeply") == 0, "%s",
	    got);
	got = read_as_json(repeat("a: ", "{b: ", 100000, ""));
	CHECK(ends_with(got, "values are nested too deeply"), "%s", got);
	got = read_as_json(repeat("a: ", "- ", 100000, ""));
	CHECK(got[0] == 'f', "%s", got);
	/* The mapping, its key and the list are three values. */
	got = read_as_json(repeat("a: [", "0,", CONFIG_VALUES_MAX - 3, "]"));
	CHECK(got[0] == '{', "%.80s", got);
	got = read_as_json(repeat("a: [", "0,", CONFIG_VALUES_MAX - 2, "]"));
	CHECK(ends_with(got, "there are too many values"), "%.80s", got);
	got = read_as_json(repeat("a: &x 1\nb: [", "*x,", CONFIG_VALUES_MAX,
	    "]"));
	CHECK(ends_with(got, "there are too many values"), "%.80s", got);
	/* 16 directives of 11 bytes are allowed; the 17th is in column 177. */
	got = read_as_json(repeat("", "%TAG !x! y\r", 100000, "---\na: b\n"));
	CHECK(strcmp(got, "f:1:177: there are too many %TAG directives") ==
	    0, "%s", got);
	/* %TAG in a text is also counted; this is as often as is accepted. */
	got = read_as_json(repeat("a: \"", "%TAG ", CONFIG_DIRECTIVES_MAX,
	    "\""));
	CHECK(got[0] == '{', "%s", got);
	got = read_as_json(repeat("a: [", "&x 0,", CONFIG_ANCHORS_MAX, "]"));
	CHECK(got[0] == '{', "%.80s", got);
	got = read_as_json(repeat("a: [", "&x 0,", CONFIG_ANCHORS_MAX + 1,
	    "]"));
	CHECK(ends_with(got, "there are too many anchors"), "%.80s", got);
}

/* Small texts whose aliases expand to large or deep values. */
static void
test_bombs(void)
{
	struct buf b = { 0 };
	const char *got;

	/* Each value is twice as large as the one before. */
	buf_str(&b, "a0: &a0 {x: y}\n");
	for (int i = 1; i < 40; i++)
		buf_printf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i - 1, i - 1);
	got = read_as_json(span_of(b.data, b.len));
	CHECK(ends_with(got, "too many values, with aliases expanded"),
	    "%.80s", got);
	/* Each value is one level deeper than the one before. */
	b.len = 0;
	buf_str(&b, "a0: &a0 1\n");
	for (int i = 1; i < 200; i++)
		buf_printf(&b, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	got = read_as_json(span_of(b.data, b.len));
	CHECK(ends_with(got, "values are nested too deeply"), "%.80s", got);
	/* Each of many mappings merges a large one. */
	b.len = 0;
	buf_str(&b, "a: &a {");
	for (int i = 0; i < 2000; i++)
		buf_printf(&b, "k%d: 0,", i);
	buf_str(&b, "}\nb: [");
	for (int i = 0; i < 2000; i++)
		buf_str(&b, "{<<: *a},");
	buf_str(&b, "]\n");
	got = read_as_json(span_of(b.data, b.len));
	CHECK(ends_with(got, "there are too many values"), "%.80s", got);
	buf_release(&b);
}

static void
add(struct config *c, struct span yaml)
{
	const char *why;

	CHECK(config_add(c, "f", yaml, &why), "%s", why);
}

static bool
is_json(const struct config_value *v, const char *want)
{
	struct buf b = { 0 };
	bool same;

	if (v == NULL)
		return false;
	config_put_json(&b, v);
	same = b.len == strlen(want) && memcmp(b.data, want, b.len) == 0;
	buf_release(&b);
	return same;
}

/*
 * A level is one file of settings.  A key has the value of the first level that
 * has the key; config_gather() joins the values of all levels.
 */
static void
test_keys(void)
{
	struct config c = { 0 };

	add(&c, SPAN("a: {b: 1, c: , e: [1]}\nl: [1]\nt: x\nn: -5\nf: 1.5\n"));
	add(&c, SPAN("a: {b: 2, c: 3, d: 4}\nl: [2, 3]\nt: [y]\n"));
	CHECK(strcmp(config_string(&c, "a.b"), "1") == 0,
	    "not the value of the first level");
	CHECK(strcmp(config_string(&c, "a.d"), "4") == 0,
	    "not the value of the second level");
	CHECK(config_string(&c, "a.c") == NULL, "null is read as a text");
	CHECK(config_string(&c, "a") == NULL, "a mapping is read as a text");
	CHECK(config_find(&c, "a.b.c") == NULL, "a text has a key");
	CHECK(config_find(&c, "l.0") == NULL, "a list has a key");
	CHECK(config_find(&c, "") == NULL && config_find(&c, ".") == NULL &&
	    config_find(&c, "a.") == NULL && config_find(&c, ".a") == NULL &&
	    config_find(&c, "a..b") == NULL, "an empty name is found");
	CHECK(config_at(&c, 1, "a.b")->text.p[0] == '2',
	    "not the value of the second level");
	CHECK(config_at(&c, 0, "a.d") == NULL,
	    "the first level has a key of the second");
	CHECK(is_json(config_gather(&c, "l"), "[\"1\",\"2\",\"3\"]"),
	    "two lists are not joined");
	CHECK(is_json(config_gather(&c, "t"), "[\"x\",\"y\"]"),
	    "a text and a list are not joined");
	CHECK(is_json(config_gather(&c, "none"), "[]"),
	    "an absent key has values");
	CHECK(config_at(&c, 0, "n")->line == 4, "not the line of the value");
	config_release(&c);
}

/*
 * A store has two levels: its own local.yml, and the user's shared.yml, which
 * is in $PERUN_CONFIG_DIR or else in ~/.config/perun.  The test runs in an
 * empty directory.
 */
static void
test_files(void)
{
	struct config c;
	const char *why;

	setenv("PERUN_CONFIG_DIR", "shared", 1);
	CHECK(config_load(&c, "store", &why), "without files: %s", why);
	CHECK(config_find(&c, "a") == NULL && c.n == 2,
	    "without files, not two empty levels");
	CHECK(access("shared", F_OK) != 0, "reading creates a directory");
	config_release(&c);
	mkdir("shared", 0777);
	mkdir("store", 0777);
	unit_write("shared/shared.yml", SPAN("a: 1\nb: 2\n"));
	unit_write("store/local.yml", SPAN("a: 3\n"));
	CHECK(config_load(&c, "store", &why), "%s", why);
	CHECK(config_string(&c, "a")[0] == '3', "not the value of the store");
	CHECK(config_string(&c, "b")[0] == '2', "not the value of the user");
	config_release(&c);
	setenv("PERUN_CONFIG_DIR", "", 1);
	setenv("HOME", "home", 1);
	mkdir("home", 0777);
	mkdir("home/.config", 0777);
	rename("shared", "home/.config/perun");
	CHECK(config_load(&c, "store", &why) && config_find(&c, "b") != NULL,
	    "the file in the home directory is not read");
	config_release(&c);
	setenv("PERUN_CONFIG_DIR", "/dev/null", 1);
	CHECK(config_load(&c, "store", &why) && c.n == 2,
	    "with /dev/null as the directory, not two levels");
	config_release(&c);
	unsetenv("PERUN_CONFIG_DIR");
	unsetenv("HOME");
	CHECK(config_load(&c, "store", &why) && c.n == 1,
	    "without HOME, not one level");
	config_release(&c);
}

/* In the directory `store`, which test_files() has created. */
static void
test_bad_files(void)
{
	struct config c;
	const char *why;

	unlink("store/local.yml");
	mkdir("store/local.yml", 0777);
	CHECK(!config_load(&c, "store", &why) && strncmp(why,
	    "cannot read 'store/local.yml': ", 31) == 0, "%s", why);
	config_release(&c);
	rmdir("store/local.yml");
	CHECK(mkfifo("store/local.yml", 0666) == 0, "cannot make a pipe");
	/* If this waits for a writer, the test does not end. */
	CHECK(!config_load(&c, "store", &why), "a pipe is read");
	config_release(&c);
	unlink("store/local.yml");
	unit_write("store/local.yml", repeat("#", " ", CONFIG_BYTES_MAX - 1,
	    ""));
	CHECK(config_load(&c, "store", &why), "the maximum length: %s", why);
	config_release(&c);
	unit_write("store/local.yml", repeat("#", " ", CONFIG_BYTES_MAX, ""));
	CHECK(!config_load(&c, "store", &why) && strcmp(why,
	    "'store/local.yml' is longer than 1048576 bytes") == 0, "%s", why);
	config_release(&c);
}

/* Prints a file as JSON and returns 0, or prints the error and returns 2. */
static int
show(const char *path)
{
	struct config c = { 0 };
	struct buf json = { 0 };
	const char *why;
	bool ok = config_load_file(&c, path, &why);

	if (ok) {
		config_put_json(&json, c.levels[0]);
		printf("%.*s\n", (int)json.len, json.data);
	} else {
		fprintf(stderr, "%s\n", why);
	}
	buf_release(&json);
	config_release(&c);
	return ok ? 0 : 2;
}

int
main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++)
		if (show(argv[i]) != 0)
			status = 2;
	if (argc > 1)
		return status;
	test_values();
	test_scalars_as_written();
	test_aliases();
	test_refusals();
	test_limits();
	test_bombs();
	test_keys();
	test_files();
	test_bad_files();
	return unit_end();
}
