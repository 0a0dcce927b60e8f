# rules.mk - test programs that the instrument measures, linked in several ways
#
# The suffix says how: NAME.noop is linked with the no-op library, and
# NAME.plain is compiled without hooks.

MEASURED_C = $(wildcard test/programs/instrument/*.c)
MEASURED_CXX = $(wildcard test/programs/instrument/*.cc)
MEASURED_PROGRAMS = $(patsubst %.c,$(OUT)/%,$(MEASURED_C)) \
	$(patsubst %.cc,$(OUT)/%,$(MEASURED_CXX)) \
	$(addprefix $(OUT)/test/programs/instrument/calls, \
	.nopie .static .staticpie .shared .asan .tsan .noop .plain) \
	$(addprefix $(OUT)/test/programs/instrument/, \
	cases.static cases.asan cases.tsan throw.static) \
	$(OUT)/test/programs/instrument/plugin.so
$(MEASURED_PROGRAMS): test/programs/instrument/rules.mk | \
	$(OUT)/test/programs/instrument
$(OUT)/test/programs/instrument:
	@mkdir -p $@

# A call that has become a jump has no call site.
HOOK_CFLAGS = $(DEBUG_FLAG) -O1 -finstrument-functions -Iinstrument \
	-fno-optimize-sibling-calls
# Otherwise clang assumes that malloc() and free() are those of the C library.
$(OUT)/test/programs/instrument/alloc: HOOK_CFLAGS += -fno-builtin
$(patsubst %.c,$(OUT)/%,$(MEASURED_C)): $(OUT)/%: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -o $@ $< $(OUT)/libweir-instrument.a
$(patsubst %.cc,$(OUT)/%,$(MEASURED_CXX)): $(OUT)/%: %.cc $(INSTRUMENT_LIBS)
	$(CXX) $(HOOK_CFLAGS) -o $@ $< $(OUT)/libweir-instrument.a
$(OUT)/%.nopie: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -fno-pie -no-pie -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.static: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -DSTATIC -fno-pie -static -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.staticpie: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -fPIE -static-pie -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.shared: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -o $@ $< -L$(OUT) -lweir-instrument \
		'-Wl,-rpath,$(abspath $(OUT))'
$(OUT)/%.static: %.cc $(INSTRUMENT_LIBS)
	$(CXX) $(HOOK_CFLAGS) -fno-pie -static -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.asan: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -fsanitize=address,undefined -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/%.tsan: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -fsanitize=thread -o $@ $< \
		$(OUT)/libweir-instrument.a
$(OUT)/test/programs/instrument/plugin.so: \
		test/programs/instrument/plugin/plugin.c
	$(CC) $(HOOK_CFLAGS) -fPIC -shared -o $@ $<
$(OUT)/%.noop: %.c $(INSTRUMENT_LIBS)
	$(CC) $(HOOK_CFLAGS) -o $@ $< $(OUT)/libweir-instrument-noop.a
$(OUT)/%.plain: %.c
	$(CC) -g -O1 -fno-optimize-sibling-calls -o $@ $<
