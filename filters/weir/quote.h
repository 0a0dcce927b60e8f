#pragma once

struct buf;

/*
 * Adds the name of a file, or another text, as an argument for sh: as it is, in
 * quotation marks or, if it has control characters, as a command that prints
 * it.  One that begins with a hyphen gets ./ before it.
 */
void quote_for_shell(struct buf *, const char *name);
