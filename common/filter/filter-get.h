#pragma once

#include "common/base/num.h"
#include "common/filter/filter-reject.h"

/*
 * Getters for the value of a declared key (rec.h) of the record that is being
 * processed.  If it has another kind, or is absent where one is needed, they
 * reject the record, with the key and the rule, and return false.  An absent
 * text is NULL, an absent number INT_UNKNOWN, and absent strings are 0 strings.
 *
 * They are inline because some filters call them ten times for each record.
 */

static inline bool
filter_get_str(struct filter *f, const struct rec *r, unsigned key,
    struct span *text)
{
	*text = span_of(NULL, 0);
	if (rec_str(r, key, text) != REC_BAD)
		return true;
	filter_reject_value(f, r, key, REC_BAD, "a string");
	return false;
}

static inline bool
filter_need_str(struct filter *f, const struct rec *r, unsigned key,
    struct span *text)
{
	enum rec_found found = rec_str(r, key, text);

	if (found == REC_OK)
		return true;
	filter_reject_value(f, r, key, found, "a string");
	return false;
}

static inline bool
filter_get_int(struct filter *f, const struct rec *r, unsigned key,
    int64_t *value)
{
	*value = INT_UNKNOWN;
	if (rec_int(r, key, value) != REC_BAD)
		return true;
	filter_reject_value(f, r, key, REC_BAD, "an integer below 2^53");
	return false;
}

static inline bool
filter_need_int(struct filter *f, const struct rec *r, unsigned key,
    int64_t *value)
{
	enum rec_found found = rec_int(r, key, value);

	if (found == REC_OK)
		return true;
	filter_reject_value(f, r, key, found, "an integer below 2^53");
	return false;
}

static inline bool
filter_get_strings(struct filter *f, const struct rec *r, unsigned key,
    const struct span **items, size_t *n)
{
	*n = 0;
	if (rec_strings(r, key, items, n) != REC_BAD)
		return true;
	filter_reject_value(f, r, key, REC_BAD, "an array of strings");
	return false;
}
