/* elf - reads ELF files by libelf, and finds their debug information */

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/buf.h"
#include "common/base/err.h"
#include "common/base/hex.h"
#include "common/base/num.h"
#include "common/io/fd.h"
#include "common/program/elf.h"

/* ELFCOMPRESS_ZSTD, which the header of libelf 0.188 does not define. */
enum { COMPRESSED_ZSTD = 2 };

/*
 * The section flags that matter at run time.  objcopy --only-keep-debug clears
 * some of the others.
 */
enum { LOADED_FLAGS = SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_TLS };

static char message[512];

/* Sets *why and returns false. */
static PRINTF_LIKE(2, 3) bool
refuse(const char **why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	*why = message;
	return false;
}

/*
 * The text can be compared because libelf translates it only after a call of
 * setlocale(), and there is none.
 */
void
elf_check_memory(void)
{
	const char *last_error = elf_errmsg(0);

	/* Some functions of libelf replace the error by another one. */
	if (errno == ENOMEM || (last_error != NULL &&
	    strcmp(last_error, "out of memory") == 0))
		die("out of memory in libelf");
}

struct section {
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;
};

/*
 * Moves to the next section that libelf can read.  Start with { 0 }.  False if
 * there are no more.
 */
static bool
next_section(Elf *elf, struct section *s)
{
	size_t names;	/* the index of the section that has the names */

	if (elf_getshdrstrndx(elf, &names) != 0) {
		elf_check_memory();
		names = 0;
	}
	while ((s->scn = elf_nextscn(elf, s->scn)) != NULL) {
		if (gelf_getshdr(s->scn, &s->header) == NULL) {
			elf_check_memory();
			continue;
		}
		s->name = elf_strptr(elf, names, s->header.sh_name);
		if (s->name == NULL) {
			elf_check_memory();
			s->name = "";
		}
		return true;
	}
	elf_check_memory();
	return false;
}

/* Sets has_symbols, has_debug and has_zstd, and indexes the code. */
static void
read_sections(struct elf *e)
{
	size_t n = 0, cap = 0;
	struct section s = { 0 };
	const GElf_Shdr *h = &s.header;
	GElf_Chdr compression;
	struct interval *code = NULL;
	bool is_loaded;

	while (next_section(e->handle, &s)) {
		is_loaded = (h->sh_flags & SHF_ALLOC) != 0;
		if (is_loaded && (h->sh_flags & SHF_EXECINSTR) != 0 &&
		    h->sh_size <= UINT64_MAX - h->sh_addr) {
			code = mem_grow(code, &cap, n + 1, sizeof *code);
			code[n] = (struct interval){ h->sh_addr,
			    h->sh_addr + h->sh_size, (uint32_t)n };
			n++;
		}

		if (h->sh_type == SHT_SYMTAB)
			e->has_symbols = true;
		if (h->sh_type == SHT_NOBITS || is_loaded)
			continue;
		if (strcmp(s.name, ".debug_info") == 0 ||
		    strcmp(s.name, ".zdebug_info") == 0)
			e->has_debug = true;
		if (span_begins_with(span_str(s.name), ".debug_") &&
		    (h->sh_flags & SHF_COMPRESSED) != 0 &&
		    gelf_getchdr(s.scn, &compression) != NULL &&
		    compression.ch_type == COMPRESSED_ZSTD)
			e->has_zstd = true;
	}
	intervals_build(&e->code, code, n);
	free(code);
}

bool
elf_open(struct elf *e, const char *path, const char **why)
{
	bool is_valid = false;
	GElf_Ehdr header;
	const void *build_id;
	ssize_t n;

	*e = (struct elf){ .fd = -1 };
	elf_version(EV_CURRENT);
	if ((e->fd = fd_open_regular(path, &e->size, why)) < 0)
		return false;
	e->path = mem_strdup(path);
	errno = 0;
	e->handle = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	if (e->handle == NULL || elf_kind(e->handle) != ELF_K_ELF ||
	    gelf_getehdr(e->handle, &header) == NULL) {
		refuse(why, "it is not an ELF file");
	} else if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
		refuse(why, "it is neither a program nor a shared library%s",
		    header.e_type == ET_REL ? ": it is not linked yet" : "");
	} else {
		is_valid = true;
		read_sections(e);
		n = dwelf_elf_gnu_build_id(e->handle, &build_id);
		if (n > 0 && n <= BUILD_ID_MAX)
			hex_encode(e->build_id, build_id, (size_t)n);
	}
	elf_check_memory();
	if (!is_valid && err_is_failure(errno))
		die_errno("cannot read '%s'", path);
	if (!is_valid)
		elf_close(e);
	return is_valid;
}

