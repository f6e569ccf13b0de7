/* SPDX-License-Identifier: MIT */
#include "tools/symbols.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/complain.h"
#include "tools/writer.h"

#define CACHE_BITS  14u
#define CACHE_SIZE  (1u << CACHE_BITS)
#define NAME_MOST   80 /* characters; struct place has room for "+0x" and 16 digits more */
#define LAST_LENGTH 4096u
#define ID_TEXT     (2 * sizeof(((struct dump_machine *)0)->build_id) + 1)

struct symbol {
    uint64_t start, end;
    const char *name; /* in the ELF's string table */
    size_t index;     /* its number there */
    bool global, weak, function;
};

struct line {
    uint64_t address;
    const char *file; /* without folders; NULL: no source lines from here on */
    unsigned number;
};

struct symbols {
    char *path;
    int fd;
    Elf *elf;
    Dwarf *dwarf;
    struct symbol *symbol;
    size_t count;
    struct segment *segment;
    size_t segments;
    struct line *line;
    size_t lines, lines_room;
    bool lines_read;
    const uint8_t *build_id;
    size_t build_id_length;
    bool refused;                /* the ELF belongs to another build */
    const uint8_t *kernel_table; /* the section .symbols, see kernel/symbols.awk; NULL: there is none */
    uint64_t image_end;
    struct place cache[CACHE_SIZE];
};

/* ---- reading the ELF ------------------------------------------------------------------------------------------- */

static int by_start(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* Whether the second of two symbols at one address is the better one. */
static bool second_is_better(const struct symbol *a, const struct symbol *b)
{
    size_t a_length = strlen(a->name), b_length = strlen(b->name);

    if ((a->end > a->start) != (b->end > b->start))
        return b->end > b->start;
    if (a->weak != b->weak)
        return a->weak;
    if (a->global != b->global)
        return b->global;
    if (underscores(a->name) != underscores(b->name))
        return underscores(b->name) < underscores(a->name);
    return b_length > a_length;
}

/*
 * Whether a name from the ELF is safe in a terminal, a spreadsheet and a stack of calls: printable ASCII that begins no
 * formula and separates no frames. Compilers write no others.
 */
static bool is_plain(const char *name)
{
    if (strchr("=+-@ ", name[0]) != NULL)
        return false; /* or empty */
    for (; *name != '\0'; name++)
        if (*name < ' ' || *name > '~' || *name == ';')
            return false;
    return true;
}

static bool counts(Elf *elf, const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    GElf_Shdr header;
    Elf_Scn *section;

    if (name == NULL || !is_plain(name) || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
        return false;
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE)
        return false;
    section = elf_getscn(elf, symbol->st_shndx);
    return section != NULL && gelf_getshdr(section, &header) != NULL && (header.sh_flags & SHF_ALLOC) != 0;
}

static bool read_symbols(struct symbols *symbols)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    Elf_Data *data = NULL;
    size_t room, kept = 0;

    while ((section = elf_nextscn(symbols->elf, section)) != NULL)
        if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_SYMTAB) {
            data = elf_getdata(section, NULL);
            break;
        }
    if (data == NULL || header.sh_entsize == 0) {
        complain(symbols->path, "no symbol table; use an ELF that is not stripped");
        return false;
    }

    room = data->d_size / header.sh_entsize;
    symbols->symbol = allocated(calloc(room + 1, sizeof(*symbols->symbol)));
    for (size_t i = 0; i < room; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            break;
        const char *name = elf_strptr(symbols->elf, header.sh_link, symbol.st_name);
        if (counts(symbols->elf, &symbol, name))
            symbols->symbol[symbols->count++] = (struct symbol){
                .start = symbol.st_value,
                .end = symbol.st_value + symbol.st_size,
                .name = name,
                .index = i,
                .global = GELF_ST_BIND(symbol.st_info) == STB_GLOBAL,
                .weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK,
                .function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC,
            };
    }
    if (symbols->count == 0) {
        complain(symbols->path, "no usable symbols in the symbol table; give the kernel's ELF");
        return false;
    }

    struct symbol *all = symbols->symbol;
    qsort(all, symbols->count, sizeof(*all), by_start);
    for (size_t i = 0; i < symbols->count; i++)
        if (all[i].end == all[i].start)
            all[i].end = i + 1 < symbols->count ? all[i + 1].start : all[i].start + LAST_LENGTH;
    for (size_t i = 0; i < symbols->count; i++)
        if (kept == 0 || all[i].start != all[kept - 1].start)
            all[kept++] = all[i];
        else if (second_is_better(&all[kept - 1], &all[i]))
            all[kept - 1] = all[i];
    symbols->count = kept;
    return true;
}

