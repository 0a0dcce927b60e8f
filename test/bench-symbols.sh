# bench-symbols.sh - the part of bench.sh for symbolization, and for call graphs
# with names
#
# It is sourced by bench.sh, which defines cpu().
#
# The addresses are many of one of weir's own C programs, many of a C++ program
# with long names and many levels of inlining, and a single one of a large C++
# library.  The library consists of copies of a few compilation units with
# renamed symbols, which is faster than compiling that many units.  A tool that
# would take minutes gets fewer addresses, as its row says.  The rows named weir
# measure test/programs/symbols.c: the code of callgraph-symbolize, without
# reading and writing records.

units=4		# units that are compiled for the library and for the program
copies=${COPIES:-130}		# of each unit: the library has 90 MB

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

# symbol_row NAME SECONDS - prints a row with the time and its ratio to $ours
symbol_row() {
	printf '%-46s %8.3f s %8.2f\n' "$1" "$2" "$(jq -n "$2 / $ours")"
}

# tool_rows FILE ADDRESSES WHAT [TOOL...] - prints a row for each installed
# tool, which finds the functions of FILE for the addresses in the file
# ADDRESSES
tool_rows() {
	local file=$1 where=$2 what=$3 tool
	shift 3
	for tool in "$@"; do
		command -v "$tool" >/dev/null || continue
		symbol_row "$tool -f -i -C, $what" \
			"$(cpu 1 "$tool -f -i -C -e $file <$where >/dev/null")"
	done
}

program=$build/malparse
[ -e library.so ] || library library.so
[ -e deep ] || deep_program deep
addresses "$program" 5000 1000000 >million
head -n 20000 million >part
head -n 200 million >few
addresses "$program" 100000 100000 >unique
addresses deep 100000 100000 >deep.unique
addresses library.so 1 1 >one
# A release is a record of the symbols and lines of a program, which is used
# instead of the program's own debug information.
callgraph-release "$program" >program.release
callgraph-release library.so >library.release
callgraph-release deep >deep.release
record "$program" million >million.ndjson

printf '\nsymbols and inlined functions: malparse, %d KB; %s %d MB; %s %d MB\n' \
	$(($(wc -c <"$program") / 1000)) C++, $(($(wc -c <deep) / 1000000)) \
	'a library,' $(($(wc -c <library.so) / 1000000))
printf '%-46s %10s %8s\n' '' CPU /weir
ours=$(cpu 3 "symbols $program <million >/dev/null")
symbol_row 'weir, 1,000,000 addresses, 5,000 unique' "$ours"
symbol_row 'weir, the same from a release' \
	"$(cpu 3 "symbols program.release <million >/dev/null")"
symbol_row 'callgraph-symbolize, 1,000,000 nodes' \
	"$(cpu 2 "callgraph-symbolize million.ndjson >/dev/null 2>&1")"
tool_rows "$program" million 'the same' llvm-symbolizer
ours=$(cpu 5 "symbols $program <part >/dev/null")
symbol_row 'weir, 20,000 of them' "$ours"
tool_rows "$program" part '20,000' addr2line
ours=$(cpu 5 "symbols $program <few >/dev/null")
symbol_row 'weir, 200 of them' "$ours"
tool_rows "$program" few '200' eu-addr2line
ours=$(cpu 5 "symbols $program <unique >/dev/null")
symbol_row 'weir, 100,000 unique addresses' "$ours"
symbol_row 'weir, the same from a release' \
	"$(cpu 5 "symbols program.release <unique >/dev/null")"
tool_rows "$program" unique 'the same' llvm-symbolizer addr2line
ours=$(cpu 5 "symbols deep <deep.unique >/dev/null")
symbol_row 'weir, 100,000 of C++, deeply inlined' "$ours"
symbol_row 'weir, the same from its release' \
	"$(cpu 5 "symbols deep.release <deep.unique >/dev/null")"
tool_rows deep deep.unique 'the same' llvm-symbolizer
ours=$(cpu 5 "symbols library.so <one >/dev/null")
symbol_row 'weir, one address of the library' "$ours"
symbol_row 'weir, the same from its release' \
	"$(cpu 5 "symbols library.release <one >/dev/null")"
tool_rows library.so one 'the same' llvm-symbolizer addr2line eu-addr2line

# The filters that read call graphs with names, compared with jq; the ratios are
# to callgraph-stat.
callgraph-symbolize million.ndjson >named.ndjson 2>/dev/null
printf '\n1,000,000 nodes with names, %d MB\n' \
	$(($(wc -c <named.ndjson) / 1000000))
printf '%-46s %10s %8s\n' '' CPU /stat
ours=$(cpu 3 "callgraph-stat named.ndjson >/dev/null")
symbol_row 'callgraph-stat' "$ours"
symbol_row 'callgraph-merge' \
	"$(cpu 3 "callgraph-merge named.ndjson >/dev/null")"
symbol_row 'callgraph-fold -f speedscope' \
	"$(cpu 3 "callgraph-fold -f speedscope named.ndjson >/dev/null")"
symbol_row 'jq -c .' "$(cpu 1 "jq -c . named.ndjson >/dev/null")"
rm -f million.ndjson named.ndjson
