#pragma once

#include "common/filter/filter.h"

/*
 * Rejects `current`: prints the reason with file and line, copies `current` to
 * the --rejects file, and ends the program under --strict.  After ten messages
 * with the same format string, equal up to the first quote or digit, further
 * ones are only counted.
 */
void filter_reject(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/*
 * Add words to the account of what is missing (lacks.h).  What is rejected, and
 * what the input's own end records say, is added without them.
 */
void filter_note_lacks(struct filter *, unsigned lacks);

/*
 * Returns the words that were added since the last call: for a parser that
 * writes a record about each run.
 */
unsigned filter_take_lacks(struct filter *);

/* Rejects the record because of a value that is bad or absent. */
void filter_reject_value(struct filter *, const struct rec *, unsigned key,
    enum rec_found, const char *kind) COLD;

/*
 * Like filter_reject(), but for a fault without a position, such as a cycle in
 * a graph: copies nothing to the --rejects file, and --tolerate does not apply.
 */
void filter_fail(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/*
 * Answers a yes-or-no question, such as whether a budget is kept, with no:
 * prints why, and makes the exit status 1.  Nothing was wrong with the input:
 * --strict does not apply, and the end record does not mention it.
 */
void filter_answer_no(struct filter *, const char *why) COLD;

/*
 * Says why one yes-or-no question of several cannot be answered: the exit
 * status is 2 unless the answer to another is no.  The output is complete.
 */
void filter_leave_undecided(struct filter *, const char *why) COLD;

/*
 * Says why a question cannot be answered, unless that is NULL.  The exit status
 * is 2; what was written goes to standard output, but not to a file.
 */
void filter_cannot_answer(struct filter *, const char *why) COLD;

/*
 * Reports why nothing was written, if nothing was.  This is a fault if input
 * was rejected, so that --tolerate does not accept a file of another kind, and
 * a warning otherwise.
 */
void filter_expect_records(struct filter *, const char *why);

/*
 * Rejects the bytes that were consumed last, `before`, and the rest of the
 * file.  Does nothing if filter_value() has already rejected the rest.
 */
void filter_reject_rest(struct filter *, struct span before, const char *why);

/*
 * Ends the program with EXIT_FATAL after a message: the --rejects file is kept,
 * and the output is not.
 */
_Noreturn void filter_stop(struct filter *) COLD;

/*
 * For a file that cannot be read in this format at all: ends the program or,
 * after filter_read_each(), rejects the bytes that were consumed last,
 * `before`, and the rest of the file.  why: "is a log of version 9".
 */
void filter_refuse(struct filter *, struct span before, const char *why) COLD;

/*
 * Warns of something in the input that is not rejected; after
 * filter_read_each() the warning names the file.  After ten warnings of
 * one kind, as those of filter_reject(), further ones are only counted.
 */
void filter_warn(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3) COLD;

/* The same for what is true of one file: the warning always names it. */
void filter_warn_file(struct filter *, const char *fmt, ...) PRINTF_LIKE(2, 3)
    COLD;

/* Returns false and rejects the line if it has a NUL byte or is not UTF-8. */
bool filter_check_text(struct filter *, const struct line *);

/* The rest is for the files of filter.h only. */

/* Rejects f->current and the rest of its line, which is too long. */
void filter_reject_long_line(struct filter *) COLD;

/* Rejects the file from where it is to its end, for the reason alone. */
void filter_reject_file(struct filter *, const char *fmt, ...)
    PRINTF_LIKE(2, 3) COLD;

/* Rejects f->current, and the file from there to its end. */
void filter_reject_to_end(struct filter *, const char *why) COLD;

/*
 * Reports how many messages were counted without being printed: at the end of
 * the input, because the program may end before filter_end(), and there.
 */
void filter_report_unprinted(struct filter *);
