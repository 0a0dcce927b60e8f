#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Adds the text of a query in a form that does not depend on its constants, so
 * that two runs of a query with different constants have the same text:
 *
 *	SELECT a FROM "T" -- why		select a from "T" where
 *	  WHERE b IN (1, 2) AND c < -0.5;	b in (?) and c < ?
 *
 * A number or string becomes ?, and a list of them a single one; white space
 * and comments become one space, and what is not quoted lower case.  As in
 * MonetDB, a backslash in a string escapes the character after it, unless the
 * string has the prefix r.
 */
void query_fingerprint(struct buf *, struct span text);
