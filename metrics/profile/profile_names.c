// Names in data are the source's own; here they become readable.
#include "metrics/profile/profile_names.h"

#include "metrics/base/arena.h"

#include <inttypes.h>
#include <stdlib.h>

static pj_str after_last_slash(pj_str file)
{
    for (size_t i = file.len; i-- > 0;)
        if (file.at[i] == '/' || file.at[i] == '\\')
            return pj_str_from(file, i + 1);
    return file;
}

pj_str pj_profile_file_name(pj_str file)
{
    size_t slash = pj_str_find_last(file, '/');
    return slash < file.len ? pj_str_from(file, slash + 1) : file;
}

pj_str pj_profile_base_name(pj_str file)
{
    pj_str base = after_last_slash(file);
    bool says_little =
        pj_str_equal(base, PJ_S("__init__.py")) || pj_str_equal(base, PJ_S("__main__.py"));
    if (!says_little || base.len == file.len)
        return base;
    pj_str folder = after_last_slash(pj_str_head(file, file.len - base.len - 1));
    return pj_str_from(file, (size_t)(folder.at - file.at));
}

pj_str pj_profile_module_of_file(pj_str file)
{
    file = after_last_slash(file);
    size_t point = pj_str_find_last(file, '.');
    return point < file.len && point > 0 ? pj_str_head(file, point) : file;
}

bool pj_profile_is_unknown(pj_str text)
{
    return pj_str_equal(text, PJ_S("[Unknown]"));
}

/// What tells a function from others of its name: its stage or module, else what the source says.
static void add_apart(const pj_profile *p, const pj_profile_region *r, pj_buf *out)
{
    uint32_t which = r->module ? r->module : r->apart;
    if (r->apart && which != r->name && !pj_profile_is_unknown(p->texts[which]))
        pj_buf_addf(out, " [" PJ_STR_FMT "]", PJ_STR_ARG(p->texts[which]));
}

pj_str pj_profile_without_place(pj_str name)
{
    for (size_t i = 1; i + 2 < name.len; i++)
        if (memcmp(name.at + i, " [{", 3) == 0)
            return pj_str_head(name, i);
    return name;
}

/// Score-P has the name of a library in place of a file: MPI.
static bool is_library(const pj_profile_region *region, pj_str file)
{
    return region->kind == PJ_REGION_mpi && region->line == 0 &&
           pj_str_find(file, '.') == file.len && pj_str_find(file, '/') == file.len;
}

void pj_profile_label(const pj_profile *p, uint32_t region, bool strip, pj_buf *out)
{
    const pj_profile_region *r = &p->regions[region];
    pj_str file = p->texts[r->file];
    pj_str name = r->file ? pj_profile_without_place(p->texts[r->name]) : p->texts[r->name];
    bool is_builtin = pj_str_equal(file, PJ_S("~")) && r->line == 0;
    if (is_builtin && name.len > 1 && name.at[0] == '<' && name.at[name.len - 1] == '>') {
        pj_buf_addf(out, "{" PJ_STR_FMT "}", (int)name.len - 2, name.at + 1);
        return;
    }
    if (!file.len || is_builtin || is_library(r, file) || pj_profile_is_unknown(file)) {
        pj_buf_add(out, name);
        add_apart(p, r, out);
        return;
    }
    pj_buf_add(out, strip ? pj_profile_base_name(file) : file);
    if (r->line)
        pj_buf_addf(out, ":%" PRIu32, r->line);
    pj_buf_addf(out, "(" PJ_STR_FMT ")", PJ_STR_ARG(name));
    add_apart(p, r, out);
}

/// "<method 'get' of 'dict' objects>" is dict.get.
static bool add_method(pj_str name, pj_buf *out)
{
    if (!pj_str_starts(name, PJ_S("<method '")) || !pj_str_ends(name, PJ_S("' objects>")))
        return false;
    pj_str rest = pj_str_from(name, sizeof "<method '" - 1);
    pj_str method = pj_str_cut(&rest, '\'');
    if (!pj_str_starts(rest, PJ_S(" of '")))
        return false;
    rest = pj_str_from(rest, sizeof " of '" - 1);
    pj_str type = pj_str_cut(&rest, '\'');
    pj_buf_addf(out, "{" PJ_STR_FMT "." PJ_STR_FMT "}", PJ_STR_ARG(type), PJ_STR_ARG(method));
    return true;
}

void pj_profile_short_label(const pj_profile *p, uint32_t region, pj_buf *out)
{
    pj_str name = pj_profile_name(p, region), builtin = PJ_S("<built-in method ");
    if (p->regions[region].kind != PJ_REGION_builtin)
        pj_profile_label(p, region, true, out);
    else if (pj_str_starts(name, builtin) && pj_str_ends(name, PJ_S(">")))
        pj_buf_addf(out, "{" PJ_STR_FMT "}", (int)(name.len - builtin.len - 1),
                    name.at + builtin.len);
    else if (!add_method(name, out))
        pj_profile_label(p, region, true, out);
}

void pj_profile_path(const pj_profile *p, uint32_t node, pj_buf *out)
{
    uint32_t depth = p->nodes[node].depth + 1, at = node;
    uint32_t *chain = pj_take_memory(depth * sizeof *chain);
    for (uint32_t i = depth; i-- > 0; at = p->nodes[at].parent)
        chain[i] = at;
    for (uint32_t i = 0; i < depth; i++) {
        const pj_profile_node *n = &p->nodes[chain[i]];
        if (i)
            pj_buf_puts(out, " => ");
        pj_buf_add(out, pj_profile_name(p, n->region));
        if (n->parameters)
            pj_buf_addf(out, " (" PJ_STR_FMT ")", PJ_STR_ARG(p->texts[n->parameters]));
    }
    free(chain);
}