void
elf_close(struct elf *e)
{
	if (e->handle != NULL)
		elf_end(e->handle);
	if (e->fd >= 0)
		close(e->fd);
	free(e->path);
	intervals_release(&e->code);
	*e = (struct elf){ .fd = -1 };
}

/* --- the file with the debug information --------------------------------- */

/* Whether a whole file has the CRC-32 that .gnu_debuglink stores. */
static bool
has_crc(const char *path, int fd, GElf_Word expected)
{
	unsigned char bytes[65536];
	uLong crc = crc32(0, NULL, 0);
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, bytes, sizeof bytes, at)) > 0) {
		crc = crc32(crc, bytes, (uInt)n);
		at += n;
	}
	if (n < 0)
		die_errno("cannot read '%s'", path);
	return crc == expected;
}

/*
 * Opens a file if it has e's debug information: its CRC must be *crc or, if crc
 * is NULL, its build id must be that of e.
 */
static bool
try_debug(const struct elf *e, const char *path, const GElf_Word *crc,
    struct elf *debug)
{
	const char *why;

	if (!elf_open(debug, path, &why))
		return false;
	if (debug->has_debug && (crc == NULL ?
	    strcmp(debug->build_id, e->build_id) == 0 :
	    has_crc(path, debug->fd, *crc)))
		return true;
	elf_close(debug);
	return false;
}

/* Sets *crc to the CRC-32 of the file, too. */
static const char *
debug_link(const struct elf *e, GElf_Word *crc)
{
	const char *name = dwelf_elf_gnu_debuglink(e->handle, crc);

	elf_check_memory();
	return name == NULL || *name == '\0' || strchr(name, '/') != NULL ?
	    NULL : name;
}

const char *
elf_debug_link(const struct elf *e)
{
	GElf_Word crc;

	return debug_link(e, &crc);
}

bool
elf_open_debug(const struct elf *e, const char *debug_dir, struct elf *debug)
{
	struct buf path = { 0 }, paths[3] = { { 0 } };
	bool found = false;
	const char *name;
	GElf_Word crc;
	char *dir;

	/* The first byte names a directory, and the others a file in it. */
	if (strlen(e->build_id) >= 4) {
		buf_printf(&path, "%s/.build-id/%.2s/%s.debug", debug_dir,
		    e->build_id, e->build_id + 2);
		found = try_debug(e, buf_cstr(&path), NULL, debug);
		buf_release(&path);
	}
	if (found)
		return true;

	if ((name = debug_link(e, &crc)) == NULL)
		return false;
	dir = realpath(e->path, NULL);
	if (dir == NULL && err_is_failure(errno))
		die_errno("cannot resolve '%s'", e->path);
	if (dir == NULL)
		return false;
	*strrchr(dir, '/') = '\0';
	buf_printf(&paths[0], "%s/%s", dir, name);
	buf_printf(&paths[1], "%s/.debug/%s", dir, name);
	buf_printf(&paths[2], "%s%s/%s", debug_dir, dir, name);
	for (size_t i = 0; i < 3; i++) {
		found = found || try_debug(e, buf_cstr(&paths[i]), &crc, debug);
		buf_release(&paths[i]);
	}
	free(dir);
	return found;
}

bool
elf_decompress(const struct elf *e)
{
	struct section s = { 0 };
	bool is_whole = true;

	while (next_section(e->handle, &s)) {
		if (!span_begins_with(span_str(s.name), ".debug_") ||
		    (s.header.sh_flags & SHF_COMPRESSED) == 0)
			continue;
		/* libelf reports a lack of memory in zlib as bad data. */
		errno = 0;
		if (elf_compress(s.scn, 0, 0) >= 0)
			continue;
		if (errno == ENOMEM)
			die("out of memory in libelf");
		is_whole = false;
	}
	return is_whole;
}

