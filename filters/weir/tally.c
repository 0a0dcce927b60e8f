/* tally - counts the records that a file has, or that a filter makes of it */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* pipe2 */
#endif

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/io/input.h"
#include "common/json/recio.h"
#include "common/report/report-values.h"
#include "filters/weir/weir.h"

enum { LINE_MAX_BYTES = 64 << 20 };

const struct record_type record_types[N_RECORD_TYPES] = {
	{ "callgraph", "call graph", "call graphs", ROLE_CALLGRAPHS },
	{ "task", "task", "tasks", ROLE_TASKS },
	{ "node", "node", "nodes", ROLE_NODES },
	{ "query", "query", "queries", ROLE_ROWS },
	{ "query_cost", "query", "queries", ROLE_NONE },
	{ "profiler_event", "event", "events", ROLE_ROWS },
	{ "critical", "step of a critical path", "steps of a critical path",
	    ROLE_PATH },
	{ "sample", "sample", "samples", ROLE_SAMPLES },
	{ "profile", "profile", "profiles", ROLE_PROFILES },
	{ "version", "commit", "commits", ROLE_COMMITS },
	{ "release", "part of a program's symbols",
	    "parts of a program's symbols", ROLE_NONE },
	{ "change", "change", "changes", ROLE_NONE },
};

#define TALLY_KEYS(K) K(DEPS, "deps") K(FORMAT, "format") K(UID, "uid")	\
	K(UNIT, "unit") K(SUBTYPE, "subtype")
KEY_LIST(tally_keys, TALLY_KEYS);

/* Notes the first uid, and another one of the same unit and subtype. */
static void
note_uid(struct tally *t, const struct rec *r)
{
	struct buf *uid = &t->uids[t->uids[0].len > 0], dimension = { 0 };
	struct span text;

	/* One that begins with a hyphen would be taken for an option. */
	if (uid->len > 0 || rec_str(r, UID, &text) != REC_OK || text.n == 0 ||
	    *text.p == '-' || span_eq(text, buf_cstr(&t->uids[0])))
		return;
	for (unsigned i = UNIT; i <= SUBTYPE; i++)
		if (rec_get(r, i) != NULL)
			buf_printf(&dimension, "%.*s\n",
			    SPAN_ARG(rec_get(r, i)->token));
	if (uid == &t->uids[0])
		buf_add(&t->dimension, dimension.data, dimension.len);
	if (span_compare(buf_span(&dimension), buf_span(&t->dimension)) == 0)
		buf_add(uid, text.p, text.n);
	buf_release(&dimension);
}

static void
count_record(struct tally *t, const struct rec *r)
{
	const struct field *deps = rec_get(r, DEPS),
	    *format = rec_get(r, FORMAT);
	size_t i = 0;

	if (boundary_note(&t->boundaries, r))
		return;
	while (i < N_RECORD_TYPES && !rec_is(r, record_types[i].name))
		i++;
	(*(i < N_RECORD_TYPES ? &t->counts[i] : &t->n_other))++;
	if (rec_is(r, "sample"))
		note_uid(t, r);
	t->has_deps |= deps != NULL && deps->n_items > 0;
	if (rec_is(r, "build") && format != NULL)
		snprintf(t->format, sizeof t->format, "%.*s",
		    SPAN_ARG(format->text));
}

static void
count_line(struct tally *t, struct recio *io, struct span line)
{
	const char *why;
	const struct rec *r = recio_parse(io, line, &why);

	t->n_lines++;
	if (r == NULL || rec_get(r, KEY_TYPE) == NULL)
		t->n_bad++;
	else
		count_record(t, r);
}

uint64_t
tally_useful(const struct tally *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < N_RECORD_TYPES; i++)
		n += t->counts[i];
	return n;
}

/* A process that runs the command with a shell; -1 if there is none. */
static pid_t
start(const char *command, int in, int out, int err)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* A process that writes the text to a descriptor; -1 if there is none. */
static pid_t
start_writer(struct span text, int out, int unused)
{
	pid_t pid = fork();
	ssize_t n;

	if (pid != 0)
		return pid;
	close(unused);
	while (text.n > 0 && (n = write(out, text.p, text.n)) > 0)
		text = span_of(text.p + n, text.n - (size_t)n);
	_exit(0);
}

/*
 * The first line of a file of messages, without the name of its program, and
 * with "line" for the name of standard input.
 */
static void
first_message(FILE *messages, struct buf *why)
{
	char line[512] = "", *text = line, *colon;

	rewind(messages);
	if (fgets(line, sizeof line, messages) == NULL)
		return;
	line[strcspn(line, "\n")] = '\0';
	if ((colon = strstr(line, ": ")) != NULL)
		text = colon + 2;
	if (strncmp(text, "<stdin>:", 8) == 0) {
		buf_str(why, "line ");
		text += 8;
	}
	report_text(why, span_str(text));
}

void
tally_run(struct tally *t, const char *command, struct span text)
{
	struct recio *io = recio_new(tally_keys);
	int to[2], from[2], status;
	FILE *messages = tmpfile();
	pid_t writer, reader;
	struct input out;
	struct line line;

	if (messages == NULL || pipe2(to, O_CLOEXEC) != 0 ||
	    pipe2(from, O_CLOEXEC) != 0)
		die_errno("cannot run '%s'", command);
	writer = start_writer(text, to[1], to[0]);
	reader = start(command, to[0], from[1], fileno(messages));
	close(to[0]);
	close(to[1]);
	close(from[1]);
	if (writer < 0 || reader < 0)
		die_errno("cannot run '%s'", command);

	input_init(&out, NULL, 0);
	out.opened = from[0];
	input_next_file(&out);
	while (input_line(&out, LINE_MAX_BYTES, &line))
		count_line(t, io, span_of(line.p, line.len));
	input_release(&out);
	waitpid(writer, &status, 0);
	waitpid(reader, &status, 0);
	first_message(messages, &t->why);
	fclose(messages);
	recio_free(io);
}

bool
tally_stream(struct tally *t, struct span text, bool is_whole)
{
	struct recio *io = recio_new(tally_keys);
	const char *p = text.p, *end = p + text.n, *newline;

	for (; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (newline == NULL && !is_whole)
			break;
		if (newline == NULL)
			newline = end;
		if (newline > p)
			count_line(t, io, span_of(p, (size_t)(newline - p)));
		if (t->n_lines == 1 && t->n_bad == 1)
			break;
	}
	recio_free(io);
	return t->n_bad < t->n_lines;
}

void
tally_release(struct tally *t)
{
	buf_release(&t->why);
	buf_release(&t->uids[0]);
	buf_release(&t->uids[1]);
	buf_release(&t->dimension);
}
