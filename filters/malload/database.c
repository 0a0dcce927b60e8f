/* database - an SQLite database with the tables of traces */

#include <errno.h>

#include "common/base/err.h"
#include "filters/malload/malload.h"

enum {
	WEIR_DATABASE = 0x77656972,	/* "weir", the application_id */
	SCHEMA_VERSION = 1,		/* the user_version */
	BUSY_MS = 60000			/* wait for other programs */
};

void
database_fail(const struct database *d)
{
	/* SQLite calls a file damaged, too, from which it cannot read. */
	if (err_is_failure(errno))
		die_errno("'%s': %s", d->path, sqlite3_errmsg(d->handle));
	die("'%s': %s", d->path, sqlite3_errmsg(d->handle));
}

void
database_run(struct database *d, const char *sql)
{
	if (sqlite3_exec(d->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		database_fail(d);
}

int64_t
database_get_number(struct database *d, const char *sql)
{
	sqlite3_stmt *s;
	int64_t number = 0;

	if (sqlite3_prepare_v2(d->handle, sql, -1, &s, NULL) != SQLITE_OK)
		database_fail(d);
	if (sqlite3_step(s) == SQLITE_ROW)
		number = sqlite3_column_int64(s, 0);
	if (sqlite3_finalize(s) != SQLITE_OK)
		database_fail(d);
	return number;
}

void
database_open(struct database *d, const char *path)
{
	struct buf schema = { 0 };
	int64_t id, version;

	d->path = path;
	errno = 0;
	/* There is only one thread; without mutexes a load is 5 % faster. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	if (sqlite3_open_v2(path, &d->handle, SQLITE_OPEN_READWRITE |
	    SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		database_fail(d);
	sqlite3_busy_timeout(d->handle, BUSY_MS);

	/*
	 * A transaction, so that only one program finds the database empty.  A
	 * negative cache_size is in KiB: 64 MiB.  The temporary tables are
	 * written and read from beginning to end, which is faster in big pages.
	 */
	database_run(d, "PRAGMA temp.page_size = 65536; "
	    "PRAGMA main.cache_size = -32768; "
	    "PRAGMA temp.cache_size = -32768; BEGIN IMMEDIATE");
	id = database_get_number(d, "PRAGMA application_id");
	version = database_get_number(d, "PRAGMA user_version");
	if (id == WEIR_DATABASE && version != SCHEMA_VERSION)
		die("'%s' has version %lld of the schema, not %d", path,
		    (long long)version, SCHEMA_VERSION);
	if (id != WEIR_DATABASE) {
		if (id != 0 || database_get_number(d,
		    "SELECT count(*) FROM sqlite_master") > 0)
			die("'%s' is a database of another program", path);
		schema_put(&schema, SQLITE);
		buf_printf(&schema, "PRAGMA application_id = %d; "
		    "PRAGMA user_version = %d;", WEIR_DATABASE, SCHEMA_VERSION);
		database_run(d, buf_cstr(&schema));
		buf_release(&schema);
	}
	database_run(d, "COMMIT");
}

void
database_close(struct database *d)
{
	if (sqlite3_close(d->handle) != SQLITE_OK)
		database_fail(d);
}
