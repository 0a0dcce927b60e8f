#ifndef PROFILE_MAKE_KEYS_H
#define PROFILE_MAKE_KEYS_H

#include "common/json/rec.h"

/* The declared keys (rec.h): indexes in records_keys. */
#define RECORDS_KEYS(K)							\
	K(STAT, "stat") K(RUN, "run") K(ID, "id") K(NAME, "name")	\
	K(TARGET, "target") K(KIND, "kind") K(RULE, "rule")		\
	K(UID, "uid") K(PREPARE, "prepare") K(START_US, "start_us")	\
	K(END_US, "end_us") K(ELAPSED_US, "elapsed_us")			\
	K(POTENTIAL_US, "potential_us") K(WALL_US, "wall_us")		\
	K(LENGTH_US, "length_us") K(PATH, "path") K(BY, "by")		\
	K(VALUE, "value") K(WORK_US, "work_us") K(PATH_US, "path_us")	\
	K(FORMAT, "format") K(OPERATION, "operation")			\
	K(SELF_US, "self_us") K(QUERY_TEXT, "query_text")		\
	K(USER_FUNCTION, "user_function") K(MODULE, "module")		\
	K(FUNCTION, "function") K(FILE_NAME, "file")			\
	K(SELF_NS_KEY, "self_ns") K(SAMPLES_KEY, "samples")		\
	K(CALLS_KEY, "calls") K(FAILED_US, "failed_us")			\
	K(TEST_US, "test_us") K(USER_US, "user_us")			\
	K(SYSTEM_US, "system_us") K(MAX_RSS_BYTES, "max_rss_bytes")	\
	K(PROGRAM, "program") K(UNIT, "unit")				\
	K(RESOURCE_TYPE, "resource_type") K(SUBTYPE, "subtype")		\
	K(CMD, "cmd") K(WORKLOAD, "workload") K(MACHINE, "machine")	\
	K(MINOR_VERSION, "minor_version") K(ORIGIN, "origin")		\
	K(HEADER, "header") K(PROFILE, "profile") K(QUERY, "query")	\
	K(EXACT, "exact")
KEY_INDEXES(RECORDS_KEYS);
extern const char *const records_keys[];

#endif
