#!/bin/bash
# databases.sh BUILD - checks that PostgreSQL and DuckDB take what malload writes
#
# Traces are loaded one after the other into SQLite by malload, and into both
# databases by the SQL and the CSV files that it writes.  All tables must have the
# same rows, with the same ids.  A row that is changed shows that the comparison
# can fail.  The server is one of its own, and listens only to a socket.  The
# section of weir-cookbook(7) that uses DuckDB runs as printed.

set -eu -o pipefail
build=$PWD/$1
here=$(cd "$(dirname "$0")" && pwd)
source "$here/printed.bash"
out=$build/databases
package='@duckdb/node-api@1.5.6-r.1'
PATH=$build:$build/test/gen:$PATH

skip() {
	echo "skipped: $1"
	exit 0
}

pg_ctl=$(printf '%s\n' /usr/lib/postgresql/*/bin/pg_ctl | tail -n 1)
[ -x "$pg_ctl" ] || skip 'there is no server of PostgreSQL'
npm --version >/dev/null 2>&1 || skip 'there is no npm'
mkdir -p "$out"
if [ "$(cat "$out/installed" 2>/dev/null)" != "$package" ]; then
	npm install --prefix "$out" --no-save --no-package-lock --no-audit \
		--no-fund --ignore-scripts "$package" >"$out/npm.log" 2>&1 ||
		skip "$(grep -m 1 err "$out/npm.log")"
	echo "$package" >"$out/installed"
fi

dir=$(mktemp -d)
trap 'server stop; rm -rf "$dir"' EXIT
cd "$dir"

# server COMMAND... - starts or stops it; it does not run as root
server() {
	local as=()
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid=postgres --regid=postgres
		--clear-groups)
	"${as[@]}" "$pg_ctl" -s -w -D "$dir/server" -l "$dir/log" "$@"
}

mkdir server
if [ "$(id -u)" = 0 ]; then
	chmod 711 .
	chown postgres server
	: >log && chown postgres log
fi
server initdb -o '-A trust -U weir' >/dev/null
server start -o "-k $dir/server -h '' -c fsync=off"
export PGHOST=$dir/server PGUSER=weir PGOPTIONS='-c client_min_messages=warning'

postgresql() {
	psql -q -v ON_ERROR_STOP=1 -d traces "$@"
}

duckdb() {
	node "$here/duckdb.mjs" "$out" "$dir/duckdb.db" "$@"
}

# query - a query for all rows of all tables, each as one line of text
query() {
	local table name type columns any=
	for table in $(sqlite3 sqlite.db "SELECT name FROM sqlite_master
		WHERE type = 'table'"); do
		columns="'$table'"
		while IFS='|' read -r name type; do
			case $type in
			boolean) name="CAST(\"$name\" AS int)" ;;
			double*) name="CAST(1000000 * \"$name\" AS bigint)" ;;
			*) name="\"$name\"" ;;
			esac
			columns+=" || ',' || coalesce(replace(CAST($name AS text), '
', ';'), 'null')"
		done < <(sqlite3 sqlite.db \
			"SELECT name, type FROM pragma_table_info('$table')")
		echo "${any:+UNION ALL} SELECT $columns FROM $table"
		any=1
	done
}

# are_equal - compares all tables of the three databases
are_equal() {
	[ -s query ] || query >query
	sqlite3 sqlite.db <query | sort >want &&
		[ -s want ] &&
		postgresql -At -f query | sort | diff want - >&2 &&
		duckdb "$(cat query)" | sort | diff want - >&2
}

# begin - makes all three databases empty
begin() {
	psql -q -d postgres -c 'DROP DATABASE IF EXISTS traces' \
		-c 'CREATE DATABASE traces'
	rm -f sqlite.db duckdb.db*
}

# check NAME ROWS... - loads these files one after the other as SQL, and again
# as CSV
check() {
	local rows append=
	begin
	for rows in "${@:2}"; do
		malload sqlite.db "$rows" >/dev/null 2>err || [ $? = 1 ]
		malload --sql $append "$rows" >sql
		postgresql -f sql
		duckdb <sql
		append=--append
	done
	are_equal
	begin
	append=
	for rows in "${@:2}"; do
		malload sqlite.db "$rows" >/dev/null 2>err || [ $? = 1 ]
		malload --csv csv $append "$rows"
		[ -n "$append" ] || postgresql -f csv/schema.sql
		[ -n "$append" ] || duckdb <csv/schema.sql
		(cd csv && postgresql -f postgresql.sql && duckdb <duckdb.sql)
		append=--append
	done
	are_equal
	echo "$1: $(sqlite3 sqlite.db 'SELECT count(*) FROM profiler_event') events"
}

# try_cookbook - runs the examples of that section, and prints those that fail
try_cookbook() (
	mkdir printed cookbook
	sed "s,/usr/local/share/weir/adapters,$here/../filters/adapters," \
		"$here/../man/weir-cookbook.7" | mandoc -Tutf8 |
		sed -n 's/.\x08//g; /^ARCHIVES/,/^QUERIES/p' >printed/cookbook
	cp -L "$here"/data/demo/* cookbook 2>/dev/null || :
	printed_examples cookbook >examples
	grep -qaz '^duckdb' examples
	cd cookbook
	duckdb() { node "$here/duckdb.mjs" "$out" :memory: "$3" csv; }
	set +eu
	try_examples weir-cookbook.7 "$dir/tried" 8<"$dir/examples"
)

seed=0
for format in S M P; do
	mal $format 100 $((++seed)) >$format 2>/dev/null
	head -c $(($(wc -c <$format) / 2)) $format | head -n -1 >part
	malparse $format >$format.rows
	malparse part >$format.part
	check "format $format, twice" $format.rows $format.rows
	check "format $format, a part and then the whole" $format.part $format.rows
	check "format $format, the whole and then a part" $format.rows $format.part
done
cat "$here"/data/malparse/sample-*.json | malparse >samples
check 'three traces' S.rows M.rows P.rows
check 'one after another' samples S.rows samples M.part

postgresql -c 'UPDATE profiler_event SET usec = usec + 1 WHERE event_id = 7'
are_equal 2>/dev/null && { echo 'a changed row is not found'; exit 1; }
echo 'PostgreSQL and DuckDB have the same rows as SQLite'

try_cookbook >failed
cat failed
[ ! -s failed ]
echo 'the examples for DuckDB print what weir-cookbook(7) shows'