static void read_build_id(struct symbols *symbols, const GElf_Phdr *program)
{
    Elf_Data *data = elf_getdata_rawchunk(symbols->elf, (int64_t)program->p_offset, program->p_filesz, ELF_T_NHDR);
    size_t at = 0, next, name, desc;
    GElf_Nhdr note;

    while (data != NULL && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        const uint8_t *bytes = data->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes + name, "GNU", 4) == 0) {
            symbols->build_id = bytes + desc;
            symbols->build_id_length = note.n_descsz;
        }
        at = next;
    }
}

static bool read_segments(struct symbols *symbols)
{
    size_t count;

    if (elf_getphdrnum(symbols->elf, &count) != 0)
        return false;
    symbols->segment = allocated(calloc(count + 1, sizeof(struct segment)));
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr program;
        if (gelf_getphdr(symbols->elf, (int)i, &program) == NULL)
            return false;
        if (program.p_type == PT_NOTE)
            read_build_id(symbols, &program);
        if (program.p_type == PT_LOAD && program.p_memsz > 0)
            symbols->segment[symbols->segments++] = (struct segment){
                .address = program.p_vaddr,
                .size = program.p_memsz,
                .file_offset = program.p_offset,
                .file_size = program.p_filesz,
                .writable = (program.p_flags & PF_W) != 0,
                .executable = (program.p_flags & PF_X) != 0,
            };
    }
    return true;
}

/*
 * The kernel's own table: a count; the addresses, in order; of every 16th name the offset; 32 bits each; then the
 * names. It has the symbols that the kernel prints, fewer than the ELF's own table, and survives `strip`.
 */
#define BLOCK 16u

static uint32_t table_word(const struct symbols *symbols, size_t index)
{
    uint32_t word;

    memcpy(&word, symbols->kernel_table + 4 * index, sizeof(word));
    return word;
}

/* The words of a table of that many symbols, before its names. */
static size_t table_words(size_t count)
{
    return 1 + count + (count + BLOCK - 1) / BLOCK;
}

static const char *table_name(const struct symbols *symbols, size_t count, size_t index)
{
    const char *name =
        (const char *)symbols->kernel_table + 4 * table_words(count) + table_word(symbols, 1 + count + index / BLOCK);

    for (size_t skip = index % BLOCK; skip > 0; skip--)
        name += strlen(name) + 1;
    return name;
}

/* Whether the names, `size` bytes that end in a NUL, are `count` names that start where the offsets say. */
static bool table_valid(const struct symbols *symbols, size_t count, size_t size)
{
    const char *names = (const char *)symbols->kernel_table + 4 * table_words(count);
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        if (at >= size || (i % BLOCK == 0 && table_word(symbols, 1 + count + i / BLOCK) != at))
            return false;
        if (!is_plain(names + at))
            return false;
        at += strlen(names + at) + 1;
    }
    return true;
}

/* Reads the kernel's own table, if it is in order. */
static void read_kernel_table(struct symbols *symbols)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t strings;

    if (elf_getshdrstrndx(symbols->elf, &strings) != 0)
        return;
    while ((section = elf_nextscn(symbols->elf, section)) != NULL) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(symbols->elf, strings, header.sh_name) : NULL;
        Elf_Data *data = name && strcmp(name, ".symbols") == 0 ? elf_rawdata(section, NULL) : NULL;
        uint32_t count;
        if (data == NULL || data->d_size < sizeof(count) + 1)
            continue;
        const uint8_t *bytes = data->d_buf;
        memcpy(&count, bytes, sizeof(count));
        if (count > data->d_size || 4 * table_words(count) >= data->d_size || bytes[data->d_size - 1] != '\0')
            continue;
        symbols->kernel_table = bytes;
        symbols->image_end = (header.sh_addr + header.sh_size + 0xfff) & ~UINT64_C(0xfff);
        if (!table_valid(symbols, count, data->d_size - 4 * table_words(count)))
            symbols->kernel_table = NULL;
        return;
    }
}