struct span
elf_debug_line(const struct elf *e, bool *is_big_endian)
{
	struct section s = { 0 };
	const Elf_Data *data;

	*is_big_endian = elf_getident(e->handle, NULL)[EI_DATA] == ELFDATA2MSB;
	while (next_section(e->handle, &s)) {
		if (strcmp(s.name, ".debug_line") != 0 &&
		    strcmp(s.name, ".zdebug_line") != 0)
			continue;
		data = elf_getdata(s.scn, NULL);
		elf_check_memory();
		if (data != NULL && data->d_buf != NULL)
			return span_of(data->d_buf, data->d_size);
	}
	return span_of("", 0);
}

/* --- comparing two programs ---------------------------------------------- */

/* Moves to the next section that is loaded at run time. */
static bool
next_loaded(Elf *elf, struct section *s)
{
	while (next_section(elf, s))
		if ((s->header.sh_flags & SHF_ALLOC) != 0)
			return true;
	return false;
}

/* The bytes of a section; NULL if they cannot be read. */
static const Elf_Data *
section_data(const struct section *s)
{
	const Elf_Data *data = elf_rawdata(s->scn, NULL);

	elf_check_memory();
	return data != NULL && (data->d_size == 0 || data->d_buf != NULL) ?
	    data : NULL;
}

/*
 * The bytes are compared only if both files have them: --only-keep-debug turns
 * sections into SHT_NOBITS.
 */
static bool
same_section(const struct section *a, const struct section *b,
    const char **why)
{
	const GElf_Shdr *x = &a->header, *y = &b->header;
	const Elf_Data *p, *q;

	if (strcmp(a->name, b->name) != 0)
		return refuse(why, "one has section %s where the other has %s",
		    a->name, b->name);
	if (x->sh_addr != y->sh_addr)
		return refuse(why, "section %s is at 0x%llx in one and at "
		    "0x%llx in the other", a->name, (unsigned long long)
		    x->sh_addr, (unsigned long long)y->sh_addr);
	if (x->sh_size != y->sh_size)
		return refuse(why, "section %s has %llu bytes in one and %llu "
		    "in the other", a->name, (unsigned long long)x->sh_size,
		    (unsigned long long)y->sh_size);
	if (((x->sh_flags ^ y->sh_flags) & LOADED_FLAGS) != 0)
		return refuse(why, "section %s has different flags", a->name);
	if (x->sh_type == SHT_NOBITS || y->sh_type == SHT_NOBITS)
		return true;
	p = section_data(a);
	q = section_data(b);
	if (p == NULL || q == NULL || p->d_size != q->d_size)
		return refuse(why, "section %s cannot be read", a->name);
	if (p->d_size > 0 && memcmp(p->d_buf, q->d_buf, p->d_size) != 0)
		return refuse(why, "section %s has different contents",
		    a->name);
	return true;
}

bool
elf_same_program(const struct elf *a, const struct elf *b, const char **why)
{
	struct section x = { 0 }, y = { 0 };
	GElf_Ehdr p, q;
	bool has_x, has_y;
	size_t n = 0;

	if (gelf_getehdr(a->handle, &p) == NULL ||
	    gelf_getehdr(b->handle, &q) == NULL)
		return refuse(why, "a header cannot be read");
	if (p.e_machine != q.e_machine ||
	    gelf_getclass(a->handle) != gelf_getclass(b->handle))
		return refuse(why, "they are for different machines");
	if (p.e_type != q.e_type)
		return refuse(why, "they are of different types");
	if (*a->build_id != '\0' && *b->build_id != '\0' &&
	    strcmp(a->build_id, b->build_id) != 0)
		return refuse(why, "section .note.gnu.build-id: one is %s, "
		    "the other is %s", a->build_id, b->build_id);

	for (;; n++) {
		has_x = next_loaded(a->handle, &x);
		has_y = next_loaded(b->handle, &y);
		if (!has_x || !has_y)
			break;
		if (!same_section(&x, &y, why))
			return false;
	}
	if (has_x || has_y)
		return refuse(why, "only one of them has section %s",
		    has_x ? x.name : y.name);
	return n > 0 || refuse(why, "they have no sections to compare");
}

/* --- symbols ------------------------------------------------------------- */

/* Finds .symtab, or else .dynsym, which strip(1) leaves. */
static bool
find_symbols(Elf *elf, struct section *found)
{
	struct section s = { 0 };
	bool any = false;

	while (next_section(elf, &s)) {
		if (s.header.sh_type == SHT_SYMTAB ||
		    (s.header.sh_type == SHT_DYNSYM && !any)) {
			*found = s;
			any = true;
		}
		if (s.header.sh_type == SHT_SYMTAB)
			return true;
	}
	return any;
}

