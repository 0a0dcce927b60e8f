/*
 * modules - which ELF file an address is in
 *
 * What was loaded is found in /proc/self/maps as soon as a function of it is
 * called, for it may be gone when its calls are emitted.  dl_iterate_phdr would
 * take a lock that the caller of dlopen has, and is not for signal handlers.
 */

#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include "instrument/instrument.h"
#include "instrument/sys.h"

enum { PATHS_SIZE = 1 << 20, MAPS_LINE_MAX = 4096 + 128, SEGMENTS_MAX = 64 };

struct modules *modules;
char *module_paths;
static size_t paths_used;
static int is_busy;

/* A mapping, as a line of /proc/self/maps has it. */
struct mapping {
	uintptr_t start, end, offset, inode;
	bool is_code;
	char *path;
};

/* Bytes of our own memory, which may vanish; so no pointer is followed. */
static bool
peek(uintptr_t address, void *to, size_t n)
{
	struct { void *at; size_t n; } here = { to, n },
	    there = { (void *)address, n };

	return SYS(process_vm_readv, own_pid, &here, 1, &there, 1, 0) ==
	    (long)n;
}

static uintptr_t
hex(char **p)
{
	uintptr_t value = 0;
	int digit;

	for (;; (*p)++) {
		if (**p >= '0' && **p <= '9')
			digit = **p - '0';
		else if (**p >= 'a' && **p <= 'f')
			digit = **p - 'a' + 10;
		else
			return value;
		value = value << 4 | (unsigned)digit;
	}
}

static void
skip_field(char **p)
{
	while (**p != ' ' && **p != '\0')
		(*p)++;
	while (**p == ' ')
		(*p)++;
}

/* START-END PERMISSIONS OFFSET DEVICE INODE      PATH */
static void
parse(char *line, struct mapping *m)
{
	m->start = hex(&line);
	line++;
	m->end = hex(&line);
	line++;
	for (m->is_code = false; *line != ' ' && *line != '\0'; line++)
		m->is_code |= *line == 'x';
	line++;
	m->offset = hex(&line);
	line++;
	skip_field(&line);
	m->inode = *line != '0';
	skip_field(&line);
	m->path = line;
}

/*
 * The path, less what the kernel adds to that of a file that was removed; a
 * newline in it, which it writes as \012, is as it should be.
 */
static size_t
store_path(const char *path)
{
	static const char removed[] = " (deleted)";
	size_t begin = paths_used, n = bytes_length(path);
	char *to = module_paths + begin;

	if (n + 1 > PATHS_SIZE - begin)
		return PATHS_SIZE - 1;		/* an empty one */
	if (n >= sizeof removed && bytes_equal(path + n - (sizeof removed - 1),
	    removed))
		n -= sizeof removed - 1;
	for (size_t i = 0; i < n; i++, to++) {
		*to = path[i];
		if (n - i >= 4 && path[i] == '\\' && path[i + 1] == '0' &&
		    path[i + 2] == '1' && path[i + 3] == '2') {
			*to = '\n';
			i += 3;
		}
	}
	*to = '\0';
	paths_used = (size_t)(to - module_paths) + 1;
	return begin;
}

static void
read_notes(struct module *m, uintptr_t at, size_t size)
{
	Elf64_Nhdr note;
	size_t need;
	char name[4];

	while (size >= sizeof note && peek(at, &note, sizeof note)) {
		need = sizeof note + ((note.n_namesz + 3u) & ~3u) +
		    ((note.n_descsz + 3u) & ~3u);
		if (need > size || note.n_namesz > size ||
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
		at += need;
		size -= need;
	}
}

/* From the program headers, which are in memory behind the ELF header. */
static void
read_elf(struct module *m)
{
	Elf64_Ehdr header;
	Elf64_Phdr p;
	uintptr_t end = m->end;

	if (!peek(m->start, &header, sizeof header) ||
	    header.e_ident[0] != 0x7f || header.e_ident[1] != 'E' ||
	    header.e_ident[2] != 'L' || header.e_ident[3] != 'F')
		return;
	m->is_elf = true;
	m->base = m->start;
	for (int i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!peek(m->start + header.e_phoff + (size_t)i * sizeof p, &p,
		    sizeof p))
			return;
		if (p.p_type == PT_LOAD && p.p_offset == 0)
			m->base = m->start - p.p_vaddr;
		if (p.p_type == PT_LOAD && m->base + p.p_vaddr + p.p_memsz >
		    end)
			end = m->base + p.p_vaddr + p.p_memsz;
		if (p.p_type == PT_NOTE && m->build_id_len == 0)
			read_notes(m, m->base + p.p_vaddr, p.p_memsz);
	}
	m->end = end;
}

static bool
is_known(uintptr_t address)
{
	static int last;	/* a guess, whoever writes it */
	const struct module *list = modules->list;
	int n = __atomic_load_n(&modules->n, __ATOMIC_ACQUIRE);
	int i = __atomic_load_n(&last, __ATOMIC_RELAXED);

	if (i < n && address >= list[i].start && address < list[i].end)
		return true;
	for (i = 0; i < n; i++)
		if (address >= list[i].start && address < list[i].end) {
			__atomic_store_n(&last, i, __ATOMIC_RELAXED);
			return true;
		}
	return false;
}

/*
 * A file is mapped piece by piece, the one with the ELF header first.  Of what
 * is no ELF file only code counts, so that it is not looked for again.
 */
static void
add(const struct mapping *first, const struct mapping *code)
{
	struct module *m = &modules->list[modules->n];

	if (modules->n == MODULES_MAX || is_known(code->start))
		return;
	*m = (struct module){ .start = code->start, .end = code->end };
	if (first->inode != 0 && bytes_equal(first->path, code->path)) {
		m->start = first->start;
		read_elf(m);
	}
	if (m->is_elf && m->end < code->end)
		m->end = code->end;
	m->path = store_path(code->path);
	__atomic_store_n(&modules->n, modules->n + 1, __ATOMIC_RELEASE);
}

static void
read_mapping(char *line, struct mapping *first, char *first_path)
{
	struct mapping m;

	parse(line, &m);
	if (m.inode != 0 && m.offset == 0 && !bytes_equal(m.path, first_path)) {
		*first = m;
		bytes_copy_string(first_path, m.path, MAPS_LINE_MAX);
		first->path = first_path;
	}
	if (m.is_code)
		add(first, &m);
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
			return;		/* no such line is written */
	}
}

int
modules_count(void)
{
	return modules == NULL ? 0 :
	    __atomic_load_n(&modules->n, __ATOMIC_ACQUIRE);
}

/* Whoever comes while another looks does not wait: emit will look again. */
bool
modules_ensure_known(uintptr_t address)
{
	int fd;

	if (modules == NULL || modules->n == MODULES_MAX ||
	    is_known(address) ||
	    __atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE) != 0)
		return true;
	fd = (int)SYS(open, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_maps(fd);
		SYS(close, fd);
	}
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
	return is_known(address);
}

void
modules_init(void)
{
	modules = sys_map(sizeof *modules);
	module_paths = sys_map(PATHS_SIZE);
	if (modules == NULL || module_paths == NULL)
		modules = NULL;
}

/* The thread that was looking is not there any more. */
void
modules_fork(void)
{
	is_busy = 0;
}
