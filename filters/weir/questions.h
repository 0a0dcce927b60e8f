#pragma once

#include <stddef.h>

struct buf;
struct file;

/*
 * Writes the usual questions about the files, each with the pipeline that
 * answers it, and what is still missing for some.
 */
void questions_write(struct buf *, const struct file *, size_t n);
