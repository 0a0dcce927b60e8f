#ifndef MAKE_RECORD_SIMPLE_H
#define MAKE_RECORD_SIMPLE_H

/*
 * make runs a recipe line without a shell if its shell is /bin/sh and the line
 * is simple: no character that is special to a shell, no built-in command and
 * no assignment.  The result is not always the same (echo of the shell may
 * differ from /bin/echo, and so does the message for a missing command), so
 * make-record has to do what make does.
 *
 * Returns the words of such a line, ended by NULL, or NULL if the line needs
 * the shell.  They live until exit.
 */
char **simple_words(const char *line);

#endif
