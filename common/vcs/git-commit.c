/* vcs-git-commit - what stands in a commit of git */

#include <errno.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/num.h"
#include "common/vcs/git.h"

/*
 * libgit2 can take a commit apart as well, at the price of a dozen pieces of
 * memory each, and refuses those whose author or time is not well formed.  Old
 * histories have such commits, git shows them, and so does this.
 */

static struct span
rest_of(struct span s, size_t n)
{
	return span_of(s.p + n, s.n - n);
}

static bool
begins(struct span s, const char *word)
{
	size_t n = strlen(word);

	return s.n >= n && memcmp(s.p, word, n) == 0;
}

/* Takes "KEY 40 digits\n" from the beginning of rest. */
static bool
take_id_line(struct span *rest, const char *key)
{
	size_t n = strlen(key) + VCS_ID_LEN + 1;

	if (rest->n < n || !begins(*rest, key) || rest->p[n - 1] != '\n')
		return false;
	*rest = rest_of(*rest, n);
	return true;
}

static struct span
take_line(struct span *rest)
{
	const char *end = memchr(rest->p, '\n', rest->n);
	struct span line = *rest;

	if (end != NULL)
		line.n = (size_t)(end - rest->p);
	*rest = rest_of(*rest, line.n + (end != NULL));
	return line;
}

/* The value of a line that begins with the key, unless there is one. */
static void
keep_value(struct span line, const char *key, struct span *value)
{
	if (value->p == NULL && begins(line, key))
		*value = rest_of(line, strlen(key));
}

/* Other lines, and those that go on a signature, are passed over. */
static bool
read_fields(struct span rest, struct gitvcs_fields *f)
{
	struct span line;

	*f = (struct gitvcs_fields){ 0 };
	if (!take_id_line(&rest, "tree "))
		return false;
	f->parents = span_of(rest.p, 0);
	while (take_id_line(&rest, "parent "))
		f->parents.n += GIT_PARENT_LINE;
	while (rest.n > 0 && (line = take_line(&rest)).n > 0) {
		keep_value(line, "author ", &f->author);
		keep_value(line, "committer ", &f->committer);
		keep_value(line, "encoding ", &f->encoding);
	}
	f->message = rest;
	return true;
}

static struct span
text_of(git_odb_object *object)
{
	return span_of(git_odb_object_data(object),
	    git_odb_object_size(object));
}

bool
gitvcs_fields_of(struct vcs *v, git_odb_object *object, struct gitvcs_fields *f)
{
	struct vcs_id hex;

	if (!read_fields(text_of(object), f)) {
		gitvcs_id(&hex, git_odb_object_id(object));
		return vcs_fail(v, "commit %s is malformed", hex.hex);
	}
	if (gitvcs_is_shallow(v->own, git_odb_object_id(object)))
		f->parents.n = 0;
	return true;
}

/* "NAME <EMAIL> TIME ZONE": the email ends at the first '>' behind it. */
static void
read_person(struct span person, struct span *name, struct span *email)
{
	const char *open, *close;

	*name = *email = span_of(person.p, 0);
	if (person.n == 0 || (open = memchr(person.p, '<', person.n)) == NULL)
		return;
	name->n = (size_t)(open - person.p);
	while (name->n > 0 && text_is_space(name->p[name->n - 1]))
		name->n--;
	*email = rest_of(person, (size_t)(open + 1 - person.p));
	close = memchr(email->p, '>', email->n);
	email->n = close != NULL ? (size_t)(close - email->p) : 0;
}

/* What stands behind the last '>', cut at the space. */
static void
split_time(struct span person, struct span *time, struct span *zone)
{
	size_t at = person.n;

	while (at > 0 && person.p[at - 1] != '>')
		at--;
	*time = at > 0 ? rest_of(person, at) : span_of(NULL, 0);
	while (time->n > 0 && text_is_space(*time->p))
		*time = rest_of(*time, 1);
	at = 0;
	while (at < time->n && !text_is_space(time->p[at]))
		at++;
	*zone = rest_of(*time, at < time->n ? at + 1 : at);
	time->n = at;
}

int64_t
gitvcs_time(struct span person)
{
	struct span text, zone;
	int64_t time;

	split_time(person, &text, &zone);
	if (!text_i64(text, &time) || time < 0 || time >= INT64_C(1) << 53)
		return INT_UNKNOWN;
	return time;
}

