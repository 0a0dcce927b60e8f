#ifndef WEIR_FD_H
#define WEIR_FD_H

/* Closes a descriptor, without a check, and preserves errno. */
void fd_close(int fd);

#endif
