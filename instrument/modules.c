/*
 * modules - which ELF file contains an address
 *
 * At the first call of a function in an unknown module, /proc/self/maps is read
 * at once, because a library may be unloaded before the wrapper asks for it.
 * dl_iterate_phdr() is not an option: it takes a lock that the caller of
 * dlopen() holds, and it must not be called in a signal handler.
 */

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>

#include "instrument/bytes.h"
#include "instrument/instrument.h"
#include "instrument/modules.h"
#include "instrument/shared.h"
#include "instrument/state.h"
#include "instrument/sys.h"

/* A line of /proc/self/maps: a path of 4096 bytes, and the other fields. */
enum { MAPS_LINE_MAX = 4096 + 128, SEGMENTS_MAX = 64 };
enum { RET = 0xc3, ENDBR64 = 0xf3 };	/* first bytes of instructions */
#define PAGE_MASK (~(uintptr_t)4095)

static size_t paths_used;
static int is_reading;
static bool is_wanted;	/* the maps are to be read again */

/* A line of /proc/self/maps. */
struct mapping {
	uintptr_t start, end, offset;
	uint64_t inode;		/* 0: no file */
	bool is_code;
	char *path;
};

/*
 * Copies memory of this process.  Another thread may unmap it at any time: then
 * this returns false, where a plain access would crash.  The system call gets
 * the id of this thread, because the main thread, whose id is own_pid, may have
 * ended and have no memory.
 */
static bool
peek(uintptr_t address, void *to, size_t n)
{
	struct { void *base; size_t n; } local = { to, n },
	    remote = { (void *)address, n };

	return SYS(process_vm_readv, SYS(gettid, 0), &local, 1, &remote, 1, 0)
	    == (long)n;
}

/* Returns the number at *p, and advances *p past it and the next character. */
static uintptr_t
read_number(char **p, unsigned radix)
{
	uintptr_t value = 0;
	char c;

	for (;;) {
		c = *(*p)++;
		if (c >= '0' && c <= '9')
			value = value * radix + (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * radix + (unsigned)(c - 'a' + 10);
		else
			return value;
	}
}

/* Parses "START-END PERMISSIONS OFFSET DEVICE INODE      PATH". */
static void
parse_line(char *line, struct mapping *m)
{
	m->start = read_number(&line, 16);
	m->end = read_number(&line, 16);
	m->is_code = line[2] == 'x';
	line += sizeof "rwxp";
	m->offset = read_number(&line, 16);
	read_number(&line, 16);		/* major and minor number */
	read_number(&line, 16);
	m->inode = read_number(&line, 10);
	while (*line == ' ')
		line++;
	m->path = line;
}

/*
 * Stores the path and returns its offset in shared->paths.  Removes the suffix
 * that the kernel adds if the file was deleted, and restores newlines, which
 * the kernel writes as \012.
 */
static size_t
store_path(const char *path)
{
	static const char suffix[] = " (deleted)";
	size_t begin = paths_used, n = bytes_length(path);
	char *to = shared->paths + begin;

	if (n + 1 > PATHS_SIZE - begin)
		return PATHS_SIZE - 1;		/* an empty string */
	if (n >= sizeof suffix && bytes_equal(path + n - (sizeof suffix - 1),
	    suffix))
		n -= sizeof suffix - 1;
	for (size_t i = 0; i < n; i++, to++) {
		*to = path[i];
		if (n - i >= 4 && path[i] == '\\' && path[i + 1] == '0' &&
		    path[i + 2] == '1' && path[i + 3] == '2') {
			*to = '\n';
			i += 3;
		}
	}
	*to = '\0';
	paths_used = (size_t)(to - shared->paths) + 1;
	return begin;
}

/* Finds the build ID among the notes of a PT_NOTE segment. */
static void
read_notes(struct shared_module *m, uintptr_t at, size_t size)
{
	Elf64_Nhdr note;
	size_t note_size;
	char name[4];

	while (size >= sizeof note && peek(at, &note, sizeof note)) {
		note_size = sizeof note + ((note.n_namesz + 3u) & ~3u) +
		    ((note.n_descsz + 3u) & ~3u);
		if (note_size > size || note.n_namesz > size ||
		    note.n_descsz > size)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz <= sizeof m->build_id &&
		    peek(at + sizeof note, name, 4) &&
		    bytes_equal(name, "GNU") &&
		    peek(at + sizeof note + 4, m->build_id, note.n_descsz)) {
			m->build_id_len = (unsigned char)note.n_descsz;
			return;
		}
		at += note_size;
		size -= note_size;
	}
}

/*
 * Reads the program headers from a mapping of the beginning of the file.  The
 * program may have mapped that more than once; where the code is mapped
 * determines the base.  Code in anonymous memory has replaced that of the file,
 * for example by huge pages.
 */
