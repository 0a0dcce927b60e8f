#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * For small functions that are called for every character, name or edge of a
 * graph.  The compiler by itself would not inline them in a caller that is
 * already large, and the calls cost execlog-parse 10 % of its CPU time.
 */
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* A range of bytes that somebody else owns; not NUL-terminated. */
struct span {
	const char *p;
	size_t n;
};

static inline struct span
span_of(const char *p, size_t n)
{
	return (struct span){ p, n };
}

static inline struct span
span_str(const char *s)
{
	return span_of(s, strlen(s));
}

/* An object as raw bytes.  One that serves as a key must have no padding. */
static inline struct span
span_bytes(const void *p, size_t n)
{
	return span_of(p, n);
}

static inline bool
span_eq(struct span s, const char *word)
{
	/* An empty span may be NULL, which memcmp() does not allow. */
	return s.n == strlen(word) && (s.n == 0 ||
	    memcmp(s.p, word, s.n) == 0);
}

static inline bool
span_begins_with(struct span s, const char *start)
{
	size_t n = strlen(start);

	return s.n >= n && (n == 0 || memcmp(s.p, start, n) == 0);
}

/* The last component of a path. */
static inline struct span
span_base_name(struct span path)
{
	for (size_t i = path.n; i-- > 0;)
		if (path.p[i] == '/')
			return span_of(path.p + i + 1, path.n - i - 1);
	return path;
}

/* In byte order: < 0, 0 or > 0. */
static inline int
span_compare(struct span a, struct span b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* Arguments for "%.*s" in a message; truncates to 80 bytes. */
#define SPAN_ARG(s) (int)((s).n < 80 ? (s).n : 80), (s).p

/*
 * The length of the UTF-8 character at p, and its code point in *code; 0 if the
 * n bytes do not begin with a valid one (RFC 3629: no overlong form, no
 * surrogate, nothing above U+10FFFF).
 */
size_t utf8_char(const char *p, size_t n, uint32_t *code);
bool utf8_valid(const char *p, size_t n);

/*
 * Eight bytes in a word, for SIMD within a register.  TEXT_BYTES() has c in
 * each byte.  TEXT_ZEROS() has the top bit set in the lowest byte that is 0 in
 * x, and in no byte below it; its other bits mean nothing.  The lowest byte of
 * a word is the first in memory if LITTLE_ENDIAN_BYTES.
 */
#define TEXT_BYTES(c) (UINT64_C(0x0101010101010101) * (c))
#define TEXT_ZEROS(x) (((x) - TEXT_BYTES(1)) & ~(x))
#define LITTLE_ENDIAN_BYTES (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/*
 * Which of the TEXT_BLOCK bytes at p are equal to c: a bit for each, the lowest
 * for the first.  For each byte that is NUL or not ASCII, its bit is set in
 * *special (without SSE2, bit 0 instead).  Other bits of *special do not
 * change.
 */
enum { TEXT_BLOCK = 16 };

static inline unsigned
text_match_mask(const char *p, char c, unsigned *special)
{
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const void *)p);

	*special |= (unsigned)_mm_movemask_epi8(_mm_or_si128(v,
	    _mm_cmpeq_epi8(v, _mm_setzero_si128())));
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v,
	    _mm_set1_epi8(c)));
#else
	unsigned found = 0;

	for (unsigned i = 0; i < TEXT_BLOCK; i++) {
		found |= (unsigned)(p[i] == c) << i;
		*special |= (signed char)p[i] <= 0;
	}
	return found;
#endif
}

/*
 * Whether c is an ASCII character that JSON strings may contain unescaped:
 * neither a control character below 0x20 nor a quote nor a backslash.
 */
static ALWAYS_INLINE bool
text_needs_no_escape(char c)
{
	return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

/*
 * Finds the first of the TEXT_BLOCK bytes at p that fails
 * text_needs_no_escape(): the index of the lowest bit that is set in the result
 * is the index of that byte.  Higher bits mean nothing; 0 if all bytes pass.
 */
static ALWAYS_INLINE unsigned
text_escape_mask(const char *p)
{
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const void *)p);
	/* As signed bytes, those from 0x80 on are negative, so below 0x20. */
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(
	    _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)), _mm_or_si128(
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')))));
#else
	unsigned i = 0;

	while (i < TEXT_BLOCK && text_needs_no_escape(p[i]))
		i++;
	return i < TEXT_BLOCK ? 1U << i : 0;
#endif
}

/*
 * How many of the n bytes at p precede the first that fails
 * text_needs_no_escape(); n if none fails.  SSE2 examines whole blocks; the
 * remaining bytes, or all bytes without SSE2, are examined in words of eight.
 * In a word a borrow may set the top bit of a byte that passes, but only above
 * a byte that fails: the lowest top bit that is set belongs to the first
 * failure.
 */
