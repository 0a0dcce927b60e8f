/* bytes - strings and memory, without the C library */

#include "instrument/bytes.h"
#include "instrument/instrument.h"

size_t
bytes_length(const char *s)
{
	size_t n = 0;

	while (s[n] != '\0')
		n++;
	return n;
}

bool
bytes_equal(const char *a, const char *b)
{
	while (*a == *b && *a != '\0') {
		a++;
		b++;
	}
	return *a == *b;
}

void
bytes_move_down(char *to, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

bool
bytes_copy_string(char *to, const char *from, size_t size)
{
	size_t n = 0;

	for (; n < size - 1 && from[n] != '\0'; n++)
		to[n] = from[n];
	to[n] = '\0';
	return from[n] == '\0';
}
