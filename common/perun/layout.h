#pragma once

#include "common/filter/opt.h"
#include "common/perun/perun.h"

/*
 * Which layout (enum pidx_layout) the entries of an index have, and new ones
 * get.  The bytes of an index show whether it has five strings or six.  The
 * meaning of six is decided by the object of the entry, whose header has the
 * same values; so these functions read objects, but only for six strings.
 */

/* The names for --index-version, from PIDX_1 on; they end with NULL. */
extern const char *const layout_names[];

/* The layout that the option names, or 0 without it. */
enum pidx_layout layout_of_option(const struct opt_word *);

/*
 * Parses an index, as pidx_parse() does, also if it has five strings and other
 * bytes follow, if the objects of the entries have these strings.
 */
bool layout_parse(const struct store *, struct pidx *, struct span bytes,
    struct pidx_error *);

/*
 * Decides what the strings of the entries of an index mean, and sets the layout
 * of the index to that of new entries.  An entry whose object does not decide
 * is assumed to be like the others of the index, those of other indexes, or
 * what the settings suggest, in this order, and marked so; if none of them
 * decides, the entry remains undecided.
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

/*
 * Loads and parses the index of a version.  An absent index becomes an empty
 * one of layout 0.  The texts of the index are borrowed from bytes.  The caller
 * releases the index, even after an error.  STORE_FAILED if it is malformed or
 * not a regular file: why is then a NUL-terminated message with the file and
 * what is wrong.  If the index is malformed, the message also has the offset of
 * the first wrong byte, and the index has the entries before that byte.
 */
enum store_found layout_load_index(const struct store *,
    const unsigned char *version, struct buf *bytes, struct pidx *,
    struct buf *why);

/*
 * The same, and decides what the strings of the index mean; if some remain
 * undecided, that is a warning.
 */
enum store_found layout_read_index(struct perun *,
    const unsigned char *version, struct buf *bytes, struct pidx *,
    struct buf *why);
