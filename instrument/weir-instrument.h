#ifndef WEIR_INSTRUMENT_H
#define WEIR_INSTRUMENT_H

/*
 * For programs that are compiled with -finstrument-functions and linked with
 * -lweir-instrument, see weir-instrument(3).  No call is required.
 */
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sends a mark, which is a value with a name, to the wrapper that started the
 * program, callgraph-record(1), which writes it as a record.  The name is
 * truncated to 63 bytes.  Does not wait for the wrapper, and does nothing
 * without one.  May be called in signal handlers.
 */
void weir_mark(const char *name, double value);

#ifdef __cplusplus
}
#endif

#endif
