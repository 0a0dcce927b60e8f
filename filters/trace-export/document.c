/* document - writes trace events in Chrome's format */

#include "common/filter/filter.h"
#include "filters/trace-export/trace-export.h"

enum { NAME_MAX_BYTES = 200, DEL = 0x7f };

/* Begins the line of an event, up to its phase. */
static struct buf *
begin_event(struct document *d, const char *phase)
{
	struct buf *b = filter_out(d->f);

	buf_str(b, d->has_events ? ",\n{" :
	    "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{");
	d->has_events = true;
	json_word(b, "ph", phase);
	return b;
}

static void
put_place(struct buf *b, struct place place)
{
	json_uint(b, "pid", place.pid);
	json_uint(b, "tid", place.tid);
}

struct buf *
document_begin(struct document *d, const char *phase, struct place place,
    int64_t us)
{
	struct buf *b = begin_event(d, phase);

	json_int(b, "ts", us);
	put_place(b, place);
	return b;
}

struct buf *
document_begin_task(struct document *d, struct place place, int64_t start_us,
    int64_t end_us)
{
	struct buf *b;

	if (start_us >= end_us) {
		b = document_begin(d, "i", place, start_us);
		json_word(b, "s", "t");
		return b;
	}
	b = begin_event(d, "X");
	json_int(b, "ts", start_us);
	json_int(b, "dur", end_us - start_us);
	put_place(b, place);
	return b;
}

void
document_end_event(struct document *d)
{
	buf_char(filter_out(d->f), '}');
	filter_emit(d->f);
}

static struct buf *
begin_metadata(struct document *d, const char *what, struct place place)
{
	struct buf *b = begin_event(d, "M");

	put_place(b, place);
	json_word(b, "name", what);
	json_word(b, "cat", "__metadata");
	json_open(b, "args", '{');
	return b;
}

void
document_put_name(struct document *d, const char *what, struct place place,
    struct span name)
{
	struct buf *b = begin_metadata(d, what, place);

	document_name(b, strcmp(what, "process_labels") == 0 ? "labels" :
	    "name", name);
	json_close(b, '}');
	document_end_event(d);
}

void
document_put_sort_index(struct document *d, const char *what,
    struct place place, int64_t index)
{
	struct buf *b = begin_metadata(d, what, place);

	json_int(b, "sort_index", index);
	json_close(b, '}');
	document_end_event(d);
}

void
document_str(struct buf *b, const char *key, struct span text)
{
	struct buf quoted = { 0 };

	if (text.n == 0 || memchr(text.p, DEL, text.n) == NULL) {
		json_str(b, key, text);
		return;
	}
	json_key(b, key);
	json_quote(&quoted, text);
	for (size_t i = 0; i < quoted.len; i++)
		if (quoted.data[i] == DEL)
			buf_str(b, "\\u007f");
		else
			buf_char(b, quoted.data[i]);
	buf_release(&quoted);
}

void
document_name(struct buf *b, const char *key, struct span name)
{
	struct buf text = { 0 };

	if (name.n <= NAME_MAX_BYTES) {
		document_str(b, key, name);
		return;
	}
	name = text_prefix(name, NAME_MAX_BYTES);
	buf_add(&text, name.p, name.n);
	buf_str(&text, "\xe2\x80\xa6");
	document_str(b, key, buf_span(&text));
	buf_release(&text);
}

void
document_add_run(struct document *d, const char *run, int64_t start_us,
    int64_t wall_us, uint64_t n_tasks)
{
	struct buf *b = &d->runs;

	if (b->len > 0)
		buf_str(b, ",\n");
	buf_char(b, '{');
	if (run != NULL)
		document_str(b, "run", span_str(run));
	json_int(b, "start_us", start_us);
	json_int(b, "wall_us", wall_us);
	json_uint(b, "tasks", n_tasks);
	buf_char(b, '}');
}

void
document_end(struct document *d)
{
	struct buf *b = filter_out(d->f);

	if (!d->has_events)
		return;
	buf_str(b, "],\n\"metadata\":{\"runs\":[\n");
	buf_add(b, d->runs.data, d->runs.len);
	buf_str(b, "]}}\n");
	filter_emit(d->f);
	buf_release(&d->runs);
}
