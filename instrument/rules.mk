# rules.mk - the library libweir-instrument, and its twin that does nothing

# The instrument becomes part of other people's programs: always optimised, no
# sanitizer, no link-time optimisation, no function of the C library that the
# compiler thinks of, and thread-local storage that is cheap wherever it lies.
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
