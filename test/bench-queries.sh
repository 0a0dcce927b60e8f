# bench-queries.sh - the part of bench.sh for traces of MonetDB
#
# The traces are made by the generator mal; weir-mal(5) describes the formats S, M
# and P.

PYTHON_LOAD='
import json, os, sqlite3, sys
if os.path.exists(sys.argv[1]):
    os.unlink(sys.argv[1])
db = sqlite3.connect(sys.argv[1])
tables = {}
for line in sys.stdin:
    r = json.loads(line)
    tables.setdefault((r["type"], *r), []).append(list(map(str, r.values())))
for i, (key, rows) in enumerate(tables.items()):
    db.execute("create table t%d (%s)" % (i, ", ".join("[%s]" % c
        for c in key[1:])))
    db.executemany("insert into t%d values (%s)" % (i, ", ".join("?" *
        len(rows[0]))), rows)
db.commit()
'

events=${EVENTS:-40000}	# 35 MB in format S
for format in S M P; do
	once $format.$events mal $format "$events"
done
once rows.$events malparse S.$events
once rows.end sh -c "grep -v '\"type\":\"\\(begin\\|end\\)\"' rows.$events"
group "$events events of MonetDB"
for format in S M P; do
	floor "simdjson, format $format" "json-floor <$format.$events"
	row "malparse, format $format" "malparse $format.$events"
	[ $format = S ] || continue
	row 'malparse --tasks | critpath' "malparse -t S.$events | critpath"
	peer 'jq -c .' "jq -c . S.$events"
	peer 'mlr --ijsonl --ojsonl cat' \
		"mlr --ijsonl --ojsonl cat S.$events"
	peer 'python3, json.loads' "python3 -c '
import json, sys
for line in sys.stdin:
    json.loads(line)' <S.$events"
done
floor 'simdjson, rows' "json-floor <rows.$events"
row 'malstat rows' "malstat rows.$events"
row 'malload rows' "malload mal.db rows.$events" 'rm -f mal.db'
peer 'python3, json and sqlite3' \
	"python3 -c '$PYTHON_LOAD' python.db <rows.end"

group "The same: peak memory" MB
row 'malparse, format S' "peak malparse S.$events"
row 'malstat rows' "peak malstat rows.$events"
peer 'jq -c .' "peak jq -c . S.$events"
