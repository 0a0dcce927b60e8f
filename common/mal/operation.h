#ifndef WEIR_MAL_OPERATION_H
#define WEIR_MAL_OPERATION_H

#include "common/base/intern.h"

/*
 * Interns the name of an operation as MAL writes it, such as "algebra.join".
 * Both parts are empty for assignments, whose name is ".".
 */
sym mal_operation(struct intern *, struct span module, struct span function);

#endif
