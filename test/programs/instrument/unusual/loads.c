/*
 * loads - loads libraries, which are plugin.c, in the way of its first argument
 *
 * The others are the libraries.  Each is closed before the next is loaded, and
 * often gets the addresses of the previous one.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int
main(int argc, char **argv)
{
	void *library = NULL;
	int (*work)(int);
	int flags = RTLD_NOW;

	if (strcmp(argv[1], "deepbind") == 0)
		flags |= RTLD_DEEPBIND;
	for (int i = 2; i < argc; i++) {
		if (library != NULL)
			dlclose(library);
		library = strcmp(argv[1], "namespace") == 0 ?
		    dlmopen(LM_ID_NEWLM, argv[i], flags) :
		    dlopen(argv[i], flags);
		work = (int (*)(int))dlsym(library, "plugin_work");
		printf("%d\n", work(10));
	}
	return argc == 2;
}
