# bench-mal.sh - the part of bench.sh that measures the MonetDB filters
#
# It is sourced by bench.sh, which defines cpu() and peak().  The traces are
# made by the generator mal, mal FORMAT EVENTS; weir-mal(5) describes the
# formats S, M and P.  The ratios are to two programs: one only parses the same
# bytes with yajl ("/parse"); the other also writes them again with yajl_gen
# ("/gen"), which is the minimum cost of a filter based on yajl.

events=${EVENTS:-114000}	# 100 MB in format S
long=$((events * 10))

# mal_row NAME SECONDS - prints a row, with the ratios of SECONDS to the times
# of both programs, $parse and $gen
mal_row() {
	printf '%-42s %8.2f s %7.2f %7.2f\n' "$1" "$2" \
		"$(jq -n "$2 / $parse")" "$(jq -n "$2 / $gen")"
}

# mal_cpu COMMAND - prints its CPU seconds, the minimum of three runs
mal_cpu() {
	cpu 3 "$1"
}

# per_second COMMAND ROWS - prints how many rows COMMAND, which processes ROWS
# rows, processes per CPU second
per_second() {
	jq -n "$2 / $(mal_cpu "$1") | floor"
}

[ -e "mal-$events.json" ] || mal S "$events" >"mal-$events.json" 2>/dev/null
malparse "mal-$events.json" >"mal-$events.rows"
trace=mal-$events.json
parse=$(mal_cpu "yajl-floor parse <$trace")
gen=$(mal_cpu "yajl-floor gen <$trace >/dev/null")

printf '\n%s MonetDB events, %d MB\n' "$(wc -l <"$trace")" \
	$(($(wc -c <"$trace") / 1000000))
printf '%-42s %10s %7s %7s\n' '' CPU /parse /gen
mal_row 'yajl, empty callbacks' "$parse"
mal_row 'yajl and yajl_gen' "$gen"
mal_row 'malparse, all tables' "$(mal_cpu "malparse $trace >/dev/null")"
mal_row 'malparse --tasks' "$(mal_cpu "malparse -t $trace >/dev/null")"
mal_row 'malparse --tasks | critpath' \
	"$(mal_cpu "malparse -t $trace | critpath >/dev/null")"
for format in M P; do
	mal $format "$events" >"mal-$format.json" 2>/dev/null
	mal_row "malparse, format $format, $(($(wc -c <mal-$format.json) /
		1000000)) MB" "$(mal_cpu "malparse mal-$format.json >/dev/null")"
done
if command -v malstat >/dev/null; then
	mal_row 'malstat rows' \
		"$(mal_cpu "malstat mal-$events.rows >/dev/null")"
fi
mal_row 'jq -c .' "$(cpu 1 "jq -c . $trace >/dev/null")"
if command -v mlr >/dev/null; then
	mal_row 'mlr --ijsonl --ojsonl cat' \
		"$(cpu 1 "mlr --ijsonl --ojsonl cat $trace >/dev/null")"
fi
mal_row 'python, json.loads of each line' "$(cpu 1 "python3 -c '
import json, sys
for line in sys.stdin:
    json.loads(line)' <$trace")"

if command -v malload >/dev/null; then
	# The begin, trace and end records are not rows.
	rows=$(($(wc -l <"mal-$events.rows") - 3))
	printf 'malload: %d rows, %d rows per CPU second\n' "$rows" \
		"$(per_second "rm -f mal.db && malload mal.db mal-$events.rows" \
		"$rows")"
	rm -f mal.db
fi

# The long trace, of 1 GB, is read from a pipe to save disk space.  The printed
# time is that of the generator and malparse minus that of the generator alone.
# The peak memory must not grow with the trace.
long_pipeline=$(cpu 1 "mal S $long 2>/dev/null | malparse >/dev/null")
long_generator=$(cpu 1 "mal S $long 2>/dev/null >/dev/null")
mal S "$long" 2>/dev/null | command time -f %M -o peak.txt malparse >/dev/null
printf '%d events: malparse %.2f s, peak memory %d MB, at %d events %d MB\n' \
	"$long" "$(jq -n "$long_pipeline - $long_generator")" \
	$(($(tail -n 1 peak.txt) / 1024)) "$events" \
	$(($(peak malparse "$trace") / 1024))
