#ifndef WEIR_INSTRUMENT_H
#define WEIR_INSTRUMENT_H

/*
 * For programs that are compiled with -finstrument-functions and linked with
 * -lweir-instrument: see weir-instrument(3).  Nothing has to be called.
 */
#ifdef __cplusplus
extern "C" {
#endif

/*
 * A data point of the program's own, for callgraph-record(1) to write down:
 * at most 63 bytes of the name are kept.  Never waits and never fails; without
 * a wrapper it does nothing.  May be called from signal handlers.
 */
void weir_mark(const char *name, double value);

#ifdef __cplusplus
}
#endif

#endif
