#pragma once

#include "common/build/build.h"

struct table;

/* The names by which people know tasks, and what is shown of tasks. */

/* The task's own rule, or its node's; SYM_NONE if it has none. */
sym build_rule(const struct build *, const struct task *);

/*
 * The name by which people know a task: its own; else that of its node; else
 * the first output of its node, unless the id is an output; else the id.  A
 * copy without a name of its own has that of the run that made what is copied.
 * If records of one id have several names, the smallest counts.  Valid until
 * the next call of a function of this module.
 */
struct span build_name(const struct build *, const struct task *);

/*
 * The type of a task: of a copy or a prepare task the kind; of others the rule
 * or, as in a log of ninja without a graph, the extension of the file that is
 * the name, or the kind.  May add to b->names.
 */
sym build_type(struct build *b, const struct task *);

/* The name of the task or node with this id. */
struct span build_name_of_id(const struct build *, sym id);

/*
 * The value of a kept key, by its number from 0: a string, a number as it is
 * written, "true" or "false".  It is that of the task's record; else the
 * smallest of other records of its id; else that of its node.  SYM_NONE if
 * there is none, or only an empty string or a value of another type.
 */
sym build_value(const struct build *, const struct task *, unsigned kept);

/* build_value() of `target`. */
sym build_target(const struct build *, const struct task *);

/* Whether the record of any task has a kept key. */
bool build_has_value(const struct build *, unsigned kept);

/*
 * Write members of a record about a task: its id, as build_put_id() does; its
 * name, unless the id is the name; and all that says which task it is, in the
 * order id, name, kind, rule, target, of a copy uid and consumer, host.
 */
void build_emit_id(const struct build *, const struct task *, struct buf *);
void build_emit_name(const struct build *, const struct task *, struct buf *);
void build_emit_task(const struct build *, const struct task *, struct buf *);

/*
 * Writes the heading of a build's part of a report, if the build has a run: the
 * run's name and a blank line, and before them another blank line unless the
 * buffer is empty.
 */
void build_put_run(const struct build *, struct buf *);

/* Writes "ID" for the first attempt, "ID#2" for the second, and so on. */
void build_put_id(const struct build *, const struct task *, struct buf *);

/* Writes "NAME" for the first attempt, "NAME#2" for the second, and so on. */
void build_put_name(const struct build *, const struct task *, struct buf *);

/*
 * Writes a task for people: "CC main.o on ash-1", "copy of main.o to ash-2".
 * The rule is left out if the name begins with it, or if the name is an output
 * that is the task's id, as in builds by ninja, whose generators name rules.
 */
void build_describe(const struct build *, const struct task *, struct buf *);

/* The same as the last cell of a row, in which the end of the name is kept. */
void build_put_cell(const struct build *, const struct task *, struct table *);

/* A total order by id and attempt: < 0 if a is first. */
int build_compare_tasks(const struct build *, const struct task *a,
    const struct task *b);
