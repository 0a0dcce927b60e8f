#pragma once

#include "common/base/text.h"

struct buf;
struct pictures;

/* For how many tasks of a build pictures_add() should keep the texts. */
enum { PAGE_TASKS_MAX = 50000 };

/*
 * Writes a page of HTML that shows the pictures: an SVG element, which the
 * caller has written, and for each build the critical path, the longest tasks
 * and the data for a script, which draws the tasks in place of the SVG so that
 * they can be zoomed and searched.  The page loads nothing, and its content
 * security policy allows no other script.
 *
 * The data takes at most about 1 MB: if there are too many tasks, those on the
 * path, those that failed and the longest are listed, and the others are merged
 * with their neighbors.  An SVG of more than 800 kB is left out, so the page
 * has less than 2 MB.
 */
void page_put(struct buf *, const struct pictures *, struct span svg);
