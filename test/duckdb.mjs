// duckdb.mjs PACKAGES DATABASE [QUERY] - runs the SQL of standard input in a
// DuckDB database, or prints the first column of a query; PACKAGES is the
// directory where npm installed @duckdb/node-api

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const [packages, database, query] = process.argv.slice(2);
const require = createRequire(`${packages}/node_modules/`);
const { DuckDBInstance } = require('@duckdb/node-api');
const instance = await DuckDBInstance.create(database);
const connection = await instance.connect();

if (query === undefined) {
	await connection.run(readFileSync(0, 'utf8'));
} else {
	const answer = await connection.runAndReadAll(query);

	for (const [value] of answer.getRows())
		console.log(value);
}
connection.closeSync();
instance.closeSync();
