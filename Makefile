# weir - filters that measure software.  Needs GNU make; see README.md.

VERSION = 0.1.0

CC = gcc
AR = gcc-ar
CFLAGS = -g $(if $(SAN),-O1,-O3 -flto=auto)
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
DESTDIR =

# SAN=1 builds with the address and undefined-behaviour sanitizers, in a folder
# of its own.  They are linked statically, because loading them takes a quarter
# of the time of a short run; clang links them statically by default.
ifdef SAN
OUT = build/san
CHECKS = -fsanitize=address,undefined -fno-sanitize-recover=all \
	$(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
else
OUT = build
CHECKS = -D_FORTIFY_SOURCE=2
endif

WARN = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wpointer-arith -Wwrite-strings
HARDEN = -fPIE -fstack-protector-strong -fstack-clash-protection
COMPILE = $(CC) -std=c11 -D_XOPEN_SOURCE=700 -I. $(WARN) $(HARDEN) \
	$(CHECKS) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(CHECKS) $(LDFLAGS) -pie -Wl,--as-needed \
	-Wl,-z,relro,-z,now
LIBS = -lyajl -lz -lsqlite3 -lgit2 -lnettle -lyaml -ldw -lelf -liberty -lm

# A filter is filters/NAME.c, or a folder filters/NAME of several files.
FILTERS := $(sort $(basename $(notdir $(wildcard filters/*.c))) \
	$(notdir $(patsubst %/main.c,%,$(wildcard filters/*/main.c))))
PAGES := $(wildcard man/*.[1357])

PROGRAMS = $(addprefix $(OUT)/,$(FILTERS))
TEST_PROGRAMS = $(patsubst %.c,$(OUT)/%, \
	$(wildcard test/unit/*.c test/gen/*.c test/programs/*.c))
objects = $(patsubst %.c,$(OUT)/%.o,$(wildcard $(1)))

all:
include instrument/rules.mk
include test/programs/instrument/rules.mk
all: $(PROGRAMS) $(INSTRUMENT_LIBS)

$(OUT)/common/frame/filter.o: COMPILE += -DWEIR_VERSION='"$(VERSION)"'
$(OUT)/libweir.a: $(call objects,common/*/*.c)
	rm -f $@
	$(AR) rcs $@ $^

.SECONDEXPANSION:
$(PROGRAMS): $(OUT)/%: $$(call objects,filters/%.c filters/%/*.c) \
		$(OUT)/libweir.a
	$(LINK) -o $@ $^ $(LIBS)

$(OUT)/test/programs/symbols: $(OUT)/filters/callgraph-symbolize/texts.o
$(TEST_PROGRAMS): %: %.o $(OUT)/libweir.a
	$(LINK) -o $@ $(filter %.o,$^) $(OUT)/libweir.a $(LIBS)

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
.SECONDARY:

# These two are for a fresh machine: they first install what is missing.
demo:
	@sh test/setup.sh build demo
	@$(MAKE) -s all
	@bash test/demo.sh $(OUT)

check:
	@sh test/setup.sh build test
	@$(MAKE) lint
	@$(MAKE) -j$(JOBS) check-once
ifndef SAN
	@$(MAKE) -j$(JOBS) check-once SAN=1
endif

# Runs the test files in parallel, the large ones first, but not the tests of a
# file: bats would start only two of them in a second.  There is one job more
# than there are cores, because some tests wait.
check-once: all $(TEST_PROGRAMS) $(MEASURED_PROGRAMS)
	WEIR_BUILD=$(OUT) bats --jobs $$(($(JOBS) + 1)) \
		--no-parallelize-within-files $(TESTS)
TESTS = $(shell ls -S test/*.bats)
JOBS = $(shell nproc)

# Needs root and a loop device; says so if they are missing.
check-powercut: all
	@sh test/setup.sh build powercut
	@bash test/powercut.sh $(OUT)

# Needs chromium, and speedscope from npm; says so if they are missing.
check-viewers:
	@sh test/setup.sh build test
	@sh test/setup.sh viewers || :
	@$(MAKE) -s -j$(JOBS) all \
		$(addprefix $(OUT)/test/programs/instrument/,cases throw)
	@bash test/viewers.sh $(OUT)

bench: all $(TEST_PROGRAMS)
	@sh test/setup.sh build bench
	@bash test/bench.sh $(OUT)

lint:
	@for h in common/*/*.h filters/*/*.h instrument/*.h; do \
		$(COMPILE) -Werror -fsyntax-only -include $$h -x c /dev/null \
		|| exit; done
	@for page in $(PAGES); do \
		mandoc -Tlint -W warning $$page || exit; done
	@python3 test/lint.py
	@echo lint: headers compile alone, layers and words are right, \
		pages are clean

install: all
	install -d $(DESTDIR)$(BINDIR)
	install $(PROGRAMS) $(DESTDIR)$(BINDIR)
	for page in $(PAGES); do \
		install -D -m 644 $$page \
		$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit; done
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(INSTRUMENT_LIBS) $(DESTDIR)$(LIBDIR)
	install -D -m 644 instrument/weir-instrument.h \
		$(DESTDIR)$(INCLUDEDIR)/weir-instrument.h
	sed -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		instrument/weir-instrument.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/weir-instrument.pc

uninstall:
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(notdir $(INSTRUMENT_LIBS)) \
		pkgconfig/weir-instrument.pc) \
		$(DESTDIR)$(INCLUDEDIR)/weir-instrument.h
	for name in $(FILTERS); do rm -f $(DESTDIR)$(BINDIR)/$$name; done
	for page in $(PAGES); do \
		rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done

clean:
	rm -rf build

.PHONY: all demo check check-once check-powercut check-viewers bench lint install uninstall clean
