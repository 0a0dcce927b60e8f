/* state - reads and writes the file with which a trace continues another */

#include "common/base/err.h"
#include "common/filter/filter.h"
#include "common/io/fd.h"
#include "common/json/recio.h"
#include "filters/malparse/state.h"

/* The keys of the record: an id column for each table, then the types. */
enum { S_TABLES = KEY_TYPE + 1, S_TYPES = S_TABLES + N_TABLES };

enum { RECORD_BYTES_MAX = 1 << 20 };	/* enough for thousands of types */

static void
read_record(struct rows *rows, const struct rec *r, const char *path)
{
	const struct span *types;
	int64_t next;
	bool is_new;
	size_t n;

	if (r == NULL || !rec_is(r, "malparse_state"))
		die("'%s' is not a state file of malparse", path);
	for (enum row_table t = 0; t < N_TABLES; t++) {
		if (rec_int(r, S_TABLES + t, &next) != REC_OK || next < 1)
			die("'%s' is not a state file of malparse: %s is not a "
			    "positive integer", path, rows_id_columns[t]);
		rows->first[t] = rows->next[t] = (uint64_t)next;
	}
	if (rec_strings(r, S_TYPES, &types, &n) != REC_OK)
		die("'%s' is not a state file of malparse: types is not a list "
		    "of strings", path);
	for (size_t i = 0; i < n; i++)
		types_assign(&rows->types, types[i], &is_new);
}

bool
state_read(struct rows *rows, const char *path)
{
	static const char *keys[S_TYPES + 2] = { "type" };
	char *const files[] = { (char *)(uintptr_t)path };
	struct recio *recio;
	struct input in;
	struct line line;
	const char *why;
	bool found;

	if (!fd_exists(path))
		return false;
	for (enum row_table t = 0; t < N_TABLES; t++)
		keys[S_TABLES + t] = rows_id_columns[t];
	keys[S_TYPES] = "types";
	recio = recio_new(keys);
	input_init(&in, files, 1);
	found = input_next_file(&in) && input_line(&in, RECORD_BYTES_MAX,
	    &line);
	read_record(rows, found ? recio_parse(recio, span_of(line.p,
	    line.len), &why) : NULL, path);
	input_release(&in);
	recio_free(recio);
	return true;
}

void
state_write(const struct rows *rows, struct output *out, const char *path)
{
	struct buf *b = &out->buf;

	output_open(out, path);
	json_begin(b, "malparse_state");
	for (enum row_table t = 0; t < N_TABLES; t++)
		json_uint(b, rows_id_columns[t], rows->next[t]);
	json_open(b, "types", '[');
	for (size_t i = 0; i < rows->types.names.n; i++)
		if (types_has_row(&rows->types, i + 1))
			json_item(b, intern_span(&rows->types.names, (sym)i));
	json_close(b, ']');
	json_end(b);
	output_sync(out);
}
