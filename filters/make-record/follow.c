/* follow - loads the library that records into the programs that run make */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* eaccess */
#endif

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filters/make-record/follow.h"

static const char preload[] = "LD_PRELOAD=";
static const char variable[] = FOLLOW_VARIABLE "=";

/* The header of this library or program, which the linker defines. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool
follow_parse(struct follow *follow, const char *value)
{
	int n = 0;

	return sscanf(value, "%lld %79s %255s%n", &follow->offset_us,
	    follow->id, follow->directory, &n) == 3 && value[n] == '\0';
}

/* --- programs --- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* Whether the name is that of a make, such as gmake, remake or make-4.4. */
static bool
is_make(const char *path)
{
	const char *name = base_name(path);

	return ends_with(name, "make") || strstr(name, "make-") != NULL;
}

/* Whether a text, such as "make -B; make test", runs a make. */
static bool
runs_make(const char *text)
{
	const char *end = text;

	while ((end = strstr(end, "make")) != NULL) {
		end += strlen("make");
		if (strchr(" \t\n;&|()<>'\"`\\", *end) != NULL)
			return true;
	}
	return false;
}

/* Reads the first bytes of a file that gains no rights; returns how many. */
static size_t
read_head(const char *path, char *head, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_mode & (S_ISUID | S_ISGID)) == 0)
		n = read(fd, head, size - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* Splits "#!/usr/bin/env bash" in place; false if it is not of this form. */
static bool
split_script(char *head, char **interpreter, char **argument)
{
	char *save;

	if (head[0] != '#' || head[1] != '!')
		return false;
	head[2 + strcspn(head + 2, "\n")] = '\0';
	*interpreter = strtok_r(head + 2, " \t", &save);
	*argument = *interpreter != NULL ? strtok_r(NULL, " \t", &save) : NULL;
	return *interpreter != NULL;
}

bool
follow_leads_to_make(const char *path, char *const argv[])
{
	char head[256], *interpreter, *argument;

	if (is_make(path) || ends_with(base_name(path), "sh"))
		return true;
	for (size_t i = 1; argv[0] != NULL && argv[i] != NULL; i++)
		if (is_make(argv[i]) || runs_make(argv[i]))
			return true;
	return read_head(path, head, sizeof head) > 0 &&
	    split_script(head, &interpreter, &argument) &&
	    (ends_with(interpreter, "sh") ||
	    (argument != NULL && ends_with(argument, "sh")));
}

/* Whether a program is loaded by the loader of glibc, for this machine. */
static bool
is_dynamic(const char *head, size_t n)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	const char *loader;
	size_t at;

	if (n < sizeof header)
		return false;
	memcpy(&header, head, sizeof header);
	if (memcmp(header.e_ident, __ehdr_start.e_ident, EI_OSABI) != 0 ||
	    header.e_machine != __ehdr_start.e_machine)
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		at = header.e_phoff + i * sizeof segment;
		if (at > n || n - at < sizeof segment)
			return false;
		memcpy(&segment, head + at, sizeof segment);
		if (segment.p_type != PT_INTERP)
			continue;
		loader = head + segment.p_offset;
		return segment.p_offset < n && memchr(loader, '\0',
		    n - segment.p_offset) != NULL &&
		    strncmp(base_name(loader), "ld-linux", 8) == 0;
	}
	return false;
}

bool
follow_can_load(const struct follow *follow, const char *path)
{
	char head[4096], library[FOLLOW_PATH_MAX + sizeof FOLLOW_LIBRARY];
	char *interpreter, *argument;
	size_t n = read_head(path, head, sizeof head);

	/* A script whose interpreter is a script is not followed. */
	if (n > 0 && split_script(head, &interpreter, &argument)) {
		char copy[256];

		snprintf(copy, sizeof copy, "%s", interpreter);
		n = read_head(copy, head, sizeof head);
	}
	if (!is_dynamic(head, n))
		return false;
	snprintf(library, sizeof library, "%s" FOLLOW_LIBRARY,
	    follow->directory);
	return eaccess(library, R_OK) == 0;
}

/* --- environments --- */

/* The index of a variable, "NAME=", or of the NULL at the end. */
static size_t
find_variable(char *const envp[], const char *name)
{
	size_t i = 0;

	while (envp[i] != NULL && strncmp(envp[i], name, strlen(name)) != 0)
		i++;
	return i;
}

size_t
follow_count(char *const envp[])
{
	size_t n = 0;

	while (envp[n] != NULL)
		n++;
	return n + 3;
}

size_t
follow_size(const struct follow *follow, char *const envp[])
{
	const char *old = envp[find_variable(envp, preload)];

	return (old != NULL ? strlen(old) : sizeof preload) + sizeof variable +
	    2 * strlen(follow->directory) + sizeof FOLLOW_LIBRARY +
	    FOLLOW_ID_MAX + 32;
}

void
follow_extend(const struct follow *follow, const char *id, char *const envp[],
    char **to, char *text)
{
	size_t n = follow_count(envp) - 3, at = find_variable(envp, preload);

	memcpy(to, envp, n * sizeof *to);
	to[at] = text;
	text += 1 + sprintf(text, "%s%s%s" FOLLOW_LIBRARY,
	    at < n ? envp[at] : preload, at < n ? ":" : "", follow->directory);
	if (at == n)
		n++;
	to[n] = text;
	to[n + 1] = NULL;
	sprintf(text, "%s%lld %s %s", variable, follow->offset_us, id,
	    follow->directory);
}

static void
remove_at(char **envp, size_t i)
{
	for (; envp[i] != NULL; i++)
		envp[i] = envp[i + 1];
}

void
follow_remove(const struct follow *follow, char **envp)
{
	size_t at = find_variable(envp, preload), n;
	char *library;

	if (envp[at] != NULL) {
		n = strlen(follow->directory);
		library = strstr(envp[at], follow->directory);
		if (library == envp[at] + sizeof preload - 1 &&
		    strcmp(library + n, FOLLOW_LIBRARY) == 0)
			remove_at(envp, at);
		else if (library != NULL && library[-1] == ':')
			library[-1] = '\0';
	}
	remove_at(envp, find_variable(envp, variable));
}
