#ifndef WEIR_INSTRUMENT_JMPBUF_H
#define WEIR_INSTRUMENT_JMPBUF_H

#include "instrument/instrument.h"

#pragma GCC visibility push(hidden)

struct __jmp_buf_tag;
typedef void jump_function(struct __jmp_buf_tag *, int);

/* The C library's functions, found by jmpbuf_init(); NULL before that. */
extern jump_function *real_longjmp, *real_siglongjmp, *real_longjmp_chk;

void jmpbuf_init(void);

/* Gets the stack pointer that a jump restores; false if it is not known. */
bool jmpbuf_sp(const struct __jmp_buf_tag *, uintptr_t *sp);

#pragma GCC visibility pop

#endif
