/*
 * mapped - changes the mappings of a library between dlopen() and the first
 * call
 *
 * Arguments: the library, which is plugin.c, and what to do: see change().
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static void *
map_file(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY);
	void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	close(fd);
	return p;
}

static void
change(const char *how, const char *path, void *function)
{
	char *page = (char *)((uintptr_t)function & ~(uintptr_t)(PAGE - 1));
	void *copy;

	if (strcmp(how, "small") == 0)
		map_file(path, PAGE);
	else if (strcmp(how, "large") == 0)
		map_file(path, 1 << 20);
	else if (strcmp(how, "unlinked") == 0) {
		map_file(path, 1 << 20);
		unlink(path);
	} else if (strcmp(how, "anonymous") == 0) {
		copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		    MAP_ANONYMOUS, -1, 0);
		memcpy(copy, page, PAGE);
		mprotect(copy, PAGE, PROT_READ | PROT_EXEC);
		mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
	} else if (strcmp(how, "split") == 0) {
		mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	}
}

int
main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*work)(int) = (int (*)(int))dlsym(library, "plugin_work");

	if (argc > 2)
		change(argv[2], argv[1], (void *)work);
	printf("%d\n", work(10));
	return 0;
}
