/* write - writes the profile */

#include <string.h>

#include "common/json/json.h"
#include "filters/profile-make/write.h"

/* The type of all amounts, or mixed, which Perun has for all others. */
static const char *
find_type(const struct amounts *a)
{
	sym type = a->resources[a->list[0].resource].type;
	const char *text = intern_str(&a->texts, type);

	for (size_t i = 1; i < a->n; i++)
		if (a->resources[a->list[i].resource].type != type)
			return "mixed";
	return strcmp(text, "time") == 0 || strcmp(text, "memory") == 0 ?
	    text : "mixed";
}

static void
put_unit(struct buf *b, const struct amounts *a, sym name)
{
	if (b->data[b->len - 1] != '{')
		buf_char(b, ',');
	json_quote(b, intern_span(&a->unit_names, name));
	buf_char(b, ':');
	json_quote(b, intern_span(&a->texts, a->units[name]));
}

static void
put_header(struct buf *b, const struct header *h, const struct amounts *a)
{
	const char *type = h->type != NULL ? h->type : find_type(a);
	const char *workload = h->parts[PART_WORKLOAD].text;
	struct span program = h->program.n > 0 ? h->program :
	    span_str("unknown");
	sym first = intern_find(&a->unit_names, span_str(type));

	json_open(b, "header", '{');
	json_cstr(b, "type", type);

	/* Perun takes the first unit for that of the profile. */
	json_open(b, "units", '{');
	if (first != SYM_NONE)
		put_unit(b, a, first);
	for (sym i = 0; i < a->unit_names.n; i++)
		if (i != first)
			put_unit(b, a, i);
	json_close(b, '}');

	if (h->parts[PART_CMD].text != NULL)
		json_cstr(b, "cmd", h->parts[PART_CMD].text);
	else
		json_str(b, "cmd", program);
	json_cstr(b, "workload", workload != NULL ? workload : "");
	if (h->parts[PART_LABEL].text != NULL)
		json_cstr(b, "label", h->parts[PART_LABEL].text);
	json_close(b, '}');
}

/* A sum, as an integer if it is one. */
static void
put_thousandths(struct buf *b, int64_t value)
{
	unsigned rest = (unsigned)(value % 1000);

	json_int(b, "amount", value / 1000);
	if (rest == 0)
		return;
	buf_printf(b, ".%03u", rest);
	while (b->data[b->len - 1] == '0')
		b->len--;
}

/* Writes a resource for each amount, in the order of the input. */
static void
put_resources(struct output *out, const struct amounts *a)
{
	struct buf *b = &out->buf;
	const struct amount *m;
	const struct resource *r;

	json_open(b, "global", '{');
	json_word(b, "time", "0.0");
	json_open(b, "resources", '[');
	for (m = a->list; m < a->list + a->n; m++) {
		r = &a->resources[m->resource];
		buf_str(b, m == a->list ? "{" : ",{");
		if (m->token != SYM_NONE)
			json_raw(b, "amount", intern_span(&a->texts, m->token));
		else
			put_thousandths(b, m->thousandths);
		if (r->subtype != SYM_NONE)
			json_str(b, "subtype", intern_span(&a->texts,
			    r->subtype));
		if (r->is_exact)
			json_true(b, "exact");
		json_str(b, "type", intern_span(&a->texts, r->type));
		json_str(b, "uid", intern_span(&a->texts, r->uid));
		json_close(b, '}');
		output_done(out);
	}
	json_close(b, ']');
	json_close(b, '}');
}

void
write_profile(struct output *out, const struct header *h,
    const struct amounts *a)
{
	struct buf *b = &out->buf;

	buf_char(b, '{');
	if (h->parts[PART_ORIGIN].text != NULL)
		json_cstr(b, "origin", h->parts[PART_ORIGIN].text);
	put_header(b, h, a);
	json_open(b, "collector_info", '{');
	json_word(b, "name", "weir");
	json_open(b, "params", '{');
	json_close(b, '}');
	json_close(b, '}');
	json_open(b, "postprocessors", '[');
	json_close(b, ']');
	if (h->parts[PART_MACHINE].text != NULL) {
		json_open(b, "machine", '{');
		json_cstr(b, "host", h->parts[PART_MACHINE].text);
		json_close(b, '}');
	}
	put_resources(out, a);
	json_end(b);
}
