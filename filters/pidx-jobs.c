/* pidx-jobs - writes the job matrix of a Perun store, one record per job */

#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/base/intern.h"
#include "common/filter/filter.h"
#include "common/perun/config.h"
#include "common/perun/store.h"

static struct {
	const char *directory;
	struct opt_list cmds, args, workloads, collectors, postprocessors;
} opt = { .directory = "." };

static const struct opt options[] = {
	{ 'C', "directory", OPT_STR, &opt.directory, "DIR",
	    "the store is in DIR or above (.)", 0, 0 },
	{ 'b', "cmd", OPT_LIST, &opt.cmds, "CMD",
	    "this command instead of those in local.yml", 0, 0 },
	{ 'a', "args", OPT_LIST, &opt.args, "ARGS",
	    "these arguments, likewise", 0, 0 },
	{ 'w', "workload", OPT_LIST, &opt.workloads, "WORKLOAD",
	    "this workload, likewise", 0, 0 },
	{ 'c', "collector", OPT_LIST, &opt.collectors, "NAME",
	    "this collector, likewise", 0, 0 },
	{ 'p', "postprocessor", OPT_LIST, &opt.postprocessors, "NAME",
	    "this postprocessor, likewise", 0, 0 },
	{ 0 }
};

static const struct about about = {
	.operands = "",
	.purpose = "Writes a job record for every combination of the commands, "
	    "arguments,\nworkloads and collectors that local.yml of a Perun "
	    "store lists.",
	.examples = {
	    "pidx-jobs | jq -r '.command // empty'",
	    "pidx-jobs --cmd ./sort --workload big",
	},
};

/* A collector or a postprocessor, with its parameters. */
struct unit {
	struct span name;
	const struct config_value *params;	/* a mapping, or NULL */
};

struct units {
	struct unit *list;
	size_t n;
};

/* The job matrix: the lists whose items are combined to jobs. */
static struct {
	/* These are sets: a duplicate counts once, as in Perun. */
	struct intern cmds, args, workloads;
	/* For each workload, the generator that it is the id of, or NULL. */
	const struct config_value **generators;
	struct units collectors, postprocessors;
} matrix;

/* Dies with the place of a value in local.yml, and the key that it is under. */
static _Noreturn void
die_at(const struct config_value *v, const char *key, const char *why)
{
	die("%s:%zu: %s: %s", v->file, v->line, key, why);
}

/* The list at a key of local.yml; NULL if it is absent or null. */
static const struct config_value *
local_list(const struct config *config, const char *key)
{
	const struct config_value *v = config_at(config, CONFIG_LOCAL, key);

	if (v == NULL || v->is_null)
		return NULL;
	if (v->kind != CONFIG_LIST)
		die_at(v, key, "it is not a list");
	return v;
}

/* The text of an item, empty if it is null; dies if it is not a string. */
static struct span
string_of(const struct config_value *v, const char *key)
{
	if (v->kind != CONFIG_TEXT)
		die_at(v, key, "an item is not a string");
	return v->is_null ? span_of("", 0) : v->text;
}

/*
 * Reads strings from the values given by an option or, if there are none, from
 * the list at a key of local.yml; false if the list is NULL, too.
 */
static bool
read_strings(struct intern *strings, const struct opt_list *given,
    const struct config_value *list, const char *key)
{
	intern_init(strings);
	for (size_t i = 0; i < given->n; i++)
		intern_add(strings, span_str(given->values[i]));
	if (given->n > 0 || list == NULL)
		return given->n > 0;
	for (size_t i = 0; i < list->n; i++)
		intern_add(strings, string_of(list->items[i].value, key));
	return true;
}

/* Reads an item of a list of units; dies if it is invalid. */
static struct unit
read_unit(const struct config_value *v, const char *key)
{
	const struct config_value *name, *params;

	name = config_in(v, span_str("name"));
	params = config_in(v, span_str("params"));
	if (name == NULL || name->is_null || string_of(name, key).n == 0)
		die_at(v, key, "an item is not a mapping with a name");
	if (params != NULL && params->is_null)
		params = NULL;
	if (params != NULL && params->kind != CONFIG_MAPPING)
		die_at(params, key, "params is not a mapping");
	return (struct unit){ name->text, params };
}

/* The unit of this name in the list, or one without parameters. */
static struct unit
find_unit(const struct units *listed, const char *name)
{
	for (size_t i = 0; i < listed->n; i++)
		if (span_eq(listed->list[i].name, name))
			return listed->list[i];
	return (struct unit){ span_str(name), NULL };
}

/*
 * Reads the units whose names an option gives, with their parameters in
 * local.yml, or, without the option, all units of the list at a key of
 * local.yml.  False if there is neither.
 */
static bool
read_units(struct units *units, const struct opt_list *given,
    const struct config *config, const char *key)
{
	const struct config_value *list = local_list(config, key);
	struct units listed = { .n = list != NULL ? list->n : 0 };

	listed.list = mem_resize(NULL, listed.n, sizeof *listed.list);
	for (size_t i = 0; i < listed.n; i++)
		listed.list[i] = read_unit(list->items[i].value, key);
	if (given->n == 0) {
		*units = listed;
		return list != NULL;
	}
	units->n = given->n;
	units->list = mem_resize(NULL, given->n, sizeof *units->list);
	for (size_t i = 0; i < given->n; i++)
		units->list[i] = find_unit(&listed, given->values[i]);
	free(listed.list);
	return true;
}

