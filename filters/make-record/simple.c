/* simple - splits recipe lines that make runs without a shell into words */

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "filters/make-record/simple.h"

/* The characters and commands for which make 4.3 runs a shell. */
static const char special[] = "#;\"*?[]&|<>(){}$`^~!";
static const char *const commands[] = { ".", ":", "alias", "bg", "break",
    "case", "cd", "command", "continue", "eval", "exec", "exit", "export", "fc",
    "fg", "for", "getopts", "hash", "if", "jobs", "login", "logout", "read",
    "readonly", "return", "set", "shift", "test", "times", "trap", "type",
    "ulimit", "umask", "unalias", "unset", "wait", "while" };

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
needs_shell(const char *command)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (strcmp(command, commands[i]) == 0)
			return true;
	return false;
}

/*
 * Copies what is between single quotes, of which p is the first, to *to.
 * Returns the closing quote, or NULL if there is none.
 */
static const char *
copy_quoted(const char *p, char **to)
{
	const char *end = strchr(p + 1, '\'');
	size_t n;

	if (end == NULL)
		return NULL;
	n = (size_t)(end - p - 1);
	memcpy(*to, p + 1, n);
	*to += n;
	return end;
}

/*
 * Handles the backslash at p.  Returns the last character that belongs to it.
 * A backslash and a newline vanish, with the blanks after them if they are
 * between words.
 */
static const char *
copy_escaped(const char *p, bool is_in_word, char **to)
{
	if (p[1] == '\0')
		return p;
	p++;
	if (*p != '\n') {
		*(*to)++ = *p;
		return p;
	}
	while (!is_in_word && is_blank(p[1]))
		p++;
	return p;
}

/*
 * Copies the word at p to *to, with a NUL after it.  Returns the end of the
 * word, or NULL if the line needs a shell.  An = is special in leading words.
 */
static const char *
copy_word(const char *p, bool is_first, char **to, bool *is_empty)
{
	const char *start = *to;
	bool was_quoted = false;

	for (; *p != '\0' && !is_blank(*p); p++) {
		if (strchr(special, *p) != NULL || *p == '\n' ||
		    (is_first && *p == '='))
			return NULL;
		if (*p == '\'') {
			p = copy_quoted(p, to);
			was_quoted = true;
			if (p == NULL)
				return NULL;
		} else if (*p == '\\') {
			p = copy_escaped(p, *to > start, to);
		} else {
			*(*to)++ = *p;
		}
	}
	*is_empty = *to == start && !was_quoted;
	*(*to)++ = '\0';
	return p;
}

char **
simple_words(const char *line)
{
	size_t n = strlen(line), n_words = 0;
	char **words = mem_resize(NULL, n + 2, sizeof *words);
	char *text = mem_alloc(n + 2), *to = text;
	const char *p = line;
	bool is_empty;

	for (;;) {
		while (is_blank(*p))
			p++;
		if (*p == '\0')
			break;
		words[n_words] = to;
		p = copy_word(p, n_words == 0, &to, &is_empty);
		if (p == NULL)
			break;
		if (!is_empty)
			n_words++;
	}
	words[n_words] = NULL;
	if (p != NULL && n_words > 0 && words[0][0] != '\0' &&
	    !needs_shell(words[0]))
		return words;
	free(text);
	free(words);
	return NULL;
}
