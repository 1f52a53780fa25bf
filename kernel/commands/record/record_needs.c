// Reads what the dynamic linker does: program headers, the dynamic section, its strings (System V
// ABI, chapter 5). What the file says of its own places is only ever read at, never believed.
#include "kernel/commands/record/record_needs.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEGMENTS_MOST = 64, ENTRIES_AT_ONCE = 128, NAME_BYTES = 64 };

typedef struct image {
    int file;
    ElfW(Phdr) segments[SEGMENTS_MOST];
    size_t segment_count;
} image;

static bool read_at(int file, void *to, size_t size, uint64_t at)
{
    return at <= INT64_MAX && pread(file, to, size, (off_t)at) == (ssize_t)size;
}

static bool read_segments(image *of)
{
    const unsigned char kind = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    const uint16_t one = 1;
    const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
    ElfW(Ehdr) head;
    if (!read_at(of->file, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != kind || head.e_ident[EI_DATA] != order ||
        head.e_phentsize != sizeof *of->segments || head.e_phnum > SEGMENTS_MOST)
        return false;
    of->segment_count = head.e_phnum;
    return read_at(of->file, of->segments, of->segment_count * sizeof *of->segments, head.e_phoff);
}

static const ElfW(Phdr) * find_dynamic(const image *of)
{
    for (size_t i = 0; i < of->segment_count; i++)
        if (of->segments[i].p_type == PT_DYNAMIC)
            return &of->segments[i];
    return NULL;
}

/// The place in the file of an address in memory; UINT64_MAX: none.
static uint64_t place_of(const image *of, uint64_t address)
{
    for (size_t i = 0; i < of->segment_count; i++) {
        const ElfW(Phdr) *s = &of->segments[i];
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    }
    return UINT64_MAX;
}

/// Of each entry of the dynamic section up to its end, in blocks; `see` is given the block.
static void walk(const image *of, void (*see)(const ElfW(Dyn) *, void *), void *context)
{
    const ElfW(Phdr) *dynamic = find_dynamic(of);
    ElfW(Dyn) block[ENTRIES_AT_ONCE];
    const uint64_t count = dynamic ? dynamic->p_filesz / sizeof *block : 0;
    for (uint64_t at = 0; at < count;) {
        const size_t size = count - at < ENTRIES_AT_ONCE ? (size_t)(count - at) : ENTRIES_AT_ONCE;
        if (!read_at(of->file, block, size * sizeof *block, dynamic->p_offset + at * sizeof *block))
            return;
        for (size_t i = 0; i < size; i++) {
            if (block[i].d_tag == DT_NULL)
                return;
            see(&block[i], context);
        }
        at += size;
    }
}

static void see_strings(const ElfW(Dyn) * entry, void *address)
{
    if (entry->d_tag == DT_STRTAB)
        *(uint64_t *)address = entry->d_un.d_ptr;
}

typedef struct search {
    const image *of;
    uint64_t strings; // place in the file
    void (*see)(const char *name, void *);
    void *context;
} search;

static void see_needed(const ElfW(Dyn) * entry, void *context)
{
    const search *s = context;
    char name[NAME_BYTES];
    if (entry->d_tag != DT_NEEDED || entry->d_un.d_val > INT32_MAX)
        return;
    const ssize_t got =
        pread(s->of->file, name, sizeof name, (off_t)(s->strings + entry->d_un.d_val));
    if (got > 0 && memchr(name, '\0', (size_t)got))
        s->see(name, s->context);
}

static void look(search *s, const image *of)
{
    uint64_t address = 0;
    walk(of, see_strings, &address);
    s->of = of;
    s->strings = place_of(of, address);
    if (s->strings <= INT64_MAX - INT32_MAX)
        walk(of, see_needed, s);
}

void pj_record_needs_each(const char *path, void (*see)(const char *name, void *), void *context)
{
    struct stat info;
    image of = {.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (of.file < 0)
        return;
    if (fstat(of.file, &info) == 0 && S_ISREG(info.st_mode) && read_segments(&of))
        look(&(search){.see = see, .context = context}, &of);
    close(of.file);
}

typedef struct wanted {
    const char *const *names;
    size_t count;
    unsigned found;
} wanted;

static void compare(const char *name, void *context)
{
    wanted *w = context;
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(name, w->names[i]) == 0)
            w->found |= 1U << i;
}

unsigned pj_record_needs(const char *path, const char *const *names, size_t count)
{
    wanted w = {names, count, 0};
    pj_record_needs_each(path, compare, &w);
    return w.found;
}
