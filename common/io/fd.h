#ifndef WEIR_FD_H
#define WEIR_FD_H

/* Closes a descriptor, ignores errors, and preserves errno. */
void fd_close(int fd);

#endif
