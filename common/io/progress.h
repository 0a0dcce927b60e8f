#pragma once

struct input;

/*
 * Show a line on standard error: bytes read, the rate and, if the sizes of the
 * inputs are known, the time left.  progress_show() is called after each read,
 * and redraws the line a few times a second; progress_end() replaces it by the
 * total.
 */
void progress_show(const struct input *);
void progress_end(const struct input *);
