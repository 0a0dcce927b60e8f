# bench-programs.sh - the part of bench.sh for symbols, call graphs with names,
# and the cost of an instrumented call
#
# The addresses are many of one of weir's own C programs, many of a C++ program
# with long names and many levels of inlining, and a single one of a large C++
# library.  The library consists of copies of a few compilation units with
# renamed symbols, which is faster than compiling that many units.

units=4		# units that are compiled for the library and for the program
copies=${COPIES:-40}		# of each unit: the library has 28 MB

# unit N - prints the source of compilation unit N of the library
unit() {
	cat <<-END
	#include <algorithm>
	#include <functional>
	#include <map>
	#include <sstream>
	#include <string>
	#include <vector>
	namespace unit$1 {
	template <typename T, int N> struct box {
	        T v[N];
	        T sum() const { T s{}; for (auto &x : v) s += x; return s; }
	};
	struct table {
	        std::map<std::string, std::vector<int>> rows;
	        int add(const std::string &name, int n);
	};
	int
	table::add(const std::string &name, int n)
	{
	        std::ostringstream text;
	        std::vector<int> list;
	        box<double, $1 + 1> b{};
	        for (int i = 0; i < n; i++)
	                list.push_back(i * $1);
	        std::sort(list.begin(), list.end(), std::greater<int>());
	        rows[name].insert(rows[name].end(), list.begin(), list.end());
	        text << b.sum() << name;
	        return n + int(text.str().size());
	}
	}
	int run$1(int n) { unit$1::table t; return t.add(std::to_string(n), n); }
	END
}

