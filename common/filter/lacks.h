#pragma once

struct buf;
struct field;
struct rec;

/*
 * The account of what is missing (weir-records(5), "WHAT IS MISSING"): words in
 * the end record of a stream, in the `build` record of a run, in answers and in
 * profiles.  Whoever notices a loss adds its word, and each filter writes the
 * words of its input into its own end record.
 */
enum lacks {
	LACKS_HEAD = 1,		/* a begin record is missing */
	LACKS_TAIL = 2,		/* an end record is missing, a file ends early,
				   or its rest was rejected */
	LACKS_REJECTED = 4,	/* lines or values were rejected */
	LACKS_UNFINISHED = 8,	/* tasks did not end */
	LACKS_FAILED = 16,	/* nodes with a command have no task, and the
				   log does not name commands that failed */
	LACKS_RUNS = 32,	/* which lines are the last run is a guess */
	LACKS_GRAPH = 64,	/* there is no graph, or tasks are not in it */
	LACKS_TIMES = 128,	/* the log has no times */
	LACKS_DEPS = 256	/* which task waited for which is a guess */
};

/*
 * What a word means for a budget: the path may be longer, up to the wall time,
 * or without a limit; the wall time may be longer; neither is known at all; the
 * path may be shorter, but not than its longest step.
 */
enum opens { OPENS_PATH = 1, OPENS_LENGTH = 2, OPENS_WALL = 4, OPENS_ALL = 8,
    OPENS_STEPS = 16 };

/* The union of what the words open. */
unsigned lacks_opens(unsigned lacks);

/* Writes the member `lacks`; nothing for 0. */
void lacks_put(struct buf *, unsigned lacks);

/*
 * The words of a field of a record, which may be NULL.  A value that is not an
 * array of known words counts as LACKS_TAIL: something is missing.
 */
unsigned lacks_read(const struct rec *, const struct field *);

/* Writes the words, separated by ", ". */
void lacks_put_words(struct buf *, unsigned lacks);

/*
 * Writes what is missing as clauses, separated by "; ": "the end of the input
 * is missing; lines were rejected".
 */
void lacks_put_clauses(struct buf *, unsigned lacks);
