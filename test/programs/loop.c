/*
 * loop - a fixed amount of work, to which test/instructions.sh compares that of
 * the filters: hashes a block of bytes again and again
 */

#include <stdint.h>
#include <stdio.h>

int
main(void)
{
	static unsigned char block[1000];
	uint32_t hash = 2166136261;

	for (int round = 0; round < 1000; round++)
		for (unsigned i = 0; i < sizeof block; i++) {
			hash = (hash ^ block[i]) * 16777619;
			block[i] = (unsigned char)(hash >> 24);
		}
	printf("%u\n", (unsigned)hash);
	return 0;
}
