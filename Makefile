# weir - filters that measure software.  Needs GNU make; see README.md.

VERSION = 0.1.0

# What these mean to shells and tools must not change what is built or tested.
unexport BASH_ENV CDPATH ENV GREP_OPTIONS POSIXLY_CORRECT

# These, CPPFLAGS and LDFLAGS may be set in the environment or on the command
# line.  make itself has defaults for CC and AR, without its option -R.
ifneq ($(filter default undefined,$(origin CC)),)
CC = gcc
endif
ifneq ($(filter default undefined,$(origin AR)),)
# The archiver of gcc-13 is gcc-ar-13.
AR = $(if $(CLANG),ar,$(or $(patsubst gcc%,gcc-ar%,$(filter gcc%,$(CC))), \
	gcc-ar))
endif
LD ?= ld
CXX ?= g++
OBJCOPY ?= objcopy
# What demangles: iberty, or stdc++ where libiberty is not available.
DEMANGLER ?= iberty
# With sanitizers lines are enough: with all that a debugger knows the compiler
# takes a fifth longer.
CFLAGS ?= $(DEBUG_FLAG) $(if $(SAN),-g1 -O1,-O3)

PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
EXAMPLESDIR = $(PREFIX)/share/doc/weir/examples
ADAPTERSDIR = $(PREFIX)/share/weir/adapters
BASHCOMPDIR = $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR = $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR = $(PREFIX)/share/fish/vendor_completions.d
DESTDIR =

CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null))
# valgrind 3.19 cannot read the DWARF 5 that clang writes.
DEBUG_FLAG = $(if $(CLANG),-gdwarf-4,-g)

# Everything that is built goes to OUT, which may be set on the command line.
# SAN=1 builds with the address and undefined-behaviour sanitizers, in OUT/san.
# They are linked statically, because loading them takes a quarter of the time
# of a short run; clang links them statically by default.  clang also reports
# p + 0 where p is NULL, as in a loop over an empty array.  That is defined from
# C2y on and by every compiler, and gcc does not report it.
OUT = build
ifdef SAN
override OUT := $(OUT)/san
CHECKS = -fsanitize=address,undefined -fno-sanitize-recover=all \
	$(if $(CLANG),-fno-sanitize=pointer-overflow, \
	-static-libasan -static-libubsan)
else
CHECKS = $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),, \
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif

# Keeps the path of this directory out of the debug information, so that builds
# in different directories give the same bytes.
MAP_PATHS = '-ffile-prefix-map=$(CURDIR)=.'

WARN = -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
	-Wpointer-arith -Wwrite-strings
HARDEN = -fPIE -fstack-protector-strong -fstack-clash-protection
COMPILE = $(CC) -std=c11 -D_XOPEN_SOURCE=700 -I. $(WARN) $(HARDEN) \
	$(MAP_PATHS) $(CHECKS) $(CPPFLAGS) $(CFLAGS)
LINK = $(CC) $(CFLAGS) $(MAP_PATHS) $(CHECKS) $(LDFLAGS) -pie -Wl,--as-needed \
	-Wl,-z,relro,-z,now
LIBS = -lyajl -lz -lzstd -lsqlite3 -lgit2 -lnettle -lyaml -ldw -lelf \
	-lutf8proc -lm \
	$(if $(filter stdc++,$(DEMANGLER)),-l:libstdc++.a,-l$(DEMANGLER))

# The inputs of the examples of README.md and the pages.
EXAMPLES := $(filter-out %/project,$(wildcard test/data/demo/*))

# A filter is filters/NAME.c, or a folder filters/NAME of several files.
FILTERS := $(sort $(basename $(notdir $(wildcard filters/*.c))) \
	$(notdir $(patsubst %/main.c,%,$(wildcard filters/*/main.c))))
