// Functions whose code GCC describes below types: lambdas, and members of local
// classes and unions.  Some of these types are below functions without code.

extern "C" int puts(const char *);

static volatile int zero;

static inline int
once(int x)
{
	if (x > 3)
		puts("x");
	return x + zero;
}

typedef int (*function)(int);

static inline function
pick()
{
	return [](int x) { return once(x) * 3; };
}

template <typename F>
__attribute__((noinline)) int
apply(F f, int x)
{
	return f(x) + f(x + 1);
}

struct base {
	virtual int value(int x) const = 0;
	virtual ~base() {}
};

static inline base *
make()
{
	struct local : base {
		int value(int x) const override { return once(x + 2) * 5; }
	};
	return new local;
}

static inline function
nested()
{
	union outer {
		class inner {
		public:
			__attribute__((noinline)) static int
			value(int x)
			{
				return once(x) + once(x * 7);
			}
		};
	};
	return outer::inner::value;
}

int
main(int argc, char **)
{
	volatile function picked = pick(), inner = nested();
	base *volatile made = make();
	int n = apply([&](int x) { return once(x) + argc; }, argc);

	return (n + picked(argc) + inner(argc) + made->value(argc)) & 1;
}
