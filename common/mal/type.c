/* type - the MAL types that have a fixed type_id */

#include "common/mal/type.h"

const struct mal_type mal_types[N_MAL_TYPES] = {
	{ "bit", 1, 0 }, { "bte", 1, 0 }, { "sht", 2, 0 }, { "int", 4, 0 },
	{ "lng", 8, 0 }, { "hge", 16, 0 }, { "oid", 8, 0 }, { "flt", 4, 0 },
	{ "dbl", 8, 0 }, { "str", -1, 0 }, { "date", -1, 0 },
	{ "void", 0, 0 }, { "BAT", 0, 0 },
	{ "bat[:bit]", 1, 1 }, { "bat[:bte]", 1, 2 }, { "bat[:sht]", 2, 3 },
	{ "bat[:int]", 4, 4 }, { "bat[:lng]", 8, 5 }, { "bat[:hge]", 16, 6 },
	{ "bat[:oid]", 8, 7 }, { "bat[:flt]", 4, 8 }, { "bat[:dbl]", 8, 9 },
	{ "bat[:str]", -1, 10 }, { "bat[:date]", -1, 11 },
};