/*
 * Finds the generators of workloads whose id is a workload of the matrix, and
 * warns of them.  Of several generators with the same id the last one counts,
 * as in Perun.
 */
static void
read_generators(struct config *config)
{
	const struct config_value *all, *v, *id, *type;
	sym workload;

	matrix.generators = mem_zero(matrix.workloads.n,
	    sizeof *matrix.generators);
	all = config_gather(config, "generators.workload");
	for (size_t i = 0; i < all->n; i++) {
		v = all->items[i].value;
		id = config_in(v, span_str("id"));
		type = config_in(v, span_str("type"));
		if (id == NULL || id->kind != CONFIG_TEXT || type == NULL) {
			err_warn("warning: %s:%zu: a generator has no id or no "
			    "type", v->file, v->line);
			continue;
		}
		workload = intern_find(&matrix.workloads, id->text);
		if (workload != SYM_NONE)
			matrix.generators[workload] = v;
	}

	for (sym w = 0; w < matrix.workloads.n; w++)
		if (matrix.generators[w] != NULL)
			err_warn("warning: workload '%s' is a generator "
			    "(%s:%zu), which is not run",
			    intern_str(&matrix.workloads, w),
			    matrix.generators[w]->file,
			    matrix.generators[w]->line);
}

static void
read_matrix(struct config *config)
{
	const struct config_value *args = local_list(config, "args");
	const char *file = config->levels[CONFIG_LOCAL]->file;

	if (args == NULL)
		args = local_list(config, "params");	/* its former name */
	if (!read_strings(&matrix.cmds, &opt.cmds, local_list(config, "cmds"),
	    "cmds"))
		die("%s has no 'cmds': add them, or give --cmd", file);
	read_strings(&matrix.args, &opt.args, args, "args");
	if (matrix.args.n == 0)
		intern_add(&matrix.args, span_of("", 0));
	if (!read_strings(&matrix.workloads, &opt.workloads,
	    local_list(config, "workloads"), "workloads"))
		intern_add(&matrix.workloads, span_of("", 0));
	if (!read_units(&matrix.collectors, &opt.collectors, config,
	    "collectors"))
		die("%s has no 'collectors': add them, or give --collector",
		    file);
	read_units(&matrix.postprocessors, &opt.postprocessors, config,
	    "postprocessors");
	read_generators(config);
}

static void
put_params(struct buf *b, const struct unit *u)
{
	if (u->params != NULL)
		config_put_json(b, u->params);
	else
		buf_str(b, "{}");
}

static void
emit_job(struct filter *f, sym cmd, sym args, sym workload,
    const struct unit *collector)
{
	struct buf *b = filter_begin_record(f, "job"), command = { 0 };
	struct span words[] = { intern_span(&matrix.cmds, cmd),
	    intern_span(&matrix.args, args),
	    intern_span(&matrix.workloads, workload) };
	const struct config_value *generator = matrix.generators[workload];
	const struct units *units = &matrix.postprocessors;

	json_str(b, "cmd", words[0]);
	json_text(b, "args", words[1]);
	json_str(b, "workload", words[2]);
	json_str(b, "collector", collector->name);
	json_key(b, "collector_params");
	put_params(b, collector);
	json_open(b, "postprocessors", '[');
	for (size_t i = 0; i < units->n; i++)
		json_item(b, units->list[i].name);
	json_close(b, ']');
	json_open(b, "postprocessor_params", '[');
	for (size_t i = 0; i < units->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		put_params(b, &units->list[i]);
	}
	json_close(b, ']');

	if (generator == NULL) {
		/* As Perun does: a space precedes each nonempty later word. */
		for (size_t i = 0; i < 3; i++) {
			if (i > 0 && words[i].n > 0)
				buf_char(&command, ' ');
			buf_add(&command, words[i].p, words[i].n);
		}
		json_str(b, "command", buf_span(&command));
		buf_release(&command);
	} else {
		json_key(b, "generator");
		config_put_json(b, generator);
	}
	filter_end_record(f);
}

int
main(int argc, char **argv)
{
	struct filter f;
	struct store store;
	struct config config;
	const char *why;

	filter_begin(&f, &about, options, argc, argv);
	if (filter_operand(&f) != NULL)
		die("there are no operands (see --help)");
	if (!store_open(&store, opt.directory, &why) ||
	    !config_load(&config, store.path, &why))
		die("%s", why);
	read_matrix(&config);
	/* In Perun's order: the arguments vary fastest. */
	for (sym cmd = 0; cmd < matrix.cmds.n; cmd++)
		for (sym w = 0; w < matrix.workloads.n; w++)
			for (size_t i = 0; i < matrix.collectors.n; i++)
				for (sym a = 0; a < matrix.args.n; a++)
					emit_job(&f, cmd, a, w,
					    &matrix.collectors.list[i]);
	config_release(&config);
	store_close(&store);
	return filter_end(&f);
}
