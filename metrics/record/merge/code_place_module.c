// The module around libdw (elfutils). Nothing is asked of servers: what is not in the file itself
// or installed by its build id is not there.
#include "metrics/record/merge/code_place.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const pj_code_place_lib pj_code_place_module;

typedef struct information {
    Dwfl *session;
    Dwfl_Module *object;
    GElf_Addr bias; // from the file's addresses to the session's
} information;

static void close_object(void *opened)
{
    information *info = opened;
    if (info)
        dwfl_end(info->session);
    free(info);
}

static void *open_object(const char *path)
{
    static const Dwfl_Callbacks callbacks = {
        .section_address = dwfl_offline_section_address,
        .find_debuginfo = dwfl_build_id_find_debuginfo,
    };
    information *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    info->session = dwfl_begin(&callbacks);
    info->object = info->session ? dwfl_report_offline(info->session, "", path, -1) : NULL;
    if (info->session)
        dwfl_report_end(info->session, NULL, NULL);
    if (info->object && dwfl_module_getelf(info->object, &info->bias))
        return info;
    close_object(info);
    return NULL;
}

static bool is_there(const information *info, GElf_Addr address, const char *symbol)
{
    GElf_Sym found;
    GElf_Off offset;
    const char *name =
        dwfl_module_addrinfo(info->object, address, &offset, &found, NULL, NULL, NULL);
    return name && offset == 0 && strcmp(name, symbol) == 0;
}

static bool tell_file(Dwarf_Die *unit, const char *file, pj_code_place *place)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    const bool whole = !folder || !file || *file == '/';
    const int size = whole ? snprintf(place->file, sizeof place->file, "%s", file ? file : "")
                           : snprintf(place->file, sizeof place->file, "%s/%s", folder, file);
    return size > 0 && (size_t)size < sizeof place->file;
}

/// The first line that is told of the address: what is inlined there stands behind it.
static bool find_line(Dwarf_Die *unit, Dwarf_Addr address, pj_code_place *place)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr of;
        int number;
        if (dwarf_lineaddr(line, &of) != 0 || of != address || dwarf_lineno(line, &number) != 0 ||
            number <= 0)
            continue;
        place->line = (uint32_t)number;
        return tell_file(unit, dwarf_linesrc(line, NULL, NULL), place);
    }
    return false;
}

/// The function that it stands within, as the programmer calls it: the compiler puts its own below
/// that one, wherever their code is. `within`: what is around `scope`, in the end the answer.
static bool find_function(Dwarf_Die *scope, Dwarf_Addr address, const char **within)
{
    Dwarf_Die child;
    const char *around = *within;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (name && dwarf_haspc(&child, address) > 0)
            return true;
        *within = name && !strstr(name, "._omp_fn.") ? name : around;
        if (find_function(&child, address, within))
            return true;
        *within = around;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool find(void *opened, uint64_t address, const char *symbol, pj_code_place *place)
{
    const information *info = opened;
    Dwarf_Addr bias;
    const GElf_Addr there = address + info->bias;
    if (!is_there(info, there, symbol))
        return false;
    Dwarf_Die *unit = dwfl_module_addrdie(info->object, there, &bias);
    if (!unit || !find_line(unit, there - bias, place))
        return false;
    const char *function = "";
    if (!find_function(unit, there - bias, &function))
        function = "";
    snprintf(place->function, sizeof place->function, "%s", function);
    return true;
}

__attribute__((visibility("default"))) const pj_code_place_lib pj_code_place_module = {
    .open = open_object,
    .close = close_object,
    .find = find,
};
