#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Reads the MAL text of an instruction, as servers since 2012 have written it:
 *	(X_1=<tmp_7>[3]:bat[:oid], X_2=[0]:bat[:oid]) := algebra.join(X_3:BAT);
 *	barrier X_9=false:bit := language.dataflow(); #[2] (0) MALstartDataflow
 */
struct mal_text {
	struct span module, operation;	/* empty for assignments */
	int64_t pc;		/* from the comment, or INT_UNKNOWN */
	bool is_whole;		/* the text has its final semicolon */
};

/*
 * The spans are parts of the text.  If `variables` is not NULL, the results and
 * arguments replace its contents, as a JSON array of objects with keys of
 * event.h.  Constants have no name.  An operand that the server or mclient has
 * truncated is left out.
 */
void mal_read(struct mal_text *, struct span text, struct buf *variables);
