#pragma once

#include <sqlite3.h>
#include <stdint.h>

/* An SQLite database with the tables of schema.h. */
struct database {
	const char *path;
	sqlite3 *handle;
};

/*
 * Opens the database, and creates it if it does not exist and the tables if it
 * is empty.  Ends the program if the database belongs to another program or has
 * another version of the tables.  Borrows the path until database_close().
 */
void database_open(struct database *, const char *path);
void database_close(struct database *);

/* Ends the program with SQLite's last message. */
_Noreturn void database_fail(const struct database *);

/* Runs statements.  Ends the program if one fails. */
void database_run(struct database *, const char *sql);

/*
 * The first column of the first row of the result; 0 if there is no row.  Ends
 * the program if the statement fails.
 */
int64_t database_get_number(struct database *, const char *sql);
