/* git-commit - parses the text of git's commit objects */

#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/git-commit.h"
#include "common/vcs/git-repo.h"
#include "common/vcs/git.h"

/*
 * libgit2 can parse commits, but makes a dozen allocations for each and rejects
 * those with a malformed author or time.  Old histories have such commits; git
 * shows them, and this parser accepts them.
 */

static struct span
skip(struct span s, size_t n)
{
	return span_of(s.p + n, s.n - n);
}

/*
 * Removes from the front of rest a line that consists of the key and an id,
 * whose digits are not checked.  False if rest does not begin with such a line.
 */
static bool
take_id_line(struct span *rest, const char *key)
{
	size_t n = strlen(key) + VCS_ID_LEN + 1;

	if (rest->n < n || !span_begins_with(*rest, key) ||
	    rest->p[n - 1] != '\n')
		return false;
	*rest = skip(*rest, n);
	return true;
}

/* Removes a line from the front of rest; returns it without its newline. */
static struct span
take_line(struct span *rest)
{
	const char *end = memchr(rest->p, '\n', rest->n);
	struct span line = *rest;

	if (end != NULL)
		line.n = (size_t)(end - rest->p);
	*rest = skip(*rest, line.n + (end != NULL));
	return line;
}

/* Sets the value if the line is the first one that begins with the key. */
static void
set_value(struct span line, const char *key, struct span *value)
{
	if (value->p == NULL && span_begins_with(line, key))
		*value = skip(line, strlen(key));
}

/*
 * Parses the lines that become fields, and ignores all others, such as a
 * signature with its continuation lines.
 */
static bool
parse_fields(struct span rest, struct gitvcs_fields *f)
{
	struct span line;

	*f = (struct gitvcs_fields){ 0 };
	if (!take_id_line(&rest, "tree "))
		return false;
	f->parents = span_of(rest.p, 0);
	while (take_id_line(&rest, "parent "))
		f->parents.n += GIT_PARENT_LINE_BYTES;
	while (rest.n > 0 && (line = take_line(&rest)).n > 0) {
		set_value(line, "author ", &f->author);
		set_value(line, "committer ", &f->committer);
		set_value(line, "encoding ", &f->encoding);
	}
	f->message = rest;
	return true;
}

static struct span
object_text(git_odb_object *object)
{
	return span_of(git_odb_object_data(object),
	    git_odb_object_size(object));
}

bool
gitvcs_parse_fields(struct vcs *v, git_odb_object *object,
    struct gitvcs_fields *f)
{
	struct vcs_id hex;

	if (!parse_fields(object_text(object), f)) {
		gitvcs_format_id(&hex, git_odb_object_id(object));
		return vcs_fail(v, "commit %s is malformed", hex.hex);
	}
	if (gitvcs_is_shallow(v->state, git_odb_object_id(object)))
		f->parents.n = 0;
	return true;
}

/*
 * Splits "NAME <EMAIL> TIME ZONE" at the first '<' and the '>' that follows it,
 * as git does.  The email is empty if there is no '>'; both are if there is no
 * '<'.
 */
static void
parse_person(struct span person, struct span *name, struct span *email)
{
	const char *open, *close;

	*name = *email = span_of(person.p, 0);
	if (person.n == 0 || (open = memchr(person.p, '<', person.n)) == NULL)
		return;
	name->n = (size_t)(open - person.p);
	while (name->n > 0 && text_is_space(name->p[name->n - 1]))
		name->n--;
	*email = skip(person, (size_t)(open + 1 - person.p));
	close = memchr(email->p, '>', email->n);
	email->n = close != NULL ? (size_t)(close - email->p) : 0;
}

/*
 * Finds the time and the zone of a person: they follow the last '>'.  What is
 * missing is empty.
 */
static void
split_time(struct span person, struct span *time, struct span *zone)
{
	size_t at = person.n;

	while (at > 0 && person.p[at - 1] != '>')
		at--;
	*time = at > 0 ? skip(person, at) : span_of(NULL, 0);
	while (time->n > 0 && text_is_space(*time->p))
		*time = skip(*time, 1);
	at = 0;
	while (at < time->n && !text_is_space(time->p[at]))
		at++;
	*zone = skip(*time, at < time->n ? at + 1 : at);
	time->n = at;
}

/* Records cannot represent integers of 2^53 or more (json/rec.h). */
int64_t
gitvcs_person_time(struct span person)
{
	struct span text, zone;
	int64_t time;

	split_time(person, &text, &zone);
	if (!text_i64(text, &time) || time < 0 || time >= INT64_C(1) << 53)
		return INT_UNKNOWN;
	return time;
}

