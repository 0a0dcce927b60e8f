-- reduce.sql - what cost most on the critical paths of all builds
CREATE TEMP TABLE line (record TEXT);
.mode ascii
.separator "\037" "\n"
.import '|find answers -name "*.ndjson" -exec cat {} +' line
CREATE TEMP VIEW cost AS
SELECT "by", value, count(*) AS builds, sum(path_us) AS path_us,
    sum(potential_us) AS potential_us, row_number() OVER
	(PARTITION BY "by" ORDER BY sum(path_us) DESC, value) AS place
FROM (SELECT json_extract(record, '$.by') AS "by",
    json_extract(record, '$.value') AS value,
    json_extract(record, '$.path_us') AS path_us,
    json_extract(record, '$.potential_us') AS potential_us
    FROM line WHERE json_extract(record, '$.type') = 'group')
WHERE path_us > 0 GROUP BY "by", value;
.mode column
.headers on
SELECT "by", value, builds, printf('%.3f', path_us / 1e6) AS path_s,
    printf('%.3f', potential_us / 1e6) AS potential_s
FROM cost WHERE place <= 5 ORDER BY "by", place;
