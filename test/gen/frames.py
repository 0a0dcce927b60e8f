#!/usr/bin/env python3
"""frames.py SEED FOLDER - makes a program whose functions leave each other

Writes a random program to FOLDER: a.cc, b.c, c.cc (for -fno-exceptions) and
count.c (not to be instrumented).  Its functions call each other, throw, catch,
rethrow, have destructors, jump by longjmp and setcontext and allocate on the
stack.  Each passes the path of its own call, a local variable, to those that it
calls; so the program counts its paths whatever is thrown, and prints them at
the end as folded stacks.  Calls with the macro INLINE may be inlined.
The same SEED gives the same program, and all compilers the same output.
"""

import pathlib
import random
import sys

HEADER = """
#include <alloca.h>
#include <setjmp.h>
#include <ucontext.h>
#ifdef INLINE
#define F inline __attribute__((used))
#define STACK(size)
#else
#define STACK(size) use(alloca(size))
#define F __attribute__((noinline))
#endif
#ifdef __cplusplus
extern "C" {
#endif
struct target { sigjmp_buf env; ucontext_t context; int again;
    struct target *outer; };
extern struct target *innermost;        /* that may be jumped to, or NULL */
int enter(int caller, const char *name);        /* the path of a call */
int chance(int path, int percent);
void use(void *memory);
void print_paths(void);
"""

COUNT = """
#include <stdio.h>
#include "frames.h"
static struct { const char *name; int caller, depth; long calls; } paths[200000];
static int n_paths = 1;
static unsigned long long state = %d;
static long budget = 30000;
struct target *innermost;
int enter(int caller, const char *name)
{
    int i = 1;
    budget--;
    while (i < n_paths && (paths[i].caller != caller || paths[i].name != name))
        i++;
    if (i == n_paths)
        n_paths++;
    paths[i].name = name;
    paths[i].caller = caller;
    paths[i].depth = paths[caller].depth + 1;
    paths[i].calls++;
    return i;
}
int chance(int path, int percent)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((state >> 33) %% 100) < percent && paths[path].depth < 9 &&
        budget > 0;
}
void use(void *memory) { *(volatile char *)memory = 1; }
static void print_path(int i)
{
    if (i == 0)
        return;
    print_path(paths[i].caller);
    printf("%%s%%s", paths[i].caller ? ";" : "", paths[i].name);
}
void print_paths(void)
{
    for (int i = 1; i < n_paths; i++) {
        print_path(i);
        printf(" %%ld\\n", paths[i].calls);
    }
}
"""

MAIN = """
int main()
{
    int me = enter(0, "main");
    for (int i = 0; i < 3000; i++) {
        try { f0(me); } catch (...) { }
        innermost = nullptr;
    }
    print_paths();
}
"""

N = 12
WIDE = ", int a, int b, int c, int d, int e, int f, int g, int h"


def language(i):
    return "abc"[(i % 4 - 1) % 3] if i % 4 else "a"


def parameters(i):
    return "(int caller" + (WIDE if i % 5 == 4 else "") + ")"


class Body:
    def __init__(self, rng, language, has_guards):
        self.rng, self.language, self.n = rng, language, 0
        self.has_guards = has_guards

    def below(self, n):
        # Only random() gives the same numbers in all versions of Python.
        return int(self.rng.random() * n)

    def choose(self, items):
        return items[self.below(len(items))]

    def call(self):
        i = self.below(N)
        wide = ", 1, 2, 3, 4, 5, 6, 7, 8" if i % 5 == 4 else ""
        return f"if (chance(me, 60)) f{i}(me{wide});"

    def throw(self):
        return f"if (chance(me, 25)) throw E{self.below(3)}();"

    def leave(self):
        return ("if (innermost && chance(me, 30)) { struct target *t = innermost;"
            " if (t->outer && chance(me, 40)) t = t->outer;"
            " if (chance(me, 50)) siglongjmp(t->env, 1);"
            " t->again = 1; setcontext(&t->context); }")

    def stack(self):
        return f"STACK({1 + self.below(199)});"

    def guard(self, depth):
        self.n += 1
        return (f"struct guard_{self.language} guard{self.n}(me); "
            + self.statements(depth - 1))

    def land(self, depth):
        return ("struct target t; t.outer = innermost; innermost = &t; t.again = 0;"
            " getcontext(&t.context);"
            " if (t.again == 0 && sigsetjmp(t.env, 0) == 0) {"
            + self.statements(depth - 1) + " innermost = t.outer; } else {"
            " innermost = t.outer; " + self.statements(depth - 2) + " }")

    def attempt(self, depth):
        kinds = self.choose([["E0 &"], ["E1 &"], ["..."], ["E1 &", "E0 &"],
            ["E1 &", "..."], ["E1 &", "E0 &", "..."]])
        return ("struct target *saved = innermost; try {"
            + self.statements(depth - 1) + " } " + " ".join("catch (" + kind +
            ") { innermost = nullptr; " + self.statements(depth - 2) +
            self.choose(["if (chance(me, 30)) throw;", self.throw(), ""])
            + " }" for kind in kinds) + " innermost = saved;")

    def statements(self, depth):
        choices = [self.call] * 5 + [self.leave, self.stack]
        if depth > 0:
            choices += [lambda: self.land(depth)]
            if self.has_guards:
                choices += [lambda: self.guard(depth)] * 2
            if self.language == "a":
                choices += [lambda: self.attempt(depth)] * 2
        if self.language == "a":
            choices += [self.throw]
        return " ".join("{ " + self.choose(choices)() + " }" for _ in
            range(1 + self.below(3)))


def function(i, rng):
    body = Body(rng, language(i), language(i) != "b").statements(3)
    return (f'F void f{i}{parameters(i)}\n{{ int me = enter(caller, "f{i}"); '
        + body + " }\n")


def guard(rng, language):
    name = f"guard_{language}"
    body = Body(rng, language, False)
    inside = body.statements(1) if language == "c" else (
        "try { " + body.statements(1) + " } catch (...) { }")
    return (f"struct {name} {{ int owner;\n"
        f" __attribute__((no_instrument_function)) {name}(int o): owner(o) {{ }}\n"
        f' F ~{name}() {{ int me = enter(owner, "{name}::~{name}()");'
        f" struct target *saved = innermost; innermost = nullptr;"
        f" {inside} innermost = saved; }} }};\n")


def main():
    seed, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    rng = random.Random(seed)
    prototypes = "".join(f"void f{i}{parameters(i)};\n" for i in range(N))
    (folder / "frames.h").write_text(HEADER + prototypes +
        "#ifdef __cplusplus\n}\nstruct E0 { }; struct E1: E0 { }; struct E2 { };\n"
        "#endif\n")
    (folder / "count.c").write_text(COUNT % seed)
    texts = {c: '#include "frames.h"\n' for c in "abc"}
    for c in "ac":
        texts[c] += guard(rng, c)
    for i in range(N):
        texts[language(i)] += function(i, rng)
    texts["a"] += MAIN
    for c, text in texts.items():
        (folder / (c + (".c" if c == "b" else ".cc"))).write_text(text)


main()
