// The file is mapped for each name that is looked up: there are few. What it says of its own sizes
// is checked, for it may have been replaced since it was loaded.
#include "metrics/record/openmp/rec_omp_symbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
    const uint8_t *at;
    size_t size;
} image;

/// `count` things of `each` bytes at `offset`; NULL where the file has no such.
static const void *part(const image *file, uint64_t offset, uint64_t count, uint64_t each)
{
    uint64_t bytes;
    bool good = !__builtin_mul_overflow(count, each, &bytes) && offset <= file->size &&
                bytes <= file->size - offset && offset % sizeof(uint64_t) == 0;
    return good ? file->at + offset : NULL;
}

static const ElfW(Shdr) * section(const image *file, const ElfW(Ehdr) * head, uint32_t index)
{
    const ElfW(Shdr) *all = part(file, head->e_shoff, head->e_shnum, sizeof *all);
    return all && head->e_shentsize == sizeof *all && index < head->e_shnum ? &all[index] : NULL;
}

static const ElfW(Shdr) * find_symbols(const image *file, const ElfW(Ehdr) * head)
{
    for (uint32_t i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *one = section(file, head, i);
        if (one && one->sh_type == SHT_SYMTAB)
            return one;
    }
    return NULL;
}

/// The function that begins at the address; addresses are those of the file.
static bool search(const image *file, pj_rec_omp_symbol *symbol)
{
    const ElfW(Ehdr) *head = part(file, 0, 1, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    const ElfW(Shdr) *table = find_symbols(file, head);
    const ElfW(Shdr) *names = table ? section(file, head, table->sh_link) : NULL;
    if (!names || names->sh_offset > file->size || names->sh_size > file->size - names->sh_offset)
        return false;
    const uint64_t count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(file, table->sh_offset, count, sizeof *symbols);
    for (uint64_t i = 0; symbols && i < count; i++) {
        const ElfW(Sym) *one = &symbols[i];
        if ((one->st_info & 0xF) != STT_FUNC || one->st_value != symbol->address ||
            one->st_name >= names->sh_size)
            continue;
        const char *text = (const char *)file->at + names->sh_offset + one->st_name;
        snprintf(symbol->name, sizeof symbol->name, "%.*s",
                 (int)strnlen(text, names->sh_size - one->st_name), text);
        return true;
    }
    return false;
}

/// What the program calls it may be relative to a folder that it has left.
static void tell_path(int fd, pj_rec_omp_symbol *symbol)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, symbol->object, sizeof symbol->object - 1);
    symbol->object[size > 0 ? size : 0] = '\0';
}

static bool look(const char *path, pj_rec_omp_symbol *symbol)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    image file = {.at = MAP_FAILED};
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        file.size = (size_t)info.st_size;
        file.at = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    bool found = file.at != MAP_FAILED && search(&file, symbol);
    if (found)
        tell_path(fd, symbol);
    if (file.at != MAP_FAILED)
        munmap((void *)file.at, file.size);
    close(fd);
    return found;
}

void pj_rec_omp_symbol_find(const void *function, pj_rec_omp_symbol *symbol)
{
    Dl_info info;
    struct link_map *map = NULL;
    symbol->object[0] = '\0';
    snprintf(symbol->name, sizeof symbol->name, "%p", function);
    if (!dladdr1(function, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !info.dli_fname)
        return;
    const char *path = *map->l_name ? map->l_name : "/proc/self/exe";
    const char *slash = strrchr(info.dli_fname, '/');
    symbol->address = (uintptr_t)function - map->l_addr;
    if (!look(path, symbol))
        snprintf(symbol->name, sizeof symbol->name, "%s+0x%llx", slash ? slash + 1 : info.dli_fname,
                 (unsigned long long)((uintptr_t)function - (uintptr_t)info.dli_fbase));
}