bool
elf_is_code(const struct elf *e, uint64_t address)
{
	return intervals_find(&e->code, address) != INDEX_NONE;
}

/* Sets *kind; false if the symbol is neither a function nor a label. */
static bool
find_kind(const GElf_Sym *sym, const char *name, enum symbol_kind *kind)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (name == NULL || *name == '\0' || sym->st_shndx == SHN_UNDEF)
		return false;
	*kind = type == STT_FUNC ? SYMBOL_FUNCTION :
	    type == STT_GNU_IFUNC ? SYMBOL_INDIRECT : SYMBOL_LABEL;
	/* No label: on ARM, "$d" and such only say what follows. */
	return *kind != SYMBOL_LABEL || (type == STT_NOTYPE && *name != '$');
}

/*
 * Adds symbols like stub for the stubs of the procedure linkage table that jump
 * to the address in this slot, on x86-64 by "jmp *SLOT-NEXT(%rip)".
 */
static void
add_stubs_of_slot(const struct elf *e, uint64_t slot, struct symbol stub,
    struct symtab *t)
{
	static const unsigned char opcode[] = { 0xff, 0x25 };
	enum { STUB = 8, JUMP = sizeof opcode + sizeof(int32_t) };
	struct section s = { 0 };
	const unsigned char *p;
	const Elf_Data *data;
	int32_t distance;

	stub.size = STUB;
	while (next_section(e->handle, &s)) {
		data = strncmp(s.name, ".plt", 4) == 0 ? section_data(&s) :
		    NULL;
		for (size_t i = 0; data != NULL && i + JUMP <= data->d_size;
		    i++) {
			p = (const unsigned char *)data->d_buf + i;
			memcpy(&distance, p + sizeof opcode, sizeof distance);
			stub.address = s.header.sh_addr + i / STUB * STUB;
			if (memcmp(p, opcode, sizeof opcode) == 0 &&
			    s.header.sh_addr + i + JUMP + (uint64_t)distance ==
			    slot)
				symtab_add_symbol(t, stub);
		}
	}
}

/*
 * The address of an indirect function, such as one with gcc's target_clones, is
 * that of a stub.  The linker fills its slot by calling the resolver, at the
 * address of *indirect.
 */
static void
add_stubs(const struct elf *e, struct symbol indirect, struct symtab *t)
{
	struct section s = { 0 };
	GElf_Rela r;
	Elf_Data *data;

	while (next_section(e->handle, &s)) {
		data = s.header.sh_type == SHT_RELA ? elf_getdata(s.scn, NULL) :
		    NULL;
		for (int i = 0; data != NULL && gelf_getrela(data, i, &r) !=
		    NULL; i++)
			if (GELF_R_TYPE(r.r_info) == R_X86_64_IRELATIVE &&
			    (uint64_t)r.r_addend == indirect.address)
				add_stubs_of_slot(e, r.r_offset, indirect, t);
	}
}

void
elf_add_symbols(const struct elf *e, struct symtab *t)
{
	/* If an address has several names, a global one is the most useful. */
	static const int ranks[16] = { [STB_GLOBAL] = 2, [STB_WEAK] = 1 };
	struct section s;
	Elf_Data *data;
	GElf_Sym sym;
	struct symbol symbol;

	if (!find_symbols(e->handle, &s))
		return;
	data = elf_getdata(s.scn, NULL);
	elf_check_memory();
	if (data == NULL)
		return;
	for (int i = 0; gelf_getsym(data, i, &sym) != NULL; i++) {
		symbol.name = elf_strptr(e->handle, s.header.sh_link,
		    sym.st_name);
		if (!find_kind(&sym, symbol.name, &symbol.kind) ||
		    !elf_is_code(e, sym.st_value))
			continue;
		symbol.address = sym.st_value;
		symbol.size = sym.st_size;
		symbol.rank = ranks[GELF_ST_BIND(sym.st_info)];
		symtab_add_symbol(t, symbol);
		if (symbol.kind == SYMBOL_INDIRECT)
			add_stubs(e, symbol, t);
	}
	symtab_finish_symbols(t, &e->code);
}
