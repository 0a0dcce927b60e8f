/* workspace - a private directory with shells for make, and the log */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/io/cleanup.h"
#include "filters/make-record/shell.h"
#include "filters/make-record/workspace.h"

static const char *const directories[] = { "", "/bin", "/usr", "/usr/bin",
    "/usr/local", "/usr/local/bin" };
/* make has this list of shells, too: it parses .ONESHELL recipes for them. */
static const char *const shells[] = { "sh", "bash", "dash", "ksh", "rksh",
    "zsh", "ash" };
enum {
	N_DIRECTORIES = sizeof directories / sizeof *directories,
	N_SHELLS = sizeof shells / sizeof *shells
};

/*
 * What each make reads before its makefiles; @ is the private directory, and
 * lines are joined.  make expands GNUMAKEFLAGS once more when it has read all
 * makefiles, and so calls the hook, which finds SHELL and .SHELLFLAGS as the
 * makefiles have set them.  It replaces SHELL by the link of the same name, if
 * there is one, and puts the target and its prerequisites in front of
 * .SHELLFLAGS.  A target's own SHELL or .SHELLFLAGS stays as it is: then its
 * recipe is not recorded.  A name with a quote cannot be passed.  In POSIX mode
 * make chooses the flags by itself, unless somebody sets them: there SHELL
 * consists of several words.  make exports a SHELL of the command line if the
 * environment has none (-weir-unset), and never its default.
 */
static const char rules[] =
    "ifndef -weir-hook\n"
    "$(file >>@/" SHELL_LOG ",!make)\n"
    "-weir-ok = $(if $(filter automatic,$(origin @)),"
	"$(if $(findstring ',$@$^$|),,1))\n"
    "-weir-word = $(patsubst %,'%',$(wordlist 1,9999,$1))\n"
    "-weir-mark = $(if $(-weir-ok),'weir:$@' $(call -weir-word,$^) '|' "
	"$(call -weir-word,$|) 'weir.')\n"
    "-weir-bare = $(if $(findstring \\,$@$^$|),,$(if $(-weir-ok),"
	" weir:$@ $(wordlist 1,9999,$^) | $(wordlist 1,9999,$|) weir.))\n"
    "-weir-link = $(if $(word 2,$(SHELL)),,"
	"$(wildcard @/$(patsubst /%,%,$(SHELL))))\n"
    "-weir-wrap = $(eval -weir-flags = $(value .SHELLFLAGS))"
	"$(eval override SHELL := $(-weir-link))"
	"$(eval override .SHELLFLAGS = $$(if $$(filter @/%,$$(SHELL)),"
	"$$(-weir-mark) )$$(-weir-flags))\n"
    "-weir-posix = $(eval -weir-shell := $(-weir-link))"
	"$(eval override SHELL = $$(-weir-shell)$$(-weir-bare))\n"
    "-weir-export = $(if $(filter default,$(origin SHELL)),unexport SHELL,"
	"$(if $(filter command,$(origin SHELL)),$(-weir-unset)))\n"
    "-weir-hook = $(eval override GNUMAKEFLAGS :=)$(eval $(-weir-export))"
	"$(if $(-weir-link),$(if $(filter default-ec,$(origin .SHELLFLAGS)"
	"$(value .SHELLFLAGS)),$(-weir-posix),$(-weir-wrap)),"
	"$(file >>@/" SHELL_LOG ",!shell $(SHELL)))\n"
    "override GNUMAKEFLAGS = $(-weir-hook)\n"
    "@/rules: ;\n"
    ".DEFAULT_GOAL :=\n"
    "endif\n";

/* Global, because remove_workspace() also runs at exit or on a signal. */
static struct workspace *volatile open_workspace;

static void
remove_workspace(void)
{
	char path[160];
	size_t n;

	if (open_workspace == NULL)
		return;
	n = strlen(open_workspace->directory);
	unlink(open_workspace->log);
	unlink(open_workspace->rules);
	/* Only functions that a signal handler may call. */
	for (size_t i = N_DIRECTORIES; i-- > 0;) {
		memcpy(path, open_workspace->directory, n);
		memcpy(path + n, directories[i], strlen(directories[i]) + 1);
		for (size_t k = 0; k < N_SHELLS; k++) {
			size_t end = n + strlen(directories[i]);

			path[end] = '/';
			memcpy(path + end + 1, shells[k],
			    strlen(shells[k]) + 1);
			unlink(path);
			path[end] = '\0';
		}
		rmdir(path);
	}
	open_workspace = NULL;
}

