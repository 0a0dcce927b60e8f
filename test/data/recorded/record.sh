#!/bin/bash
# record.sh TOOL... - records again what real tools write about small builds
#
#   TOOL    needs                        writes
#   ninja   cmake, ninja 1.11            ninja.log, ninja.dot
#   make    make                         make.ndjson
#   go      go 1.19                      go-{all,cached,failed}.json
#   cargo   cargo 1.95                   cargo.jsonl
#   bazel   bazel-bootstrap 4.2.3        bazel-profile.json
#
# The files are in the folder of this script.  Each recording has other times,
# which no test states.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# anonymous FILE - prints a file with other paths than those of this machine
anonymous() {
	sed -e "s,$dir,/src/demo,g" -e "s,$HOME,/home/dev,g" "$1"
}

# A library in two files, one of which uses a generated header, an object
# library, and a program whose test runs it.
record_ninja() {
	cat >CMakeLists.txt <<-'END'
	cmake_minimum_required(VERSION 3.13)
	project(shapes C)
	add_custom_command(OUTPUT sides.h sides.txt DEPENDS sides.in
		COMMAND cp ${CMAKE_SOURCE_DIR}/sides.in sides.h
		COMMAND cp ${CMAKE_SOURCE_DIR}/sides.in sides.txt)
	include_directories(${CMAKE_BINARY_DIR})
	add_library(names OBJECT names.c)
	add_library(shapes square.c circle.c sides.h)
	add_executable(draw draw.c $<TARGET_OBJECTS:names>)
	target_link_libraries(draw shapes m)
	add_custom_target(drawn ALL COMMAND draw >drawn.txt DEPENDS draw)
	END
	echo '#define SIDES 4' >sides.in
	echo 'const char *name(int n) { return n ? "circle" : "square"; }' >names.c
	printf '#include "sides.h"\nint sides(void) { return SIDES; }\n' >square.c
	printf '#include <math.h>\ndouble area(double r) { return acos(-1)*r*r; }\n' \
		>circle.c
	cat >draw.c <<-'END'
	#include <stdio.h>
	const char *name(int);
	int sides(void);
	double area(double);
	int main(void)
	{
		return printf("%s %d, %s %f\n", name(0), sides(), name(1),
		    area(2)) < 0;
	}
	END
	cmake -G Ninja -S . -B build >log
	ninja -C build >log
	ninja -C build -t graph >graph
	anonymous build/.ninja_log >"$here/ninja.log"
	anonymous graph >"$here/ninja.dot"
}

