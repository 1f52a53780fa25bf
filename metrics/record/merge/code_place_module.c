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

/// The function that it stands within, as the programmer wrote it: the compiler puts its own below
/// that one, wherever their code is. `within`: what is around `scope`, in the end the answer.
static bool find_function(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *within)
{
    Dwarf_Die child;
    const Dwarf_Die around = *within;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (name && dwarf_haspc(&child, address) > 0)
            return true;
        *within = name && !strstr(name, "._omp_fn.") ? child : around;
        if (find_function(&child, address, within))
            return true;
        *within = around;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/// Where it was declared: of a method that is within its class.
static Dwarf_Die declared(Dwarf_Die function)
{
    static const unsigned ways[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die other;
        if (dwarf_attr(&function, ways[i], &attribute) && dwarf_formref_die(&attribute, &other))
            function = other;
    }
    return function;
}

/// Of what is around a name: "" where it gives none.
static const char *name_of(Dwarf_Die *scope, bool outer)
{
    const char *name = dwarf_diename(scope);
    switch (dwarf_tag(scope)) {
    case DW_TAG_namespace:
        return name ? name : "(anonymous)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
        return name ? name : "{lambda}";
    case DW_TAG_union_type:
        return name ? name : "(anonymous)";
    case DW_TAG_subprogram:
        return name && !(outer && strstr(name, "._omp_fn.")) ? name : "";
    default:
        return "";
    }
}

/// "heat::Grid<double>::solve".
static void tell_function(Dwarf_Die function, pj_code_place *place)
{
    Dwarf_Die *scopes = NULL, origin = declared(function);
    const int count = dwarf_getscopes_die(&origin, &scopes);
    size_t len = 0;
    for (int i = count - 1; i >= 0; i--) {
        const char *name = name_of(&scopes[i], i > 0);
        const size_t room = sizeof place->function - len;
        const int size =
            *name ? snprintf(place->function + len, room, "%s%s", len ? "::" : "", name) : 0;
        if (size < 0 || (size_t)size >= room)
            break;
        len += (size_t)size;
    }
    free(scopes);
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
    Dwarf_Die function = *unit; // of no function, which has no name
    *place->function = '\0';
    if (find_function(unit, there - bias, &function) && function.addr != unit->addr)
        tell_function(function, place);
    return true;
}

__attribute__((visibility("default"))) const pj_code_place_lib pj_code_place_module = {
    .open = open_object,
    .close = close_object,
    .find = find,
};
