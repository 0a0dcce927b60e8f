/* tree - a program to be measured: numbers in a binary tree */

#include <stdio.h>
#include <stdlib.h>

struct tree {
	struct tree *left, *right;
	int value;
};

static struct tree *
insert(struct tree *t, int value)
{
	if (t == NULL) {
		t = calloc(1, sizeof *t);
		t->value = value;
	} else if (value < t->value) {
		t->left = insert(t->left, value);
	} else {
		t->right = insert(t->right, value);
	}
	return t;
}

static long
sum(const struct tree *t)
{
	return t == NULL ? 0 : sum(t->left) + t->value + sum(t->right);
}

int
main(void)
{
	struct tree *t = NULL;

	for (int i = 0; i < 1000; i++)
		t = insert(t, i * 7919 % 1009);
	printf("%ld\n", sum(t));
	return 0;
}