# A task record for each recipe line, as its shell sees it; a line of $(shell)
# has no target.
record_make() {
	cat >line <<-'END'
	#!/bin/bash
	[ "$2" = -c ] && set -- "" "" "$1" "$3"
	start=${EPOCHREALTIME/[.,]/}
	sh -c "$4"
	status=$?
	end=${EPOCHREALTIME/[.,]/}
	deps=${2:+\"${2// /\",\"}\"}
	printf '{"type":"task","id":"%s","start_us":%s,"end_us":%s,"elapsed_us":%s,"status":"%s","deps":[%s]}\n' \
		"$1" "$start" "$end" $((end - start)) $status "$deps" >>lines
	exit $status
	END
	chmod +x line
	cat >Makefile <<-'END'
	.RECIPEPREFIX = >
	SHELL = ./line
	.SHELLFLAGS = "$@" "$(strip $^ $|)" -c
	HOST := $(shell uname -n)
	PARTS = lex parse print check
	all: prog doc.txt
	> @echo made
	prog: $(PARTS:%=%.o) libbase.a
	> cat $^ >$@
	> sleep 0.02
	> -@test -e missing
	libbase.a: str.o buf.o
	> cat $^ >$@
	> wc -c $@ >$@.size
	doc.txt: $(PARTS:%=%.txt)
	> sort $^ | uniq >$@
	%.o: %.c gen.h | obj
	> sleep 0.0$(words $^)
	> cat $^ >$@
	> touch obj/$@
	gen.h:
	> sleep 0.03
	> echo '#define GEN' >$@
	obj:
	> mkdir $@
	%.txt: %.c
	> sed 's/int/The/' $< >$@
	END
	for part in lex parse print check str buf; do
		echo "int $part;" >$part.c
	done
	make -j2 >log
	cp lines "$here/make.ndjson"
}

# Two programs and all that the runtime of go consists of; two packages from the
# cache; and one that fails, so that the other is not built.  Of each command the
# first 60 characters are kept.
record_go() {
	export GOCACHE=$dir/cache GOFLAGS=-trimpath GO111MODULE=on
	go mod init demo
	mkdir units prices shop scales
	echo 'package units; func Grams(kg int) int { return kg * 1000 }' \
		>units/units.go
	cat >prices/prices.go <<-'END'
	package prices
	import "demo/units"
	func Of(kg int) int { return units.Grams(kg) / 10 }
	END
	cat >shop/shop.go <<-'END'
	package main
	import "demo/prices"
	func main() { println(prices.Of(3)) }
	END
	sed 's/prices.Of/units.Grams/; s/prices/units/' shop/shop.go >scales/scales.go
	go build -a -p 2 -debug-actiongraph=all -o /dev/null ./shop ./scales
	go build -debug-actiongraph=cached ./units ./prices
	echo 'package units; func Grams() int { return missing }' >units/units.go
	if go build -debug-actiongraph=failed ./units ./prices 2>log; then
		exit 1
	fi
	for graph in all cached failed; do
		anonymous $graph | sed -E 's/^(\t\t\t".{60}).*(",?)$/\1\2/' \
			>"$here/go-$graph.json"
	done
}

# A program that needs `report`, which needs `table` and `words`; the code of
# `table` takes so long that the program waits for it.
record_cargo() {
	local toolchain crate
	toolchain=$(rustup which cargo)
	export PATH=${toolchain%/*}:$PATH CARGO_HOME=$dir/cargo RUSTC_BOOTSTRAP=1
	new() {
		mkdir -p $1/src
		printf '[package]\nname="%s"\nversion="0.1.0"\nedition="2021"\n' \
			$1 >$1/Cargo.toml
		printf '[dependencies]\n' >>$1/Cargo.toml
		for crate in "${@:2}"; do
			echo "$crate={path=\"../$crate\"}" >>$1/Cargo.toml
		done
		cat >$1/src/${file:-lib}.rs
	}
	new unit <<<'pub fn one() -> u32 { 1 }'
	new words unit <<<'pub fn two() -> u32 { unit::one() + 1 }'
	{
		echo 'use std::collections::BTreeMap;'
		for i in {1..20}; do
			echo "pub struct K$i; pub fn f$i(n: usize) -> String {
				let mut m = BTreeMap::new();
				for i in 0..n { m.insert([i as u8; $i], (i, K$i)); }
				format!(\"{:?}{}\", m.keys().next(), unit::one()) }"
		done
	} | new table unit
	new report table words <<<'pub fn all() -> String { table::f3(9) }'
	file=main new app report <<<'fn main() { println!("{}", report::all()) }'
	printf '[workspace]\nmembers=["*"]\nexclude=["cargo","target"]\n' \
		>Cargo.toml
	CARGO_BUILD_ANALYSIS_ENABLED=true cargo -Zbuild-analysis build --offline -q -j2
	anonymous cargo/log/*.jsonl >"$here/cargo.jsonl"
}

# Of Bazel's profile, which has one event in a line, the first four events with
# a category and kind, and all of the lanes, actions and the critical path.
record_bazel() {
	touch WORKSPACE
	cat >BUILD <<-'END'
	genrule(name="sand", outs=["sand.txt"], cmd="sleep 0.4; echo > $@")
	genrule(name="lime", outs=["lime.txt"], cmd="sleep 0.1; echo > $@")
	genrule(name="glass", srcs=["sand.txt", "lime.txt"], outs=["glass.txt"],
		cmd="sleep 0.2; cat $(SRCS) > $@")
	genrule(name="label", outs=["label.txt"], cmd="echo > $@")
	genrule(name="jar", srcs=["glass.txt", "label.txt"], outs=["jar.txt"],
		cmd="cat $(SRCS) > $@")
	END
	bazel --output_user_root="$dir/out" build --profile=profile \
		--experimental_profile_include_primary_output \
		--experimental_profile_include_target_label //:jar >log 2>&1
	bazel --output_user_root="$dir/out" shutdown
	anonymous profile | awk '
	!/^ *\{.*\},?$/ || /thread_name/ || /action processing/ ||
		/critical path/ { print; next }
	{ match($0, /"ph":"."/); kind = substr($0, RSTART, RLENGTH)
	  match($0, /"cat":"[^"]*"/); kind = kind substr($0, RSTART, RLENGTH)
	  if (++n[kind] <= 4) print }' >"$here/bazel-profile.json"
}

for tool; do
	mkdir "$dir/$tool"
	(dir=$dir/$tool; cd "$dir"; record_$tool)
done