struct symbols *symbols_open(const char *path)
{
    struct symbols *symbols = allocated(calloc(1, sizeof(*symbols)));

    elf_version(EV_CURRENT);
    symbols->fd = open(path, O_RDONLY | O_CLOEXEC);
    symbols->path = realpath(path, NULL);
    if (symbols->fd < 0 || symbols->path == NULL) {
        complain(path, "%s", strerror(errno));
        goto fail;
    }
    symbols->elf = elf_begin(symbols->fd, ELF_C_READ_MMAP, NULL);
    if (symbols->elf == NULL || elf_kind(symbols->elf) != ELF_K_ELF) {
        complain(path, "not an ELF file; give the kernel's ELF");
        goto fail;
    }
    if (!read_segments(symbols)) {
        complain(path, "cannot read its program headers");
        goto fail;
    }
    if (!read_symbols(symbols))
        goto fail;
    read_kernel_table(symbols);
    for (size_t i = 0; i < CACHE_SIZE; i++) /* fills each slot with an address that does not hash to it */
        symbols->cache[i].address = i == 0 ? 1 : 0;
    return symbols;
fail:
    symbols_close(symbols);
    return NULL;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    dwarf_end(symbols->dwarf);
    elf_end(symbols->elf);
    if (symbols->fd >= 0)
        close(symbols->fd);
    free(symbols->symbol);
    free(symbols->segment);
    free(symbols->line);
    free(symbols->path);
    free(symbols);
}

/* ---- symbols ---------------------------------------------------------------------------------------------------- */

static const struct symbol *search(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0, high = symbols->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->symbol[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= symbols->symbol[low - 1].end)
        return NULL;
    return &symbols->symbol[low - 1];
}

static const struct segment *find_segment(const struct symbols *symbols, uint64_t address)
{
    for (size_t i = 0; i < symbols->segments; i++)
        if (address - symbols->segment[i].address < symbols->segment[i].size)
            return &symbols->segment[i];
    return NULL;
}

/* Classifies the instruction at an address of a segment, from the file's bytes. */
static enum transfer transfer_at(const struct symbols *symbols, const struct segment *segment, uint64_t address)
{
    size_t size;
    const uint8_t *file = allocated(elf_rawfile(symbols->elf, &size));
    uint64_t offset = address - segment->address;

    if (offset >= segment->file_size || segment->file_offset > size || segment->file_size > size - segment->file_offset)
        return TRANSFER_JUMP;
    return transfer_of(file + segment->file_offset + offset, (size_t)(segment->file_size - offset),
                       gelf_getclass(symbols->elf) == ELFCLASS64 ? 64 : 32);
}

const struct place *symbols_place(struct symbols *symbols, uint64_t address)
{
    static const struct place nowhere = { .transfer = TRANSFER_JUMP };

    if (symbols == NULL || symbols->refused)
        return &nowhere;
    struct place *place = &symbols->cache[address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS)];
    if (place->address == address)
        return place;

    const struct segment *segment = find_segment(symbols, address);
    const struct symbol *symbol = segment != NULL ? search(symbols, address) : NULL;
    *place = (struct place){ .address = address,
                             .transfer = segment != NULL ? transfer_at(symbols, segment, address) : TRANSFER_JUMP };
    if (symbol != NULL) {
        char *at = place->text;
        size_t length = strlen(symbol->name);
        place->name = symbol->name;
        place->offset = address - symbol->start;
        place->function = symbol->function;
        length = length < NAME_MOST ? length : NAME_MOST;
        memcpy(at, symbol->name, length);
        at = put_hex(put_text(at + length, "+0x"), place->offset);
        *at = '\0';
    }
    return place;
}

static bool find_in_kernel_table(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    const struct symbols *symbols = context;
    uint32_t count = table_word(symbols, 0), low = 0, high = count;

    if (symbols->refused || symbols->segments == 0 || address < symbols->segment[0].address ||
        address >= symbols->image_end)
        return false;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table_word(symbols, 1 + (size_t)middle) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    *name = table_name(symbols, count, low - 1);
    *offset = address - table_word(symbols, low);
    return true;
}