PAGES := $(wildcard man/*.[1357])
ADAPTERS := $(wildcard filters/adapters/*.jq)

PROGRAMS = $(addprefix $(OUT)/,$(FILTERS))
TEST_PROGRAMS = $(patsubst %.c,$(OUT)/%, \
	$(wildcard test/unit/*.c test/gen/*.c test/programs/*.c))
objects = $(patsubst %.c,$(OUT)/%.o,$(wildcard $(1)))

all:
include instrument/rules.mk
include test/programs/instrument/rules.mk
all: $(PROGRAMS) $(INSTRUMENT_LIBS)

$(addprefix $(OUT)/common/filter/,filter.o boundary.o): \
	COMPILE += -DWEIR_VERSION='"$(VERSION)"'
ifeq ($(DEMANGLER),stdc++)
$(addprefix $(OUT)/,common/program/demangle.o test/unit/symbols.o): \
	COMPILE += -DDEMANGLE_BY_STDCXX
endif
$(OUT)/libweir.a: $(call objects,common/*/*.c)
	rm -f $@
	$(AR) rcs $@ $^

.SECONDEXPANSION:
$(PROGRAMS): $(OUT)/%: $$(call objects,filters/%.c filters/%/*.c) \
		$(OUT)/libweir.a
	$(LINK) -o $@ $^ $(LIBS)

# make-record contains the library that it loads into make.
RECORDER = $(OUT)/filters/make-record/recorder.so
$(RECORDER): $(wildcard filters/make-record/library/*.c) \
		filters/make-record/follow.c filters/make-record/follow.h \
		common/io/command.c common/io/command.h
	@mkdir -p $(@D)
	$(COMPILE_INSTRUMENT) -shared -s $(LDFLAGS) -Wl,-z,relro,-z,now -o $@ \
		$(filter %.c,$^)
$(OUT)/filters/make-record/workspace.o: $(RECORDER)
$(OUT)/filters/make-record/workspace.o: COMPILE += -DLIBRARY='"$(RECORDER)"'

$(OUT)/test/unit/shorten: $(OUT)/filters/callgraph-stat/shorten.o
$(TEST_PROGRAMS): %: %.o $(OUT)/libweir.a
	$(LINK) -o $@ $(filter %.o,$^) $(OUT)/libweir.a $(LIBS)

# Where a library is missing, says what to install, before the compiler stops at
# one header after the other.
$(OUT)/libraries: Makefile
	@mkdir -p $(OUT)
	@printf '#include <%s>\n' yajl/yajl_parse.h zlib.h zstd.h sqlite3.h git2.h \
		nettle/sha1.h yaml.h elfutils/libdw.h gelf.h utf8proc.h \
		$(if $(filter iberty,$(DEMANGLER)),libiberty/demangle.h) | \
		$(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only -x c - || { \
		sh test/setup.sh --dry-run build; exit 1; }
	@touch $@

# Scripts and styles as C strings, which .c files include.
$(OUT)/%.js.h $(OUT)/%.css.h: QUOTE = sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/'
$(OUT)/%.js.h: %.js Makefile
	@mkdir -p $(@D)
	$(QUOTE) $< >$@
$(OUT)/%.css.h: %.css Makefile
	@mkdir -p $(@D)
	$(QUOTE) $< >$@
$(OUT)/filters/callgraph-fold/flame.o: $(OUT)/filters/callgraph-fold/flame.js.h
$(OUT)/filters/timeline/page.o: $(addprefix $(OUT)/filters/timeline/,page.js.h \
	page.css.h)
$(addprefix $(OUT)/filters/,callgraph-fold/flame.o timeline/page.o): \
	COMPILE += -I$(OUT)

$(OUT)/%.o: %.c Makefile | $(OUT)/libraries
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
.SECONDARY:

# These two are for a fresh machine: they first install what is missing.
demo:
	@sh test/setup.sh build
	@echo "compiling $(words $(FILTERS)) filters, which takes a minute or two"
	@$(MAKE) -j$(JOBS) -s all || { status=$$?; \
		echo "The step \"compiling\" failed.  To run it again: make all"; \
		exit $$status; }
	@bash test/demo.sh '$(OUT)'

# What a change must pass.  T, F and SEED choose among the tests, and SAN=1 runs
# them under sanitizers: see weir-hacking(7).
check:
	@sh test/setup.sh build test
	@echo "compiling weir and the programs of its tests, which takes a minute"
	@$(MAKE) -j$(JOBS) -s check-once

# All that CI runs: also sanitizers, and tests of exhaustive inputs.
check-all:
	@status=0; $(MAKE) -s check ALL=1 || status=$$?; \
	$(MAKE) -s check ALL=1 SAN=1 && exit $$status

test: check

# Runs the test files in parallel, the long ones first, but not the tests of a
# file: bats would start only two of them in a second.  There are two jobs more
# than there are cores, because tests wait.  Tests with the tag exhaustive repeat
# for every place what other tests try for some.  Sanitizers have nothing to find
# in tests with the tag normal, nor where sources and pages are checked.  Those
# with the tag counted count instructions of what the default flags give.
check-once: tests $(if $T$F$(SAN),,lint)
	@FILTER='$F' JOBS=$$(($(JOBS) + 2)) TAGS='$(subst $() ,$(COMMA),$(TAGS))' \
		bash test/check.sh '$(abspath $(OUT))' $(TESTS)
COMMA = ,
TAGS = $(strip $(if $(SAN),!normal) $(if $(ALL)$T$F,,!exhaustive) \
	$(if $(filter file,$(origin CFLAGS)),,!counted))
TESTS = $(if $T,$(T:%=test/%.bats),$(LONG_TESTS) \
	$(filter-out $(LONG_TESTS),$(shell ls -S test/*.bats)))
LONG_TESTS = $(wildcard test/contract*.bats test/instrument.bats \
	test/failures.bats test/pidx-*.bats test/examples.bats test/ci.bats)
JOBS = $(shell nproc)

# Random inputs are the same in every run, but in this one.
check-random:
	@seed=$${SEED:-$$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')}; \
	$(MAKE) check-all SEED=$$seed || { status=$$?; \
	echo "to repeat this: make check-all SEED=$$seed"; exit $$status; }

# The file lets a test that is run by hand notice that this is missing.
tests: all $(TEST_PROGRAMS) $(MEASURED_PROGRAMS)
	@touch $(OUT)/tests

# Needs root and a loop device; says so if they are missing.
check-powercut: all
	@sh test/setup.sh build powercut
	@bash test/powercut.sh $(OUT)

# Needs chromium, and speedscope from npm; says so if they are missing.
check-viewers:
	@sh test/setup.sh build test
	@sh test/setup.sh viewers || :
	@$(MAKE) -s -j$(JOBS) all $(OUT)/test/gen/distbuild \
		$(addprefix $(OUT)/test/programs/instrument/,cases throw)
	@bash test/viewers.sh $(OUT)

# Needs a server of PostgreSQL, and DuckDB from npm; says so if they are missing.
check-databases: all $(OUT)/test/gen/mal
	@sh test/setup.sh build test
	@sh test/setup.sh databases || :
	@bash test/databases.sh $(OUT)

# Needs root, and Slurm for a part of it; says so if they are missing.  Installs
# sshd and Slurm: not for a machine where they must not be.
check-hosts: all
	@sh test/setup.sh build test hosts || :
	@sh test/setup.sh slurm || :
	@bash test/cluster/hosts.sh $(OUT)

# Needs root and debootstrap, and says so if they are missing: builds, installs
# and removes the packages on bare systems.
check-packages: dist
	@sh test/setup.sh systems || :
	@bash test/packages.sh $(DIST).gz

# Builds with each gcc-N and clang-N that is in PATH; a warning is an error.
COMPILERS = $(sort $(notdir $(wildcard $(foreach dir,$(subst :, ,$(PATH)), \
	$(dir)/gcc-[0-9]* $(dir)/clang-[0-9]*))))
check-compilers:
	@[ -n "$(COMPILERS)" ] || { echo no gcc-N or clang-N in PATH; exit 1; }
	@status=0; for cc in $(COMPILERS); do \
		$(MAKE) -s -j$(JOBS) CC="$$cc -Werror" CFLAGS=-O2 \
			OUT=$(OUT)/compilers/$$cc all && \
		rm -r $(OUT)/compilers/$$cc && echo "$$cc: no warnings" || \
		{ echo "$$cc: failed"; status=1; }; \
	done; exit $$status

# The picture in README.md.
pictures: all
	@PATH="$(CURDIR)/$(OUT):$$PATH" sh test/pictures.sh

# Simulates how often changes are found, and how often something else is.
check-statistics: $(OUT)/test/programs/statistics
	$< 1000

# The source of HEAD as an archive: the same bytes from each clone, whatever its
# owner has configured.
DIST = $(OUT)/weir-$(VERSION).tar
dist:
	@[ -e .git ] || { echo 'make dist needs a clone of the repository'; \
		exit 1; }
	@mkdir -p $(OUT)
	git -c tar.umask=022 -c core.autocrlf=false archive \
		--prefix=weir-$(VERSION)/ -o $(DIST) HEAD
	gzip -9nf $(DIST)

# Debian packages of this source, in a copy of it: debhelper wants a folder
# debian, and writes the packages beside the source.  Packages with debug
# information are left out, so that all that is there can be installed.
DEB = $(OUT)/deb/weir-$(VERSION)
deb:
	@sh test/setup.sh build packages
	rm -rf $(OUT)/deb
	mkdir -p $(DEB)
	cp -Rp Makefile README.md common filters instrument man test $(DEB)
	cp -Rp .debian $(DEB)/debian
	cd $(DEB) && env -u MAKEFLAGS -u MFLAGS \
		DEB_BUILD_OPTIONS="noautodbgsym $$DEB_BUILD_OPTIONS" \
		dpkg-buildpackage -b -us -uc -j$(JOBS)
	@ls $(OUT)/deb/*.deb

# Measures the filters as packages have them; AGAINST=REV, or several, those of
# commits, too, by turns.
bench:
	@sh test/setup.sh build bench
	@$(MAKE) -s -j$(JOBS) $(TEST_PROGRAMS)
	@bash test/bench.sh $(OUT) '$(DEBUG_FLAG) -O3 $(if $(CLANG),,-flto=auto)' \
		$(AGAINST)

lint:
	@for h in common/*/*.h filters/*/*.h instrument/*.h; do \
		$(COMPILE) -Werror -fsyntax-only -include $$h -x c /dev/null \
		|| exit; done
	@for page in $(PAGES); do \
		mandoc -Tlint -W warning $$page || exit; done
	@python3 test/lint.py
	@echo lint: headers compile alone, layers and words are right, \
		pages are clean

# Pages show scripts and makefiles, which are installed beside the inputs.
install: all
	install -d "$(DESTDIR)$(BINDIR)"
	install $(PROGRAMS) "$(DESTDIR)$(BINDIR)"
	for page in $(PAGES); do \
		install -D -m 644 $$page \
		"$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}" || exit; done
	sed -i -e 's|/usr/local/share/doc/weir/examples|$(EXAMPLESDIR)|' \
		-e 's|/usr/local/share/weir/adapters|$(ADAPTERSDIR)|' \
		-e 's|/usr/local/share/bash.*|$(BASHCOMPDIR)|' \
		-e 's|/usr/local/share/zsh.*|$(ZSHCOMPDIR)|' \
		-e 's|/usr/local/share/fish.*|$(FISHCOMPDIR)|' \
		"$(DESTDIR)$(MANDIR)"/man7/weir*.7
	install -d "$(DESTDIR)$(ADAPTERSDIR)"
	install -m 644 $(ADAPTERS) "$(DESTDIR)$(ADAPTERSDIR)"
	install -d "$(DESTDIR)$(BASHCOMPDIR)" "$(DESTDIR)$(ZSHCOMPDIR)" \
		"$(DESTDIR)$(FISHCOMPDIR)"
	for name in $(FILTERS); do \
		install -m 644 filters/completions/filter.bash \
		"$(DESTDIR)$(BASHCOMPDIR)/$$name" && \
		install -m 644 filters/completions/filter.fish \
		"$(DESTDIR)$(FISHCOMPDIR)/$$name.fish" || exit; done
	sed 's/@FILTERS@/$(FILTERS)/' filters/completions/_weir \
		>"$(DESTDIR)$(ZSHCOMPDIR)/_weir"
	install -d "$(DESTDIR)$(EXAMPLESDIR)"
	install -m 644 $(EXAMPLES) "$(DESTDIR)$(EXAMPLESDIR)"
	pages=$$(pwd)/man && cd "$(DESTDIR)$(EXAMPLESDIR)" && umask 022 && \
		awk -f "$$pages/files.awk" "$$pages"/*.[1357] >/dev/null
	install -d "$(DESTDIR)$(LIBDIR)/pkgconfig"
	install -m 644 $(filter %.a,$(INSTRUMENT_LIBS)) \
		$(SHARED_LIBS:=.$(VERSION)) "$(DESTDIR)$(LIBDIR)"
	cp -Pf $(SHARED_LIBS) $(SHARED_LIBS:=.$(ABI_VERSION)) \
		"$(DESTDIR)$(LIBDIR)"
	install -D -m 644 instrument/weir-instrument.h \
		"$(DESTDIR)$(INCLUDEDIR)/weir-instrument.h"
	sed -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@LIBRARY@|$(notdir $(firstword $(INSTRUMENT_LIBS)))|' \
		instrument/weir-instrument.pc.in \
		>"$(DESTDIR)$(LIBDIR)/pkgconfig/weir-instrument.pc"

# Folders that become empty are removed, too, except these.
SYSTEM_FOLDERS = /opt /usr/local/bin /usr/local/include /usr/local/lib \
	/usr/local/share /usr/local/share/man

uninstall:
	for file in $(notdir $(INSTRUMENT_LIBS) $(SHARED_LIBS:=.$(VERSION)) \
		$(SHARED_LIBS:=.$(ABI_VERSION))) pkgconfig/weir-instrument.pc; \
		do rm -f "$(DESTDIR)$(LIBDIR)/$$file"; done
	rm -f "$(DESTDIR)$(INCLUDEDIR)/weir-instrument.h"
	for file in $(notdir $(EXAMPLES)) \
		$$(awk -v list=1 -f man/files.awk $(PAGES)); \
		do rm -f "$(DESTDIR)$(EXAMPLESDIR)/$$file"; done
	for file in $(notdir $(ADAPTERS)); do \
		rm -f "$(DESTDIR)$(ADAPTERSDIR)/$$file"; done
	for name in $(FILTERS); do rm -f "$(DESTDIR)$(BINDIR)/$$name" \
		"$(DESTDIR)$(BASHCOMPDIR)/$$name" \
		"$(DESTDIR)$(FISHCOMPDIR)/$$name.fish"; done
	rm -f "$(DESTDIR)$(ZSHCOMPDIR)/_weir"
	for page in $(PAGES); do \
		rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}"; done
	for folder in "$(BINDIR)" "$(INCLUDEDIR)" "$(LIBDIR)/pkgconfig" \
		"$(ADAPTERSDIR)" "$(EXAMPLESDIR)" "$(BASHCOMPDIR)" \
		"$(ZSHCOMPDIR)" "$(FISHCOMPDIR)" "$(MANDIR)"/man1 "$(MANDIR)"/man3 \
		"$(MANDIR)"/man5 "$(MANDIR)"/man7; do \
		until case ' $(SYSTEM_FOLDERS) ' in \
			*" $(DESTDIR)$$folder "*) ;; \
			*) ! rmdir "$(DESTDIR)$$folder" 2>/dev/null;; esac; \
			do folder=$${folder%/*}; done; done

# A folder that the user has chosen may have other files, so only what was built
# is removed from it.
ifeq ($(OUT),build)
clean:
	rm -rf build
else
clean:
ifndef SAN
	@$(MAKE) clean SAN=1
endif
	rm -f $(PROGRAMS) $(TEST_PROGRAMS) $(MEASURED_PROGRAMS) \
		$(OUT)/libweir*.a $(OUT)/libweir*.so* $(OUT)/libraries $(OUT)/tests \
		$(DIST).gz \
		$(addprefix $(OUT)/demo/,build.log build.svg graph.json \
		history.ndjson records trace.json)
	for dir in $(wildcard $(addprefix $(OUT)/,common filters instrument test)); do \
		find $$dir -name '*.[od]' -o -name '*.so' -o -name '*.js.h' -o -name '*.css.h' | \
			xargs rm -f; \
		find $$dir -depth -type d -empty -delete; done
	rm -rf $(OUT)/deb
	-rmdir $(wildcard $(OUT)/demo) $(OUT) 2>/dev/null
endif

.PHONY: all demo check check-all test check-once check-random tests check-powercut \
	check-viewers check-databases check-hosts check-compilers \
	check-statistics dist deb check-packages \
	bench pictures lint install uninstall clean
