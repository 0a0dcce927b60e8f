#ifndef WEIR_LAYOUT_H
#define WEIR_LAYOUT_H

#include "common/perun/perun.h"

/*
 * Which of the layouts of an index (enum pidx_layout) entries have, and new
 * ones get.  Five strings or six can be told from the bytes.  What six strings
 * mean only the object of the entry tells, whose header has the same values; so
 * these functions read objects, but only for entries of six strings.
 */

/* The names of the layouts, as of --index-version: "1", "2args" and so on. */
const char *layout_name(enum pidx_layout);

/* Finds the layout of this name; false if there is none. */
bool layout_of_name(const char *name, enum pidx_layout *);

/*
 * Decides what the strings of the entries of an index mean, and sets the layout
 * of the index to that of new entries.  An entry whose object does not tell is
 * assumed to be like the others of the index, those of other indexes, or what
 * the settings suggest, in this order, and marked so; if none of them tells,
 * the entry remains undecided.
 */
void layout_decide(struct perun *, struct pidx *);

/*
 * The layout that entries get which are added to an index: that of the index
 * or, if it is absent or has no entries, wanted.  Reads no more objects than it
 * takes to decide that.
 */
enum pidx_layout layout_for_adding(struct perun *, const struct pidx *,
    enum pidx_layout wanted);

/*
 * The layout of new indexes: that of the setting weir.index_version, else that
 * of the newest index of the store, else today's, PIDX_2_LABEL.  Dies if the
 * setting names no layout.
 */
enum pidx_layout layout_for_new_index(struct perun *);

#endif
