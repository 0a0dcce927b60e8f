#pragma once

#include "common/base/buf.h"
#include "common/base/text.h"

/*
 * Writes text as the content of an XML or HTML element, or of an attribute in
 * double quotes.  What text_escape() escapes is shown as it writes it, so that
 * no character is forbidden in XML and none reverses the direction of writing.
 */
void xml_text(struct buf *, struct span);
