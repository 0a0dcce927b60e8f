#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

struct input;

/*
 * One line on standard error, drawn over itself a few times a second: bytes
 * read, the rate and, where the sizes are known, the time left.
 */
void progress_show(const struct input *);
void progress_end(const struct input *);

#endif
