#include <stdio.h>

#include "calc.h"

int
main(void)
{
	printf("%d\n", add(square(3), square(4)));
	return 0;
}
