#pragma once

#include <stdbool.h>

struct follow;

/*
 * Creates the private directory with the library and an empty log, and puts it
 * into the struct.  False after a message if it cannot.  This process removes
 * the directory when it ends by workspace_remove(), an error or a signal.
 */
bool workspace_create(struct follow *);

void workspace_remove(void);