static void
read_elf(struct shared_module *m, uintptr_t beginning,
    const struct mapping *code)
{
	static Elf64_Phdr list[SEGMENTS_MAX];	/* the stack may be small */
	Elf64_Phdr *p, *end;
	Elf64_Ehdr header;
	uintptr_t base = beginning, at;

	if (!peek(beginning, &header, sizeof header) ||
	    header.e_ident[0] != 0x7f || header.e_ident[1] != 'E' ||
	    header.e_ident[2] != 'L' || header.e_ident[3] != 'F')
		return;
	end = list + (header.e_phnum < SEGMENTS_MAX ? header.e_phnum :
	    SEGMENTS_MAX);
	if (!peek(beginning + header.e_phoff, list, (size_t)(end - list) *
	    sizeof *list))
		return;

	for (p = list; p < end && !m->is_elf; p++) {
		if (p->p_type != PT_LOAD)
			continue;
		if (code->inode != 0)
			base = code->start - code->offset + p->p_offset -
			    p->p_vaddr;
		else if (p->p_offset == 0)
			base = beginning - p->p_vaddr;
		at = code->start - base;
		m->is_elf = (p->p_flags & PF_X) && at < p->p_vaddr +
		    p->p_memsz && at >= (p->p_vaddr & PAGE_MASK);
	}
	if (!m->is_elf)
		return;
	m->base = base;
	for (p = list; p < end; p++) {
		at = base + p->p_vaddr;
		if (p->p_type == PT_DYNAMIC)
			m->dynamic = at;
		if (p->p_type == PT_NOTE && m->build_id_len == 0)
			read_notes(m, at, p->p_memsz);
		if (p->p_type == PT_LOAD && (at & PAGE_MASK) < m->start)
			m->start = at & PAGE_MASK;
		if (p->p_type == PT_LOAD && at + p->p_memsz > m->end)
			m->end = at + p->p_memsz;
	}
}

/* The module that contains the address, or NULL if it has not been added. */
static struct shared_module *
find(uintptr_t address)
{
	static int last;	/* index found last by any thread: a guess */
	struct shared_module *list = shared->modules;
	int n = __atomic_load_n(&shared->n_modules, __ATOMIC_ACQUIRE);
	int i = __atomic_load_n(&last, __ATOMIC_RELAXED);

	if (i < n && address >= list[i].start && address < list[i].end)
		return &list[i];
	for (i = 0; i < n; i++)
		if (address >= list[i].start && address < list[i].end) {
			__atomic_store_n(&last, i, __ATOMIC_RELAXED);
			return &list[i];
		}
	return NULL;
}

/*
 * Adds the module that an executable mapping belongs to; first is a mapping of
 * the beginning of a file, perhaps of the same.  Executable memory that is not
 * an ELF file (the vdso, generated code) is added too, so that the maps are not
 * read again for each address in it.
 */
static void
add_module(const struct mapping *first, const struct mapping *code)
{
	struct shared_module *m = find(code->start);

	if (m != NULL && m->is_elf && code->inode != 0)
		m->is_replaced |= m->inode != code->inode;
	if (m != NULL || shared->n_modules == MODULES_MAX)
		return;
	m = &shared->modules[shared->n_modules];
	*m = (struct shared_module){ .start = code->start, .end = code->end,
	    .inode = first->inode };
	if (first->inode != 0 && (code->inode == 0 ||
	    (code->inode == first->inode &&
	    bytes_equal(first->path, code->path))))
		read_elf(m, first->start, code);
	m->path = store_path(m->is_elf ? first->path : code->path);
	__atomic_store_n(&shared->n_modules, shared->n_modules + 1,
	    __ATOMIC_RELEASE);
}

/*
 * Adds the module of a line of /proc/self/maps, if it is executable.  The
 * mappings of a library are in consecutive lines: *first is the first mapping
 * of the file that the previous lines were about, and first_path its path.
 */
static void
read_mapping(char *line, struct mapping *first, char *first_path)
{
	struct mapping m;

	parse_line(line, &m);
	if (m.inode != 0 && m.offset == 0 && (m.inode != first->inode ||
	    !bytes_equal(m.path, first_path))) {
		*first = m;
		bytes_copy_string(first_path, m.path, MAPS_LINE_MAX);
		first->path = first_path;
	}
	if (m.is_code)
		add_module(first, &m);
}

static void
read_maps(int fd)
{
	static char text[2 * MAPS_LINE_MAX], path[MAPS_LINE_MAX];
	struct mapping first = { .path = path };
	size_t n = 0, begin, i;
	long got;

	path[0] = '\0';
	while ((got = SYS(read, fd, text + n, sizeof text - n)) > 0) {
		n += (size_t)got;
		for (begin = i = 0; i < n; i++)
			if (text[i] == '\n') {
				text[i] = '\0';
				read_mapping(text + begin, &first, path);
				begin = i + 1;
			}
		n -= begin;
		bytes_move_down(text, text + begin, n);
		if (n >= MAPS_LINE_MAX)
			return;		/* no valid line is that long */
	}
}

