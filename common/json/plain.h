#pragma once

#include <stddef.h>

#include "common/json/rec.h"

/*
 * Reads the record with which the text begins, whatever follows it, if it has
 * the plain form, the subset of JSON in which nearly all records are written:
 * an object that is not empty and only a few levels deep, without null, without
 * escapes in its strings, and without white space other than spaces.  Returns
 * its length, or 0 if the text begins with anything else, valid JSON or not:
 * the caller then leaves it to yajl (recio.h).
 */
size_t plain_read(struct rec *, struct span text);
