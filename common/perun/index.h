#ifndef WEIR_INDEX_H
#define WEIR_INDEX_H

#include "common/perun/perun.h"

/*
 * Loads and parses the index of a version, and decides what its strings mean
 * (layout.h); if some remain undecided, that is a warning.  An absent index
 * becomes an empty one of layout 0.  The texts of the index are borrowed from
 * bytes.  The caller releases the index, even after an error.  STORE_FAILED if
 * it is malformed or not a regular file: why is then a NUL-terminated message
 * with the file and what is wrong.  If the index is malformed, the message also
 * has the offset of the first wrong byte, and the index has the entries before
 * that byte.
 */
enum store_found index_read(struct perun *,
    const unsigned char *version, struct buf *bytes, struct pidx *,
    struct buf *why);

/*
 * Sets why to the message for the index of a version: what pidx_parse() found
 * to be malformed or, if error is NULL, that it is not a regular file.
 */
void index_explain_error(const struct store *,
    const unsigned char *version, const struct pidx_error *error,
    struct buf *why);

#endif
