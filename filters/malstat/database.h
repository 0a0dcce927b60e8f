#pragma once

#include "filters/malstat/executions.h"

/* Adds all rows of a database that malload filled. */
void trace_read_database(struct trace *, struct filter *, const char *path);
