# rules.mk - libweir-instrument, and a no-op library with the same symbols

# The instrument becomes part of other people's programs: so it is always
# optimised, without sanitizers or link-time optimisation.  The compiler must
# not insert calls to the C library (memcpy), nor a stack protector, which only
# the shared library has.  gcc needs two options for the first; -ffreestanding
# would imply both, but then clang's <limits.h> lacks what POSIX defines.  The
# TLS dialect makes thread-local storage cheap in a shared library too.
INSTRUMENT_CFLAGS ?= $(DEBUG_FLAG) -O2
COMPILE_INSTRUMENT = $(CC) -std=c11 -D_GNU_SOURCE -I. $(WARN) \
	$(INSTRUMENT_CFLAGS) $(MAP_PATHS) -fPIC -fno-builtin -fvisibility=hidden \
	-fno-stack-protector $(if $(CLANG),, \
	-fno-tree-loop-distribute-patterns -mtls-dialect=gnu2)
# On other machines than x86-64 only the no-op libraries are built.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
INSTRUMENT_LIBS = $(addprefix $(OUT)/libweir-instrument, \
	$(if $(findstring x86_64,$(MACHINE)),.a .so) -noop.a -noop.so)
# The .so files are symbolic links for the linker.
SHARED_LIBS = $(filter %.so,$(INSTRUMENT_LIBS))
# The number in the soname: it changes when programs must be linked again.
ABI_VERSION = 0

$(OUT)/instrument/%.o: instrument/%.c instrument/rules.mk
	@mkdir -p $(@D)
	$(COMPILE_INSTRUMENT) -MMD -MP -c -o $@ $<

$(OUT)/instrument/%.shared.o: instrument/%.c instrument/rules.mk
	@mkdir -p $(@D)
	$(COMPILE_INSTRUMENT) -fstack-protector-strong \
		-fstack-clash-protection -MMD -MP -c -o $@ $<

# Each archive is a single object file: so a link never leaves out the
# interposed functions, and hidden names cannot collide with the program's.
INSTRUMENT_OBJECTS = $(filter-out %/noop.o,$(call objects,instrument/*.c))
$(OUT)/libweir-instrument.a: $(INSTRUMENT_OBJECTS)
$(OUT)/libweir-instrument-noop.a: $(OUT)/instrument/noop.o
$(filter %.a,$(INSTRUMENT_LIBS)):
	$(LD) -r -o $(@:.a=.o) $^
	$(OBJCOPY) --localize-hidden $(@:.a=.o)
	rm -f $@
	$(AR) rcs $@ $(@:.a=.o)
	rm -f $(@:.a=.o)

$(OUT)/libweir-instrument.so: $(INSTRUMENT_OBJECTS:.o=.shared.o)
$(OUT)/libweir-instrument-noop.so: $(OUT)/instrument/noop.shared.o
$(SHARED_LIBS):
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F).$(ABI_VERSION) -Wl,-z,relro,-z,now \
		-o $@.$(VERSION) $^
	ln -sf $(@F).$(VERSION) $@.$(ABI_VERSION)
	ln -sf $(@F).$(VERSION) $@