static ALWAYS_INLINE size_t
text_unescaped_length(const char *p, size_t n)
{
	uint64_t word, found;
	size_t i = 0;

#ifdef __SSE2__
	for (unsigned mask; n - i >= TEXT_BLOCK; i += TEXT_BLOCK)
		if ((mask = text_escape_mask(p + i)) != 0)
			return i + (size_t)__builtin_ctz(mask);
#endif
	for (; n - i >= sizeof word; i += sizeof word) {
		memcpy(&word, p + i, sizeof word);
		found = (word | (word - TEXT_BYTES(0x20)) |
		    TEXT_ZEROS(word ^ TEXT_BYTES('"')) |
		    TEXT_ZEROS(word ^ TEXT_BYTES('\\'))) & TEXT_BYTES(0x80);
		if (found == 0)
			continue;
		if (!LITTLE_ENDIAN_BYTES)
			break;
		return i + (size_t)__builtin_ctzll(found) / 8;
	}
	while (i < n && text_needs_no_escape(p[i]))
		i++;
	return i;
}

/*
 * The value of eight decimal digits.  Each byte is a digit, a number from 0 to
 * 9, with the first digit in the lowest byte.  Combines the digits into pairs,
 * one in every second byte, and adds the pairs with the weights 10^6, 10^4, 100
 * and 1: each of the two products has the weighted sum of two pairs in its
 * upper half (SIMD within a register).
 */
static inline uint32_t
text_eight_value(uint64_t digits)
{
	digits = digits * 10 + (digits >> 8);
	return (uint32_t)(((digits & 0xff000000ff) *
	    (100 + (UINT64_C(1000000) << 32)) +
	    (digits >> 16 & 0xff000000ff) * (1 + (UINT64_C(10000) << 32))) >>
	    32);
}

/*
 * Loads eight characters for text_eight_value().  In *bad, the lowest bit that
 * is set belongs to the byte of the first character that is not a digit; *bad
 * is 0 if all are digits.
 */
static inline uint64_t
text_load_eight(const char *p, uint64_t *bad)
{
	uint64_t w;

	memcpy(&w, p, 8);
	/*
	 * The first term sets the top bit of bytes above '9', as 0x46 + '9' is
	 * 0x7f; the second sets that of bytes below '0'; for bytes that are not
	 * ASCII, at least one of the two terms sets it.  Carries and borrows
	 * only affect higher bytes.
	 */
	*bad = ((w + TEXT_BYTES(0x46)) | (w - TEXT_BYTES('0'))) &
	    TEXT_BYTES(0x80);
	return w - TEXT_BYTES('0');
}

extern const uint32_t text_powers_of_ten[9];	/* 10^0 to 10^8 */

static inline bool
text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The same as isspace() in the C locale. */
static inline bool
text_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * Reads the digits at p and returns their end: p if there are none.  The caller
 * sets *value to 0; it becomes the value of the digits if there are at most 19.
 */
static ALWAYS_INLINE const char *
text_digits(const char *p, const char *end, uint64_t *value)
{
	uint64_t digits, bad;
	unsigned n;

	while (LITTLE_ENDIAN_BYTES && end - p >= 8 && text_is_digit(*p)) {
		digits = text_load_eight(p, &bad);
		n = bad == 0 ? 8 : (unsigned)__builtin_ctzll(bad) / 8;
		/* The shift adds leading zeros; n > 0, as *p is a digit. */
		*value = *value * text_powers_of_ten[n] +
		    text_eight_value(digits << (64 - 8 * n));
		p += n;
		if (n < 8)
			return p;
	}
	for (; p < end && text_is_digit(*p); p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return p;
}

/*
 * Copies text in a form that is safe to show on a terminal: C0 and C1 controls,
 * DEL, line separators, bidirectional controls, byte order marks and bytes that
 * are not UTF-8 become \xNN or \u{N}.  Writes at most size bytes including a
 * NUL, and truncates only between characters; returns the length without the
 * NUL.
 */
size_t text_escape(char *to, size_t size, const char *from, size_t n);

/* A text without the blanks at its beginning and end. */
struct span text_trim(struct span);

/* The first bytes of a text, at most n, in whole characters. */
struct span text_prefix(struct span, size_t n);

/* How many bytes both texts begin with, in whole characters. */
size_t text_common_prefix(struct span, struct span);

/*
 * Orders texts in which numbers differ: "host-2" is before "host-10".  Texts
 * that are equal in this order are ordered by their bytes.
 */
int text_compare_numbers(struct span, struct span);

/*
 * How many letters must be added, removed or replaced to make one text the
 * other; SIZE_MAX if one has more than 64 bytes.
 */
size_t text_distance(struct span, struct span);

/*
 * Reads a text that is a decimal number and nothing else; false if it is not
 * one or does not fit.  text_i64() accepts a leading '-'.
 */
bool text_u64(struct span, uint64_t *);
bool text_i64(struct span, int64_t *);
