# rules.mk - libweir-instrument, and a no-op library with the same symbols

# The instrument becomes part of other people's programs: so it is always
# optimised, without sanitizers or link-time optimisation.  The compiler must
# not insert calls of the C library (memcpy), nor a stack protector.  The TLS
# dialect makes thread-local storage cheap in a shared library too.
INSTRUMENT_CFLAGS = -g -O2
COMPILE_INSTRUMENT = $(CC) -std=c11 -D_GNU_SOURCE -I. $(WARN) \
	$(INSTRUMENT_CFLAGS) -fPIC -ffreestanding -fvisibility=hidden \
	-fno-stack-protector -fno-tree-loop-distribute-patterns \
	$(if $(findstring clang,$(CC)),,-mtls-dialect=gnu2)
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
INSTRUMENT_LIBS = $(addprefix $(OUT)/libweir-instrument, \
	$(if $(findstring x86_64,$(MACHINE)),.a .so) -noop.a -noop.so)

$(OUT)/instrument/%.o: instrument/%.c instrument/rules.mk
	@mkdir -p $(@D)
	$(COMPILE_INSTRUMENT) -MMD -MP -c -o $@ $<

# Each archive is a single object file: so a link never leaves out the
# interposed functions, and hidden names cannot collide with the program's.
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