/*
 * If another thread is reading the maps, or the code that a signal handler has
 * interrupted, this does not wait: they are read again there.
 */
void
modules_read_all(void)
{
	int fd;

	__atomic_store_n(&is_wanted, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&is_wanted, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&is_reading, 1, __ATOMIC_SEQ_CST) == 0) {
		__atomic_store_n(&is_wanted, false, __ATOMIC_SEQ_CST);
		fd = (int)SYS(open, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			read_maps(fd);
			SYS(close, fd);
		}
		__atomic_store_n(&is_reading, 0, __ATOMIC_SEQ_CST);
	}
}

void
modules_ensure_known(uintptr_t address)
{
	if (!is_confined && shared->n_modules < MODULES_MAX &&
	    find(address) == NULL)
		modules_read_all();
}

void
modules_find_program(void)
{
	uintptr_t headers = getauxval(AT_PHDR);
	const struct shared_module *m;

	modules_ensure_known(headers);
	m = find(headers);
	shared->program = m != NULL ? m->path :
	    store_path((const char *)getauxval(AT_EXECFN));
	shared->program_inode = m != NULL ? m->inode : 0;
}

/* --- hooks that are not called --- */

/* Where [at, at + n) contains the string, or 0. */
static uintptr_t
find_string(uintptr_t at, size_t n, const char *s)
{
	static char text[4096];
	size_t len = bytes_length(s) + 1, got;

	for (; n >= len; at += got - len + 1, n -= got - len + 1) {
		got = n < sizeof text ? n : sizeof text;
		if (!peek(at, text, got))
			return 0;
		for (size_t i = 0; i + len <= got; i++)
			if (text[i] == s[0] && bytes_equal(text + i, s))
				return at + i;
	}
	return 0;
}

/* The dynamic section of a module: values by tag. */
struct dynamic {
	uintptr_t values[DT_NUM];
};

/* Is this relocation that of the undefined symbol whose name is at string? */
static bool
is_of(const Elf64_Rela *r, const struct dynamic *d, uintptr_t string)
{
	Elf64_Sym s;

	return (ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT ||
	    ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT) &&
	    peek(d->values[DT_SYMTAB] + sizeof s * ELF64_R_SYM(r->r_info), &s,
	    sizeof s) && s.st_name == string - d->values[DT_STRTAB] &&
	    s.st_shndx == SHN_UNDEF;
}

/*
 * The address to which the dynamic linker has bound that symbol, if one of the
 * relocations in [at, end) is of it; or 0.
 */
static uintptr_t
find_bound(const struct shared_module *m, const struct dynamic *d,
    uintptr_t string, uintptr_t at, uintptr_t end)
{
	static Elf64_Rela list[128];
	uintptr_t bound = 0;
	size_t n;

	for (; at < end; at += n * sizeof *list) {
		n = (end - at) / sizeof *list;
		if (n > sizeof list / sizeof *list)
			n = sizeof list / sizeof *list;
		if (n == 0 || !peek(at, list, n * sizeof *list))
			return 0;
		for (size_t i = 0; i < n; i++)
			if (is_of(&list[i], d, string) && peek(m->base +
			    list[i].r_offset, &bound, sizeof bound))
				return bound;
	}
	return 0;
}

/* Is the function of this name empty that the module calls? */
static bool
calls_empty(const struct shared_module *m, const char *name)
{
	struct dynamic d = { 0 };
	uintptr_t at, string, bound = 0;
	unsigned char code[5] = { 0 };
	Elf64_Dyn entry;

	/* The dynamic linker has made absolute addresses of the offsets. */
	for (at = m->dynamic; at != 0 && peek(at, &entry, sizeof entry) &&
	    entry.d_tag != DT_NULL; at += sizeof entry)
		if (entry.d_tag > 0 && entry.d_tag < DT_NUM)
			d.values[entry.d_tag] = entry.d_un.d_val;
	string = find_string(d.values[DT_STRTAB], d.values[DT_STRSZ], name);
	if (string != 0)
		bound = find_bound(m, &d, string, d.values[DT_JMPREL],
		    d.values[DT_JMPREL] + d.values[DT_PLTRELSZ]);
	if (string != 0 && bound == 0)
		bound = find_bound(m, &d, string, d.values[DT_RELA],
		    d.values[DT_RELA] + d.values[DT_RELASZ]);
	return peek(bound, code, sizeof code) && (code[0] == RET ||
	    (code[0] == ENDBR64 && code[4] == RET));
}

void
modules_find_uncounted(void)
{
	struct shared_module *m = shared->modules;

	modules_read_all();
	for (int i = 0; i < shared->n_modules; i++, m++)
		m->is_uncounted = m->is_elf && !m->is_replaced &&
		    calls_empty(m, "__cyg_profile_func_enter");
}

/* A thread that was reading the maps does not exist in the child. */
void
modules_fork(void)
{
	is_reading = 0;
	paths_used = 0;
}
