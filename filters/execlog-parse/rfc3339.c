/* rfc3339 - reads the times that logs in JSON have as text */

#include "common/json/rec.h"
#include "filters/execlog-parse/rfc3339.h"

enum { S_PER_MINUTE = 60, S_PER_HOUR = 3600, S_PER_DAY = 86400 };

/* Moves text past its first n characters, which must be digits. */
static bool
take_number(struct span *text, unsigned n, int64_t *value)
{
	*value = 0;
	if (text->n < n)
		return false;
	for (; n > 0; n--, text->p++, text->n--) {
		if (!text_is_digit(*text->p))
			return false;
		*value = *value * 10 + (*text->p - '0');
	}
	return true;
}

/* Moves text past its first character, which must be one of a set. */
static bool
take_char(struct span *text, const char *set)
{
	if (text->n == 0 || *text->p == '\0' || strchr(set, *text->p) == NULL)
		return false;
	text->p++;
	text->n--;
	return true;
}

/*
 * Days from 1970-01-01 to a date of the Gregorian calendar.  Years begin in
 * March here, so that a leap day is the last day of its year.
 */
static int64_t
days_since_1970(int64_t year, int64_t month, int64_t day)
{
	int64_t months = (month + 9) % 12;	/* since March */

	year += 400 - (month <= 2);
	return year * 365 + year / 4 - year / 100 + year / 400 +
	    (months * 153 + 2) / 5 + day - 1 - 865565;
}

static bool
is_date(int64_t year, int64_t month, int64_t day)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month >= 1 && month <= 12 && day >= 1 &&
	    day <= days[month - 1] + (month == 2 && is_leap);
}

static bool
take_date(struct span *text, int64_t *s)
{
	int64_t year, month, day;

	if (!take_number(text, 4, &year) || !take_char(text, "-") ||
	    !take_number(text, 2, &month) || !take_char(text, "-") ||
	    !take_number(text, 2, &day) || !is_date(year, month, day))
		return false;
	*s = days_since_1970(year, month, day) * S_PER_DAY;
	return true;
}

static bool
take_clock(struct span *text, int64_t *s)
{
	int64_t hour, minute, second;

	if (!take_number(text, 2, &hour) || !take_char(text, ":") ||
	    !take_number(text, 2, &minute) || !take_char(text, ":") ||
	    !take_number(text, 2, &second))
		return false;
	*s = hour * S_PER_HOUR + minute * S_PER_MINUTE + second;
	/* Second 60 is a leap second. */
	return hour < 24 && minute < 60 && second <= 60;
}

static bool
take_fraction(struct span *text, int64_t *us)
{
	int64_t digit, unit_us = 100000;
	size_t n;

	*us = 0;
	if (!take_char(text, "."))
		return true;
	for (n = 0; take_number(text, 1, &digit); n++, unit_us /= 10)
		*us += digit * unit_us;
	return n > 0;
}

/* Reads the zone, seconds to the east of UTC, which ends the text. */
static bool
read_zone(struct span text, int64_t *s)
{
	bool is_west = text.n > 0 && *text.p == '-';
	int64_t hour, minute;

	*s = 0;
	if (text.n == 0)
		return true;
	if (take_char(&text, "Zz"))
		return text.n == 0;
	if (!take_char(&text, "+-") || !take_number(&text, 2, &hour) ||
	    !take_char(&text, ":") || !take_number(&text, 2, &minute))
		return false;
	*s = hour * S_PER_HOUR + minute * S_PER_MINUTE;
	if (is_west)
		*s = -*s;
	return hour < 24 && minute < 60 && text.n == 0;
}

bool
read_rfc3339_us(struct span text, int64_t *us)
{
	const int64_t max = (INT64_C(1) << REC_INT_BITS) - 1;
	int64_t date_s, clock_s, fraction_us, zone_s, value;

	if (!take_date(&text, &date_s) || !take_char(&text, "Tt ") ||
	    !take_clock(&text, &clock_s) ||
	    !take_fraction(&text, &fraction_us) || !read_zone(text, &zone_s))
		return false;
	value = (date_s + clock_s - zone_s) * 1000000 + fraction_us;
	if (value < -max || value > max)
		return false;
	*us = value;
	return true;
}
