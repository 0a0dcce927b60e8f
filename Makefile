# weir - filters that measure software.  GNU make; README.md says the rest.

CC = gcc
AR = gcc-ar
CFLAGS = -g $(if $(SAN),-O1,-O3 -flto=auto)
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
DESTDIR =

# SAN=1 builds with the address and undefined-behaviour sanitizers, apart.
ifdef SAN
OUT = build/san
CHECKS = -fsanitize=address,undefined -fno-sanitize-recover=all
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

# The instrument becomes part of other people's programs: always optimised, no
# sanitizer, no link-time optimisation, no function of the C library that the
# compiler thinks of, and thread-local storage that is cheap wherever it lies.
INSTRUMENT_CFLAGS = -g -O2
COMPILE_INSTRUMENT = $(CC) -std=c11 -D_GNU_SOURCE -I. $(WARN) \
	$(INSTRUMENT_CFLAGS) -fPIC -ffreestanding -fvisibility=hidden \
	-fno-stack-protector -fno-tree-loop-distribute-patterns \
	$(if $(findstring clang,$(CC)),,-mtls-dialect=gnu2)
INSTRUMENT_LIBS = $(addprefix $(OUT)/libweir-instrument, \
	$(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),.a .so) \
	-noop.a -noop.so)

PROGRAMS = $(addprefix $(OUT)/,$(FILTERS))
TEST_PROGRAMS = $(patsubst %.c,$(OUT)/%, \
	$(wildcard test/unit/*.c test/gen/*.c test/programs/*.c))
objects = $(patsubst %.c,$(OUT)/%.o,$(wildcard $(1)))

all: $(PROGRAMS) $(INSTRUMENT_LIBS)

$(OUT)/libweir.a: $(call objects,common/*.c)
	rm -f $@
	$(AR) rcs $@ $^

.SECONDEXPANSION:
$(PROGRAMS): $(OUT)/%: $$(call objects,filters/%.c filters/%/*.c) \
		$(OUT)/libweir.a
	$(LINK) -o $@ $^ $(LIBS)

$(TEST_PROGRAMS): %: %.o $(OUT)/libweir.a
	$(LINK) -o $@ $^ $(LIBS)

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

$(OUT)/instrument/%.o: instrument/%.c Makefile
	@mkdir -p $(@D)
	$(COMPILE_INSTRUMENT) -MMD -MP -c -o $@ $<

# Each archive is one object, so that what is interposed is never left out, and
# its hidden names are nobody's else.
INSTRUMENT_OBJECTS = $(filter-out %/noop.o,$(call objects,instrument/*.c))
$(OUT)/libweir-instrument.a: $(INSTRUMENT_OBJECTS)
$(OUT)/libweir-instrument-noop.a: $(OUT)/instrument/noop.o
$(filter %.a,$(INSTRUMENT_LIBS)):
	$(LD) -r -o $(@:.a=.o) $^
	objcopy --localize-hidden $(@:.a=.o)
	rm -f $@
	ar rcs $@ $(@:.a=.o)
	rm -f $(@:.a=.o)

$(OUT)/libweir-instrument.so: $(INSTRUMENT_OBJECTS)
$(OUT)/libweir-instrument-noop.so: $(OUT)/instrument/noop.o
$(filter %.so,$(INSTRUMENT_LIBS)):
	$(CC) -shared -Wl,-soname,$(@F) -Wl,-z,relro,-z,now -o $@ $^

# Programs to be measured, in one file each, linked in several ways.
MEASURED = $(wildcard test/programs/instrument/*.c)
MEASURED_CXX = $(wildcard test/programs/instrument/*.cc)
MEASURED_PROGRAMS = $(patsubst %.c,$(OUT)/%,$(MEASURED)) \
	$(patsubst %.cc,$(OUT)/%,$(MEASURED_CXX)) \
	$(addprefix $(OUT)/test/programs/instrument/calls, \
	.nopie .static .staticpie .shared .asan .tsan .noop .plain) \
	$(addprefix $(OUT)/test/programs/instrument/, \
	cases.static throw.static) \
	$(OUT)/test/programs/instrument/plugin.so
MEASURE = -g -O1 -finstrument-functions -Iinstrument
$(patsubst %.c,$(OUT)/%,$(MEASURED)): $(OUT)/%: %.c $(INSTRUMENT_LIBS)
	@mkdir -p $(@D)
	$(CC) $(MEASURE) -o $@ $< $(OUT)/libweir-instrument.a
$(patsubst %.cc,$(OUT)/%,$(MEASURED_CXX)): $(OUT)/%: %.cc $(INSTRUMENT_LIBS)
	@mkdir -p $(@D)
	$(CXX) $(MEASURE) -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.nopie: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -fno-pie -no-pie -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.static: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -DSTATIC -fno-pie -static -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.staticpie: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -fPIE -static-pie -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.shared: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -o $@ $< -L$(OUT) -lweir-instrument \
		-Wl,-rpath,$(abspath $(OUT))
$(OUT)/%.static: %.cc $(INSTRUMENT_LIBS)
	$(CXX) $(MEASURE) -fno-pie -static -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.asan: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -fsanitize=address,undefined -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.tsan: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -fsanitize=thread -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/test/programs/instrument/plugin.so: \
		test/programs/instrument/plugin/plugin.c
	@mkdir -p $(@D)
	$(CC) $(MEASURE) -fPIC -shared -o $@ $<
$(OUT)/%.noop: %.c $(INSTRUMENT_LIBS)
	$(CC) $(MEASURE) -o $@ $< $(OUT)/libweir-instrument-noop.a
$(OUT)/%.plain: %.c
	$(CC) -g -O1 -o $@ $<

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
.SECONDARY:

# The two commands for a fresh machine install what is missing first.
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

# Files side by side, the large ones first; of the tests of one file bats starts
# a pair a second.
check-once: all $(TEST_PROGRAMS) $(MEASURED_PROGRAMS)
	WEIR_BUILD=$(OUT) bats --jobs $(JOBS) --no-parallelize-within-files \
		$(TESTS)
TESTS = $(shell ls -S test/*.bats)
JOBS = $(shell nproc)

# Needs root and a loop device: says so where it has not.
check-powercut: all
	@sh test/setup.sh build powercut
	@bash test/powercut.sh $(OUT)

# Needs chromium, and speedscope from npm: says so where they are not to be had.
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
	@for h in common/*.h filters/*/*.h instrument/*.h; do \
		$(COMPILE) -Werror -fsyntax-only -include $$h -x c /dev/null \
		|| exit; done
	@for page in $(PAGES); do \
		mandoc -Tlint -W warning $$page || exit; done
	@echo lint: headers stand alone, pages are clean

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
	sed 's|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|' \
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