static bool find(void *context, uint64_t address, const char **name, uint64_t *offset)
{
    const struct place *place = symbols_place(context, address);

    *name = place->name;
    *offset = place->offset;
    return place->name != NULL;
}

struct symbolizer symbols_symbolizer(struct symbols *symbols)
{
    return (struct symbolizer){ symbols->kernel_table != NULL ? find_in_kernel_table : find, symbols };
}

static void name_build(char text[ID_TEXT], const uint8_t *id, size_t length)
{
    text[0] = '\0';
    for (size_t i = 0; i < length && i < sizeof(((struct dump_machine *)0)->build_id); i++)
        text += sprintf(text, "%02x", id[i]);
}

bool symbols_fit(struct symbols *symbols, const struct dump_machine *machine)
{
    char ours[ID_TEXT], theirs[ID_TEXT];
    size_t length = machine->build_id_length;

    symbols->refused =
        length > 0 && (length != symbols->build_id_length || memcmp(symbols->build_id, machine->build_id, length) != 0);
    if (symbols->refused) {
        name_build(ours, symbols->build_id, symbols->build_id_length);
        name_build(theirs, machine->build_id, length);
        complain(symbols->path, "not the kernel that wrote this dump (build id %s, dump has %s): symbols not used",
                 ours[0] ? ours : "none", theirs);
    }
    return !symbols->refused;
}

/* ---- source lines ----------------------------------------------------------------------------------------------- */

static int by_address(const void *left, const void *right)
{
    const struct line *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->file != NULL) - (b->file != NULL); /* a sequence's end sorts before the start of the next */
}

static void add_line(struct symbols *symbols, Dwarf_Line *line)
{
    Dwarf_Addr address;
    bool end = false;
    int number = 0;

    if (symbols->lines == symbols->lines_room) {
        symbols->lines_room = symbols->lines_room == 0 ? 4096 : 2 * symbols->lines_room;
        symbols->line = allocated(realloc(symbols->line, symbols->lines_room * sizeof(*symbols->line)));
    }
    if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0)
        return;
    (void)dwarf_lineendsequence(line, &end);
    const char *file = end ? NULL : dwarf_linesrc(line, NULL, NULL);
    if (file != NULL && strrchr(file, '/') != NULL)
        file = strrchr(file, '/') + 1;
    if (file != NULL && !is_plain(file))
        file = NULL;
    symbols->line[symbols->lines++] = (struct line){ address, file, (unsigned)number };
}

static void read_lines(struct symbols *symbols)
{
    Dwarf_Off offset = 0, next;
    size_t header;

    symbols->lines_read = true;
    symbols->dwarf = dwarf_begin_elf(symbols->elf, DWARF_C_READ, NULL);
    while (symbols->dwarf != NULL && dwarf_nextcu(symbols->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        Dwarf_Lines *lines;
        size_t count;
        if (dwarf_offdie(symbols->dwarf, offset + header, &unit) != NULL &&
            dwarf_getsrclines(&unit, &lines, &count) == 0)
            for (size_t i = 0; i < count; i++)
                add_line(symbols, dwarf_onesrcline(lines, i));
        offset = next;
    }
    if (symbols->lines > 0)
        qsort(symbols->line, symbols->lines, sizeof(*symbols->line), by_address);
}

bool symbols_line(struct symbols *symbols, uint64_t address, const char **file, unsigned *line)
{
    size_t low = 0, high;

    if (symbols == NULL || symbols->refused)
        return false;
    if (!symbols->lines_read)
        read_lines(symbols);
    high = symbols->lines;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->line[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || symbols->line[low - 1].file == NULL)
        return false;
    *file = symbols->line[low - 1].file;
    *line = symbols->line[low - 1].number;
    return true;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

size_t symbols_build_id(const struct symbols *symbols, const uint8_t **id)
{
    *id = symbols->build_id;
    return symbols->build_id_length;
}

const char *symbols_path(const struct symbols *symbols)
{
    return symbols->path;
}

size_t symbols_segments(const struct symbols *symbols, const struct segment **segments)
{
    *segments = symbols->segment;
    return symbols->refused ? 0 : symbols->segments;
}
