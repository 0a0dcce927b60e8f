#pragma once

#include <stddef.h>

/*
 * The path of a program, as execvp(3) finds it; NULL if there is none.  buffer
 * has room for size bytes.
 */
const char *command_find(const char *program, char *buffer, size_t size);
