int add(int, int);
int square(int);