/* Creates the directories and links, or exits. */
static void
create_links(const struct workspace *w)
{
	char program[4096], path[160];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

	if (n < 0)
		die_errno("cannot read '/proc/self/exe'");
	program[n] = '\0';
	for (size_t i = 0; i < N_DIRECTORIES; i++) {
		snprintf(path, sizeof path, "%s%s", w->directory,
		    directories[i]);
		if (i > 0 && mkdir(path, 0700) != 0)
			die_errno("cannot create '%s'", path);
		for (size_t k = 0; k < N_SHELLS; k++) {
			snprintf(path, sizeof path, "%s%s/%s", w->directory,
			    directories[i], shells[k]);
			if (symlink(program, path) != 0)
				die_errno("cannot create '%s'", path);
		}
	}
}

static void
write_file(const char *path, struct span text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n ||
	    close(fd) != 0)
		die_errno("cannot write '%s'", path);
}

static void
write_rules(const struct workspace *w)
{
	struct buf b = { 0 };

	for (const char *p = rules; *p != '\0'; p++) {
		/* "@/" only: make's own $@ is never before a slash. */
		if (p[0] == '@' && p[1] == '/')
			buf_str(&b, w->directory);
		else
			buf_char(&b, *p);
	}
	if (getenv("SHELL") == NULL)
		buf_str(&b, "-weir-unset = export SHELL\n");
	write_file(w->rules, buf_span(&b));
	buf_release(&b);
}

/*
 * Whether make can read the path in MAKEFLAGS and in a rule, and whether a
 * shell can read it without quotes.
 */
static bool
is_simple(const char *path)
{
	return path[0] == '/' && path[strspn(path, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")] == '\0';
}

static void
create_directory(struct workspace *w)
{
	const char *parents[] = { getenv("TMPDIR"), "/tmp" };

	for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
		/* 20: the name and its NUL, with some to spare. */
		if (parents[i] == NULL || !is_simple(parents[i]) ||
		    strlen(parents[i]) > sizeof w->directory - 20)
			continue;
		snprintf(w->directory, sizeof w->directory,
		    "%s/" SHELL_DIRECTORY "XXXXXX", parents[i]);
		if (mkdtemp(w->directory) != NULL)
			return;
	}
	die_errno("cannot create a directory in '/tmp'");
}

void
workspace_open(struct workspace *w)
{
	cleanup_add(remove_workspace);
	cleanup_block_signals();
	create_directory(w);
	snprintf(w->log, sizeof w->log, "%s/" SHELL_LOG, w->directory);
	snprintf(w->rules, sizeof w->rules, "%s/rules", w->directory);
	open_workspace = w;
	cleanup_unblock_signals();
	create_links(w);
	write_rules(w);
	write_file(w->log, span_of("", 0));
}

void
workspace_set_environment(const struct workspace *w)
{
	const char *level = getenv("MAKELEVEL"), *flags = getenv("MAKEFLAGS");
	struct buf b = { 0 };
	size_t first;

	buf_str(&b, level != NULL ? level : "0");
	buf_char(&b, ':');
	setenv(SHELL_VARIABLE, buf_cstr(&b), 1);
	b.len = 0;
	/*
	 * The first word of MAKEFLAGS may be letters without a dash, and has to
	 * stay the first; variables may be last.
	 */
	if (flags == NULL)
		flags = "";
	flags += strspn(flags, " ");
	first = strcspn(flags, " ");
	if (flags[0] == '-' || memchr(flags, '=', first) != NULL)
		first = 0;
	buf_add(&b, flags, first);
	buf_printf(&b, " --eval=include\\ %s", w->rules);
	if (flags[first] != '\0' && flags[first] != ' ')
		buf_char(&b, ' ');
	buf_str(&b, flags + first);
	setenv("MAKEFLAGS", buf_cstr(&b), 1);
	buf_release(&b);
}

void
workspace_close(void)
{
	remove_workspace();
}
