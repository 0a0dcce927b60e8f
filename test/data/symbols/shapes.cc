#include <vector>

namespace shapes {

struct shape {
	virtual ~shape() {}
	virtual double area() const = 0;
};

template <typename T>
struct square : shape {
	T side;
	explicit square(T s) : side(s) {}
	double area() const override { return double(side) * double(side); }
};

template <typename T>
T
sum(const std::vector<T> &values)
{
	T all{};

	for (const auto &v : values)
		all += v;
	return all;
}

namespace detail {

struct census {
	std::vector<std::vector<int>> by_length;
	int add(const char *name, int n);
};

int
census::add(const char *name, int n)
{
	unsigned length = __builtin_strlen(name);

	if (by_length.size() <= length)
		by_length.resize(length + 1);
	by_length[length].push_back(n);
	return sum(by_length[length]);
}

}
}

int
operator+(const shapes::shape &a, const shapes::shape &b)
{
	return int(a.area() + b.area());
}

int
main(int argc, char **argv)
{
	shapes::detail::census all;
	shapes::square<int> a(argc);
	shapes::square<long> b(3);
	int n = 0;

	for (int i = 0; i < argc; i++)
		n += all.add(argv[i], i);
	return (n + (a + b)) & 1;
}