/* "+0530" in minutes. */
static int64_t
offset_of(struct span person)
{
	struct span text, zone;
	int64_t value;

	split_time(person, &text, &zone);
	if (zone.n != 5 || (*zone.p != '+' && *zone.p != '-') ||
	    !text_i64(rest_of(zone, 1), &value) || value < 0)
		return INT_UNKNOWN;
	value = value / 100 * 60 + value % 100;
	return *zone.p == '-' ? -value : value;
}

static bool
same_word(struct span s, const char *word)
{
	size_t i = 0;

	while (i < s.n && word[i] != '\0' && (s.p[i] | 0x20) == word[i])
		i++;
	return i == s.n && word[i] == '\0';
}

/* Names of encodings hold no '/', by which iconv would be given options. */
static bool
open_recoder(struct gitvcs *g, struct span encoding)
{
	char name[sizeof g->recoded];

	if (encoding.n == 0 || encoding.n >= sizeof name ||
	    memchr(encoding.p, '/', encoding.n) != NULL ||
	    memchr(encoding.p, '\0', encoding.n) != NULL)
		return false;
	memcpy(name, encoding.p, encoding.n);
	name[encoding.n] = '\0';
	if (strcmp(name, g->recoded) == 0)
		return g->recoder != (iconv_t)-1;
	if (g->recoder != (iconv_t)-1)
		iconv_close(g->recoder);
	strcpy(g->recoded, name);
	g->recoder = iconv_open("UTF-8", name);
	return g->recoder != (iconv_t)-1;
}

/* Adds what iconv makes of the text; of NULL, what it has kept back. */
static bool
add_recoded(struct gitvcs *g, char *from, size_t left)
{
	size_t room, result;
	char *to;

	do {
		buf_need(&g->text, left + 64);
		to = g->text.data + g->text.len;
		room = g->text.cap - g->text.len;
		result = iconv(g->recoder, from != NULL ? &from : NULL, &left,
		    &to, &room);
		g->text.len = (size_t)(to - g->text.data);
	} while (result == (size_t)-1 && errno == E2BIG);
	return result != (size_t)-1;
}

/* The whole text as UTF-8 in g->text; false if it is not what it says. */
static bool
recode(struct gitvcs *g, struct span text)
{
	g->text.len = 0;
	iconv(g->recoder, NULL, NULL, NULL, NULL);
	return add_recoded(g, (char *)(uintptr_t)text.p, text.n) &&
	    add_recoded(g, NULL, 0);
}

/* As UTF-8 where the commit says what it is and it is so. */
static void
decode(struct gitvcs *g, struct span text, struct gitvcs_fields *f)
{
	struct gitvcs_fields decoded;

	if (f->encoding.n == 0 || same_word(f->encoding, "utf-8") ||
	    same_word(f->encoding, "utf8"))
		return;
	if (open_recoder(g, f->encoding) && recode(g, text) &&
	    read_fields(buf_span(&g->text), &decoded))
		*f = decoded;
}

static void
set_parents(struct gitvcs *g, struct span lines, struct vcs_version *version)
{
	size_t n = lines.n / GIT_PARENT_LINE;
	const char *line = lines.p;

	g->parents = mem_grow(g->parents, &g->parents_cap, n,
	    sizeof *g->parents);
	for (size_t i = 0; i < n; i++, line += GIT_PARENT_LINE) {
		memcpy(g->parents[i].hex, line + sizeof "parent " - 1,
		    VCS_ID_LEN);
		g->parents[i].hex[VCS_ID_LEN] = '\0';
	}
	version->parents = g->parents;
	version->n_parents = n;
}

bool
gitvcs_version(struct vcs *v, git_odb_object *object,
    struct vcs_version *version)
{
	struct gitvcs *g = v->own;
	struct gitvcs_fields f;

	git_odb_object_free(g->object);
	g->object = object;
	if (!gitvcs_fields_of(v, object, &f))
		return false;
	gitvcs_id(&version->id, git_odb_object_id(object));
	set_parents(g, f.parents, version);
	version->time_s = gitvcs_time(f.committer);
	version->utc_offset_minutes = offset_of(f.committer);
	version->author_time_s = gitvcs_time(f.author);
	decode(g, text_of(object), &f);
	read_person(f.author, &version->author, &version->email);
	version->message = f.message;
	return true;
}
