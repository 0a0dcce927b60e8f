/*
 * intern-floor - a lower bound for the time of reading an execution log of distbuild:
 * splits each line into at most seven fields and interns two of them, with a
 * hash that is not protected against crafted input
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 20, FIELDS_MAX = 7 };

static char buffer[BUFFER_SIZE];
static struct slot {
	uint64_t hash;
	char *text;
} *table;		/* n_slots, a power of two, of which half are free */
static size_t n_slots = 1 << 10, n_strings;

/* Like FNV-1a, but of eight bytes at a time, and with more mixing. */
static uint64_t
hash_of(const char *p, size_t n)
{
	uint64_t h = 1469598103934665603, word;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&word, p + i, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15;
		h ^= h >> 32;
	}
	for (; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 1099511628211;
	return h ^ h >> 29;
}

static struct slot *
find(uint64_t hash, const char *p, size_t n)
{
	size_t i = hash % n_slots;

	for (; table[i].text != NULL; i = (i + 1) % n_slots)
		if (table[i].hash == hash && strncmp(table[i].text, p, n) == 0 &&
		    table[i].text[n] == '\0')
			break;
	return &table[i];
}

static void
grow(void)
{
	struct slot *old = table;
	size_t n_old = n_slots, i, j;

	n_slots *= 2;
	table = calloc(n_slots, sizeof *table);
	for (i = 0; i < n_old; i++) {
		if (old[i].text == NULL)
			continue;
		for (j = old[i].hash % n_slots; table[j].text != NULL;)
			j = (j + 1) % n_slots;
		table[j] = old[i];
	}
	free(old);
}

static void
intern(const char *p, size_t n)
{
	uint64_t hash = hash_of(p, n);
	struct slot *slot = find(hash, p, n);

	if (slot->text != NULL)
		return;
	*slot = (struct slot){ hash, strndup(p, n) };
	if (++n_strings * 2 > n_slots)
		grow();
}

/* Splits a line at spaces; returns the number of fields. */
static size_t
split(const char *p, const char *end)
{
	const char *space;
	size_t n = 0;

	for (; n < FIELDS_MAX; p = space + 1) {
		space = memchr(p, ' ', (size_t)(end - p));
		if (space == NULL)
			space = end;
		/*
		 * Counted from 0, field 2 is usually a node; field 4 is the
		 * node that is copied, if the event is one of a copy.
		 */
		if (n == 2 || n == 4)
			intern(p, (size_t)(space - p));
		n++;
		if (space == end)
			break;
	}
	return n;
}

int
main(void)
{
	size_t n_read = 0, fields = 0;
	const char *p, *newline;
	ssize_t n;

	table = calloc(n_slots, sizeof *table);
	if (table == NULL)
		return 2;
	while ((n = read(0, buffer + n_read, BUFFER_SIZE - n_read)) > 0) {
		n_read += (size_t)n;
		for (p = buffer; (newline = memchr(p, '\n', n_read -
		    (size_t)(p - buffer))) != NULL; p = newline + 1)
			fields += split(p, newline);
		n_read -= (size_t)(p - buffer);
		memmove(buffer, p, n_read);
	}
	printf("%zu fields, %zu strings\n", fields, n_strings);
	return 0;
}
