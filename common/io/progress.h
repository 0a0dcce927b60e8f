#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

struct input;

/*
 * A line on standard error, redrawn a few times a second: bytes read, the rate
 * and, if the sizes of the inputs are known, the time left.  progress_show() is
 * called after each read; progress_end() replaces the line by the total.
 */
void progress_show(const struct input *);
void progress_end(const struct input *);

#endif