/* The time zone, such as "+0530", in minutes, or INT_UNKNOWN. */
static int64_t
person_offset(struct span person)
{
	struct span text, zone;
	int64_t value;

	split_time(person, &text, &zone);
	if (zone.n != 5 || (*zone.p != '+' && *zone.p != '-') ||
	    !text_i64(skip(zone, 1), &value) || value < 0)
		return INT_UNKNOWN;
	value = value / 100 * 60 + value % 100;
	return *zone.p == '-' ? -value : value;
}

/*
 * Opens the recoder for an encoding, unless it is the last one that was tried;
 * false if iconv does not know the encoding.  A '/' in the name would pass
 * options to iconv, so it is rejected.
 */
static bool
open_recoder(struct gitvcs *g, struct span encoding)
{
	char name[sizeof g->recoder_encoding];	/* with a NUL */

	if (encoding.n == 0 || encoding.n >= sizeof name ||
	    memchr(encoding.p, '/', encoding.n) != NULL ||
	    memchr(encoding.p, '\0', encoding.n) != NULL)
		return false;
	memcpy(name, encoding.p, encoding.n);
	name[encoding.n] = '\0';
	if (strcmp(name, g->recoder_encoding) == 0)
		return g->recoder != (iconv_t)-1;
	if (g->recoder != (iconv_t)-1)
		iconv_close(g->recoder);
	strcpy(g->recoder_encoding, name);
	g->recoder = iconv_open("UTF-8", name);
	if (g->recoder == (iconv_t)-1 && err_is_failure(errno))
		die_errno("cannot convert from '%s'", name);
	return g->recoder != (iconv_t)-1;
}

/*
 * Appends the converted text to g->text or, if from is NULL, the bytes that
 * iconv has kept back.  Each turn of the loop makes progress, because it has
 * space for at least 64 bytes, more than any character takes.
 */
static bool
append_converted(struct gitvcs *g, char *from, size_t from_bytes)
{
	size_t to_bytes, result;
	char *to;

	do {
		buf_need(&g->text, from_bytes + 64);
		to = g->text.data + g->text.len;
		to_bytes = g->text.cap - g->text.len;
		result = iconv(g->recoder, from != NULL ? &from : NULL,
		    &from_bytes, &to, &to_bytes);
		g->text.len = (size_t)(to - g->text.data);
	} while (result == (size_t)-1 && errno == E2BIG);
	return result != (size_t)-1;
}

/*
 * Converts the text of a commit from the encoding that it names, and sets the
 * fields to those of the converted text.  The fields are unchanged if the
 * encoding is unknown or the text is not valid in it.
 */
static void
convert_to_utf8(struct gitvcs *g, struct span text, struct gitvcs_fields *f)
{
	struct gitvcs_fields converted;

	if (!open_recoder(g, f->encoding))
		return;
	g->text.len = 0;
	iconv(g->recoder, NULL, NULL, NULL, NULL);
	if (append_converted(g, (char *)(uintptr_t)text.p, text.n) &&
	    append_converted(g, NULL, 0) &&
	    parse_fields(buf_span(&g->text), &converted))
		*f = converted;
}

bool
gitvcs_parse_version(struct vcs *v, git_odb_object *object,
    struct vcs_version *version)
{
	struct gitvcs *g = v->state;
	struct gitvcs_fields f;
	const char *line;
	size_t n;

	git_odb_object_free(g->object);
	g->object = object;
	if (!gitvcs_parse_fields(v, object, &f))
		return false;
	gitvcs_format_id(&version->id, git_odb_object_id(object));

	n = f.parents.n / GIT_PARENT_LINE_BYTES;
	g->parents = mem_grow(g->parents, &g->parents_cap, n,
	    sizeof *g->parents);
	line = f.parents.p;
	for (size_t i = 0; i < n; i++, line += GIT_PARENT_LINE_BYTES) {
		memcpy(g->parents[i].hex, line + sizeof "parent " - 1,
		    VCS_ID_LEN);
		g->parents[i].hex[VCS_ID_LEN] = '\0';
	}
	version->parents = g->parents;
	version->n_parents = n;

	version->time_s = gitvcs_person_time(f.committer);
	version->utc_offset_minutes = person_offset(f.committer);
	version->author_time_s = gitvcs_person_time(f.author);
	convert_to_utf8(g, object_text(object), &f);
	parse_person(f.author, &version->author, &version->email);
	version->message = f.message;
	return true;
}
