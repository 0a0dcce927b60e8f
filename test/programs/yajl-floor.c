/*
 * yajl-floor - a lower bound for the time of a filter that uses yajl
 *
 * `yajl-floor parse` reads JSON, with callbacks that do nothing.  `yajl-floor
 * gen` reads and writes JSON, with callbacks that pass every token to yajl_gen.
 * A callback that returns 0 ends the parsing.
 */

#include <stdio.h>
#include <string.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>

enum { BUFFER_SIZE = 1 << 16 };

static int depth;		/* the number of open objects */

static int
on_null(void *gen)
{
	return gen == NULL || yajl_gen_null(gen) == yajl_gen_status_ok;
}

static int
on_boolean(void *gen, int value)
{
	return gen == NULL || yajl_gen_bool(gen, value) == yajl_gen_status_ok;
}

static int
on_number(void *gen, const char *p, size_t n)
{
	return gen == NULL || yajl_gen_number(gen, p, n) == yajl_gen_status_ok;
}

static int
on_string(void *gen, const unsigned char *p, size_t n)
{
	return gen == NULL || yajl_gen_string(gen, p, n) == yajl_gen_status_ok;
}

static int
on_map(void *gen)
{
	depth++;
	return gen == NULL || yajl_gen_map_open(gen) == yajl_gen_status_ok;
}

static int
on_map_end(void *gen)
{
	depth--;
	if (gen == NULL)
		return 1;
	if (yajl_gen_map_close(gen) != yajl_gen_status_ok)
		return 0;
	if (depth == 0)
		yajl_gen_reset(gen, "\n");	/* also prints the newline */
	return 1;
}

static int
on_array(void *gen)
{
	return gen == NULL || yajl_gen_array_open(gen) == yajl_gen_status_ok;
}

static int
on_array_end(void *gen)
{
	return gen == NULL || yajl_gen_array_close(gen) == yajl_gen_status_ok;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null, .yajl_boolean = on_boolean,
	.yajl_number = on_number, .yajl_string = on_string,
	.yajl_start_map = on_map, .yajl_map_key = on_string,
	.yajl_end_map = on_map_end, .yajl_start_array = on_array,
	.yajl_end_array = on_array_end
};

static void
write_out(yajl_gen gen)
{
	const unsigned char *p;
	size_t n;

	yajl_gen_get_buf(gen, &p, &n);
	fwrite(p, 1, n, stdout);
	yajl_gen_clear(gen);
}

int
main(int argc, char **argv)
{
	static unsigned char buffer[BUFFER_SIZE];
	yajl_handle parser;
	yajl_gen gen = NULL;
	size_t n;

	if (argc != 2 || (strcmp(argv[1], "parse") != 0 &&
	    strcmp(argv[1], "gen") != 0)) {
		fputs("usage: yajl-floor parse|gen <FILE\n", stderr);
		return 2;
	}
	if (argv[1][0] == 'g')
		gen = yajl_gen_alloc(NULL);
	parser = yajl_alloc(&callbacks, NULL, gen);
	yajl_config(parser, yajl_allow_multiple_values, 1);
	while ((n = fread(buffer, 1, sizeof buffer, stdin)) > 0) {
		if (yajl_parse(parser, buffer, n) != yajl_status_ok)
			return 1;
		if (gen != NULL)
			write_out(gen);
	}
	return yajl_complete_parse(parser) != yajl_status_ok;
}
