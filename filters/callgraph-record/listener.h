#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "instrument/layout.h"

/*
 * The listening socket, in the namespace of abstract sockets: it needs no
 * directory, is reached after chroot(), and disappears with this process, even
 * if that is killed.
 */
struct listener {
	int fd;			/* -1: closed */
	uint64_t number;	/* see layout.h */
	char name[SOCKET_NAME_LEN + 1];
};
void listener_open(struct listener *, uint64_t flags);
void listener_close(struct listener *);

/* Has this process inherited the number from the program? */
bool listener_is_descendant(const struct listener *, pid_t);