# library FILE - links the library; its code is never run, so symbols may remain
# unresolved
library() {
	local n i
	mkdir -p units
	for ((n = 0; n < units; n++)); do
		unit $n | g++ -O2 -g -fPIC -x c++ - -c -o units/$n.o
		for ((i = 0; i < copies; i++)); do
			objcopy --prefix-symbols="c${i}_" units/$n.o units/$n-$i.o
		done
		rm units/$n.o
	done
	gcc -shared -nostdlib -Wl,--unresolved-symbols=ignore-all \
		-Wl,--build-id -o "$1" units/*.o
	rm -r units
}

# deep_unit N - prints the source of compilation unit N of the C++ program:
# eight functions, each with a type of its own, which inline much of the
# standard library
deep_unit() {
	local i
	cat <<-END
	#include <algorithm>
	#include <functional>
	#include <map>
	#include <numeric>
	#include <set>
	#include <sstream>
	#include <string>
	#include <unordered_map>
	#include <variant>
	#include <vector>
	template <int N> struct key {
	        int a, b;
	        std::string s;
	        bool operator<(const key &o) const {
	                return std::tie(a, b, s) < std::tie(o.a, o.b, o.s);
	        }
	};
	template <typename T> int
	work(int n, const std::string &s)
	{
	        using list = std::vector<T>;
	        list all;
	        std::map<T, std::vector<std::pair<int, std::string>>> lists;
	        std::unordered_map<std::string, T> named;
	        std::set<T> set;
	        std::variant<T, list, std::string> some;
	        std::function<int(const T &)> f;
	        std::ostringstream text;
	        for (int i = 0; i < n; i++) {
	                all.push_back(T{ i % 7, n - i, s + std::to_string(i) });
	                lists[all.back()].emplace_back(i, s);
	                named.emplace(s, all.back());
	                set.insert(all.back());
	        }
	        std::sort(all.begin(), all.end());
	        std::stable_sort(all.begin(), all.end(),
	            [](const T &x, const T &y) { return x.s < y.s; });
	        std::nth_element(all.begin(), all.begin() + n / 2, all.end());
	        std::partial_sort(all.begin(), all.begin() + n / 2, all.end());
	        some = all;
	        f = [n](const T &x) { return x.a + n; };
	        n = std::accumulate(all.begin(), all.end(), 0,
	            [&](int sum, const T &x) { return sum + f(x); });
	        n += std::visit([](const auto &x) { return int(sizeof x); },
	            some);
	        text << n << all.front().s;
	        return n + int(text.str().size() + lists.size() + set.size());
	}
	END
	for ((i = 0; i < 8; i++)); do
		echo "int run$1_$i(int n, const std::string &s)" \
			"{ return work<key<$1 * 100 + $i>>(n, s); }"
	done
}

# deep_program FILE - compiles the C++ program
deep_program() {
	local n
	mkdir -p units
	for ((n = 0; n < units; n++)); do
		deep_unit $n | g++ -std=c++17 -O2 -g -x c++ - -c -o units/$n.o
	done
	echo 'int main() { }' | g++ -x c++ - -x none -o "$1" units/*.o
	rm -r units
}

# addresses FILE UNIQUE COUNT - prints COUNT addresses in functions of FILE, of
# which about UNIQUE differ; the seed is fixed
addresses() {
	python3 -c '
import random, re, subprocess, sys
path, unique, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random.seed(1)
table = subprocess.run(["nm", "-S", path], capture_output=True, text=True)
spans = [(int(a, 16), int(n, 16)) for a, n in re.findall(
    "^([0-9a-f]+) ([0-9a-f]+) [tTwW] ", table.stdout, re.M)]
spans = random.choices(spans, weights=[n for _, n in spans], k=unique)
found = ["0x%x" % random.randrange(a, a + n) for a, n in spans]
print("\n".join(found if count == unique else random.choices(found, k=count)))
' "$@"
}

# record PROGRAM FILE - prints `callgraph` records of up to 100,000 nodes each,
# one node for each address in FILE: node 1 is called by node 0, and each
# further one by the node before it
record() {
	python3 -c '
import json, os, re, subprocess, sys
path = os.path.realpath(sys.argv[1])
id = re.search(r"Build ID: (\w+)", subprocess.run(["readelf", "-nW", path],
    capture_output=True, text=True).stdout)[1]
where = open(sys.argv[2]).read().split()
for at in range(0, len(where), 100000):
    some = where[at:at + 100000]
    print(json.dumps({"type": "callgraph", "program": path, "modules": [{
        "path": path, "base": "0x0", "start": "0x0", "end": "0x7fffffff",
        "build_id": id}], "nodes": [{"parent": max(i - 1, 0), "function": a,
        "call_site": a, "calls": i} if i else {"function": a, "calls": 1}
        for i, a in enumerate(some)]}, separators=(",", ":")))' "$@"
}

[ -e library.so ] || library library.so
[ -e deep ] || deep_program deep
# A copy, because the program changes with the tree
[ -e program ] || cp "${programs[now]}/malparse" program
once many addresses program 5000 200000
once few addresses program 200 200
once deep.many addresses deep 20000 20000
once one addresses library.so 1 1
for name in many few deep.many one; do
	case $name in
	deep*) file=deep ;;
	one) file=library.so ;;
	*) file=program ;;
	esac
	once $name.record record $file $name
done

group 'Symbols and inlined functions'
floor 'simdjson, 200,000 nodes' 'json-floor <many.record'
row 'callgraph-symbolize, 200,000 nodes' 'callgraph-symbolize many.record'
peer 'llvm-symbolizer' 'llvm-symbolizer -f -i -C -e program <many'
floor 'eu-addr2line, 200 addresses' 'eu-addr2line -f -i -C -e program <few'
row 'callgraph-symbolize, 200 nodes' 'callgraph-symbolize few.record'
floor 'llvm-symbolizer, 20,000 of C++' \
	'llvm-symbolizer -f -i -C -e deep <deep.many'
row 'callgraph-symbolize, 20,000 nodes of C++' \
	'callgraph-symbolize deep.many.record'
floor 'eu-addr2line, one of a large library' \
	'eu-addr2line -f -i -C -e library.so <one'
row 'callgraph-symbolize, a node of a large library' \
	'callgraph-symbolize one.record'
row 'callgraph-release of a large library' 'callgraph-release library.so'
peer 'llvm-dwarfdump, its lines' 'llvm-dwarfdump --debug-line library.so'

once named callgraph-symbolize many.record
group '200,000 nodes with names'
floor 'simdjson' 'json-floor <named'
row 'callgraph-stat' 'callgraph-stat named'
row 'callgraph-merge' 'callgraph-merge named'
row 'callgraph-fold -f speedscope' 'callgraph-fold -f speedscope named'
peer 'jq -c .' 'jq -c . named'

# The measured program prints the CPU nanoseconds of a call.  Its shapes are
# `chain`, eight nested calls, and `fan64`, 64 functions called one after the
# other.  The floor has hooks that do nothing; "dormant" is the real library in a
# program that callgraph-record did not start.
bench_source=$here/programs/instrument/bench/bench.c
gcc -O2 -o calls.plain "$bench_source"
gcc -O2 -o calls.noop -finstrument-functions "$bench_source" \
	"${programs[now]}/libweir-instrument-noop.a"
gcc -O2 -o calls.gprof -pg "$bench_source"
gcc -O2 -o calls.uftrace -finstrument-functions "$bench_source"
for side in now "${revisions[@]}"; do
	lib=${programs[$side]}
	gcc -O2 -o "calls.$side" -finstrument-functions "$bench_source" \
		"$lib/libweir-instrument.a"
	gcc -O2 -o "calls.shared.$side" -finstrument-functions "$bench_source" \
		-L"$lib" -lweir-instrument -Wl,-rpath,"$lib"
done

# calls N SHAPE THREADS COMMAND... - prints what COMMAND prints last
calls() {
	local n=$1 shape=$2 threads=$3
	shift 3
	"$@" "$shape" "$n" "$threads" 2>&1 >/dev/null | tail -n 1
}

for shape in 'chain 1' 'fan64 1' 'chain 8'; do
	group "A call: $shape thread(s)" ns
	calls="calls ${CALLS:-4000000} $shape"
	recorded='callgraph-record -o calls.rec'
	floor 'empty hooks' "$calls ./calls.noop"
	row 'dormant' "$calls ./calls.\$side"
	row 'counts' "$calls $recorded ./calls.\$side"
	row 'counts, as a shared library' \
		"$calls $recorded ./calls.shared.\$side"
	row 'counts and time' "calls 1000000 $shape $recorded -t ./calls.\$side"
	row 'counts and 1,000 samples a second' \
		"$calls $recorded -s 1000 ./calls.\$side"
	peer 'no instrumentation' "$calls ./calls.plain"
	peer 'gprof' "$calls ./calls.gprof"
	! command -v uftrace >/dev/null ||
		peer 'uftrace' "calls 250000 $shape uftrace record --no-event \
			-d calls.data ./calls.uftrace; rm -rf calls.data"
done
