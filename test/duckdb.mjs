// duckdb.mjs PACKAGES DATABASE [QUERY [csv]] - runs the SQL of standard input in a
// DuckDB database, or prints the first column of a query, or the names of all
// columns and their values; PACKAGES is the directory where npm installed
// @duckdb/node-api

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [packages, database, query, csv] = process.argv.slice(2);
const require = createRequire(`${packages}/node_modules/`);
const { DuckDBInstance } = require('@duckdb/node-api');
const instance = await DuckDBInstance.create(database);
const connection = await instance.connect();

if (query === undefined) {
	await connection.run(readFileSync(0, 'utf8'));
} else {
	const answer = await connection.runAndReadAll(query);

	if (csv)
		console.log(answer.columnNames().join());
	for (const row of answer.getRows())
		console.log(csv ? row.join() : row[0]);
}
connection.closeSync();
instance.closeSync();
