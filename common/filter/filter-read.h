#pragma once

#include "common/filter/filter.h"

/*
 * The next line that is not blank; over-long and truncated lines are rejected.
 * filter_line() returns false at the end of the last file, filter_file_line()
 * at the end of the current file.
 */
bool filter_line(struct filter *, struct line *);
bool filter_file_line(struct filter *, struct line *);

/*
 * Reads a line or value as a record; NULL if it was rejected.  A begin record
 * that was cut off counts as a stream that has not ended.
 */
struct rec *filter_record(struct filter *, struct span);

/*
 * The next line that is a record; other lines are rejected, and begin and end
 * records are consumed.  NULL at the end of the input: look at `truncated` then
 * before anything is committed.  The record is valid until the next call.
 */
struct rec *filter_next(struct filter *);

/*
 * Consumes a begin or end record (boundary.h); returns whether it is one.
 * Needed only with filter_record(): filter_next() calls it.
 */
bool filter_consume_boundary(struct filter *, const struct rec *);

/*
 * For a filter that compares or keeps what it reads: if that lacks more than
 * rejected lines (lacks.h), it counts as truncated, except with --partial.
 */
void filter_need_whole(struct filter *);

/*
 * Adds what a document in the input says that it lacks, as if an end record had
 * said it.  what: for the message, "the profile".
 */
void filter_add_lacks(struct filter *, unsigned lacks, const char *what);

/*
 * For a filter that commits before the end of the input: filter_n_begun() is
 * the number of streams that have begun, filter_have_ended() returns whether n
 * streams have ended or --partial was given.  What was read while n streams had
 * begun is complete when n have ended.
 */
int64_t filter_n_begun(const struct filter *);
bool filter_have_ended(const struct filter *, int64_t n);

/*
 * Opens the next file; false after the last.  Needed with filter_file_line(),
 * filter_value() and filter_object(): filter_line() and filter_next() open
 * files by themselves.
 */
bool filter_next_file(struct filter *);

/*
 * For a filter that reads documents, which may be long, on one line or on
 * several: whether the current file has one on each line (scan_is_stream()).
 */
bool filter_is_stream(struct filter *);

/*
 * For a file that is one JSON document: its next value (scan.h).  False if no
 * value begins here, or if the rest of the file had to be rejected.
 * filter_object() also reads the value as a record.  It sets the record to
 * NULL, but returns true, if only this value was rejected.
 */
bool filter_value(struct filter *, struct span *value);
bool filter_object(struct filter *, struct rec **);

/*
 * filter_next() for files each of which is either a stream of records or a
 * sequence of JSON documents on any number of lines (scan_is_stream()).  *text
 * is the text of the record.
 */
struct rec *filter_next_document(struct filter *, struct span *text);

/*
 * For the callback of scan_each() that reads a member: consumes its key and the
 * colon.  Returns the key's index among names, which end with NULL; their
 * number if it is none of them; NO_MEMBER if there is no key or no colon.  The
 * key is in f->reading.key until the next call.
 */
enum { NO_MEMBER = -1 };

int filter_member(struct filter *, const char *const *names);
