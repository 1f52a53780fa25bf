// Programs that the test makes, whole and damaged, and this one.
#include "kernel/commands/record/record_needs.h"
#include "tests/support/folder.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MPI = 1, GOMP = 2, COUNT = 3, BASE = 0x10000 };
static const char *const names[COUNT] = {"libmpi.so.40", "libgomp.so.1", "libmpi.so"};

typedef struct program {
    ElfW(Ehdr) head;
    ElfW(Phdr) segments[2];
    ElfW(Dyn) dynamic[4];
    char strings[32];
} program;

static program make_program(void)
{
    static const char strings[] = "\0libgomp.so.1\0libmpi.so.40";
    program p = {.head = {.e_phoff = offsetof(program, segments),
                          .e_phentsize = sizeof(ElfW(Phdr)),
                          .e_phnum = 2},
                 .segments = {{.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = sizeof p},
                              {.p_type = PT_DYNAMIC,
                               .p_offset = offsetof(program, dynamic),
                               .p_filesz = sizeof p.dynamic}},
                 .dynamic = {{.d_tag = DT_NEEDED, .d_un.d_val = 1},
                             {.d_tag = DT_STRTAB, .d_un.d_ptr = BASE + offsetof(program, strings)},
                             {.d_tag = DT_NEEDED, .d_un.d_val = 14}}};
    memcpy(p.head.e_ident, ELFMAG, SELFMAG);
    p.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    p.head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    memcpy(p.strings, strings, sizeof strings);
    return p;
}

static unsigned needs(const void *bytes, size_t size)
{
    const char *path = folder_file("program");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    const unsigned found = pj_record_needs(path, names, COUNT);
    remove(path);
    return found;
}

static void test_whole(void **state)
{
    (void)state;
    const program p = make_program();
    assert_int_equal(needs(&p, sizeof p), MPI | GOMP);
}

static void test_no_programs(void **state)
{
    (void)state;
    assert_int_equal(pj_record_needs(".", names, COUNT), 0);
    assert_int_equal(pj_record_needs("nowhere", names, COUNT), 0);
    assert_int_equal(needs("#!/bin/sh\nlibmpi.so.40", 22), 0);
    program p = make_program();
    p.head.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
    assert_int_equal(needs(&p, sizeof p), 0);
    p = make_program();
    p.segments[1].p_type = PT_NOTE; // linked statically
    assert_int_equal(needs(&p, sizeof p), 0);
}

/// Names that end where the file does are none; nothing else may come of what is cut or wrong.
static void test_damaged(void **state)
{
    (void)state;
    const program whole = make_program();
    for (size_t size = 0; size < sizeof whole; size++)
        assert_int_equal(needs(&whole, size) & ~(unsigned)(MPI | GOMP), 0);
    for (size_t at = 0; at < offsetof(program, strings); at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            program p = whole;
            ((unsigned char *)&p)[at] ^= (unsigned char)(1U << bit);
            assert_int_equal(needs(&p, sizeof p) & ~(unsigned)(MPI | GOMP), 0);
        }
}

static void test_this_one(void **state)
{
    (void)state;
    static const char *const own[] = {"libmpi.so.40", "libc.so.6"};
    assert_int_equal(pj_record_needs("/proc/self/exe", own, 2) & 2, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_no_programs),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_this_one)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
