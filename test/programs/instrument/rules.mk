# rules.mk - programs for the instrument to measure, linked in several ways

MEASURED = $(wildcard test/programs/instrument/*.c)
MEASURED_CXX = $(wildcard test/programs/instrument/*.cc)
MEASURED_PROGRAMS = $(patsubst %.c,$(OUT)/%,$(MEASURED)) \
	$(patsubst %.cc,$(OUT)/%,$(MEASURED_CXX)) \
	$(addprefix $(OUT)/test/programs/instrument/calls, \
	.nopie .static .staticpie .shared .asan .tsan .noop .plain) \
	$(addprefix $(OUT)/test/programs/instrument/, \
	cases.static cases.asan cases.tsan throw.static) \
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
