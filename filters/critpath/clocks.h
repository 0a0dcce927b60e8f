#pragma once

#include "common/build/network.h"

struct buf;
struct filter;

/*
 * Write which hosts' clocks disagree with those of others, and by how much;
 * weir-critical-path(7), "Clocks", says how that is estimated.  Nothing if none
 * is found.
 */
void clocks_report(struct buf *, const struct network *);
void clocks_emit(const struct network *, struct filter *);
