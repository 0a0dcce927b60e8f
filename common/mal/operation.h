#pragma once

#include "common/base/intern.h"

/*
 * Interns the name of an operation as MAL, MonetDB's language for query plans,
 * writes it, such as "algebra.join", and returns its symbol.  An assignment,
 * return or end has neither a module nor a function: it is an "assignment".
 */
sym mal_operation(struct intern *, struct span module, struct span function);
