#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Appends the text that a MAL literal denotes: without the quotes around it, if
 * it has any, and with each escape replaced by its character.  An octal escape
 * denotes a byte, so the result may not be UTF-8.
 */
void literal_decode(struct buf *, struct span literal);

/*
 * Whether the SQL front end seems to have put a backslash before each single
 * quote and backslash of a text, and perhaps before each double quote.
 * LITERAL_UNDECIDED: the text has no quote after a backslash, no other single
 * quote, and only pairs of backslashes.
 */
enum literal_escaped { LITERAL_RAW, LITERAL_ESCAPED, LITERAL_UNDECIDED };
enum literal_escaped literal_detect_escapes(struct span text);

/* Removes the backslashes that the SQL front end has put into a text. */
void literal_unescape(struct buf *text);
