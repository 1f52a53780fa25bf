// What a notebook with this kernel stands on, a row each.
#include "kernel/commands/install/install_check.h"

#include "kernel/command/child.h"
#include "kernel/command/datadir.h"
#include "kernel/command/setting.h"
#include "kernel/commands/install/install_start.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/module.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"

#include <string.h>
#include <unistd.h>

/// What is found out about one thing; `detail` is arena.
typedef struct outcome {
    bool ok;
    const char *detail;
} outcome;

static outcome good(const char *detail)
{
    return (outcome){true, detail};
}

static outcome failed(const pj_err *err, pj_arena *arena)
{
    char text[1600];
    return (outcome){false,
                     pj_arena_text(arena, pj_str_of(pj_err_message(err, text, sizeof text)))};
}

static outcome check_program(pj_arena *arena)
{
    return good(pj_arena_format(arena, "popinjay " PJ_VERSION ", %s", pj_datadir_program(arena)));
}

/// The folder of states is made when there is something to keep: what lies above it decides.
static outcome check_home(pj_arena *arena)
{
    pj_auto_buf path = {0};
    if (!pj_state_file("", &path))
        return (outcome){false, "HOME is not set to a full path: inputs are not remembered"};
    const char *folder = pj_arena_text(arena, pj_buf_str(&path));
    for (char *slash; access(path.at, F_OK) != 0 && (slash = strrchr(path.at, '/'));)
        *slash = 0;
    const char *nearest = *path.at ? path.at : "/";
    if (access(nearest, W_OK) != 0)
        return (outcome){false, pj_arena_format(arena,
                                                "%s cannot be written: inputs are not "
                                                "remembered",
                                                nearest)};
    return good(folder);
}

#ifdef PJ_HAVE_KERNEL
static outcome check_spec(pj_arena *arena)
{
    const char *spec = pj_install_spec(arena);
    return spec ? good(spec)
                : (outcome){false, "Jupyter does not find the kernel: popinjay install --user"};
}

static outcome check_start(pj_arena *arena)
{
    pj_err err = {0};
    const char *spec = pj_install_spec(arena), *what = "";
    if (!spec)
        return (outcome){false, "without a kernelspec there is nothing to start"};
    return pj_install_start(spec, arena, &what, &err) ? good(what) : failed(&err, arena);
}
#endif

static outcome check_pictures(pj_arena *arena)
{
    pj_err err = {0};
    return pj_draw_open(&err) ? good("cairo and pango") : failed(&err, arena);
}

/// Where there is no font all letters are boxes of one width.
static outcome check_fonts(pj_arena *arena)
{
    pj_err err = {0};
    const pj_draw *draw = pj_draw_open(&err);
    if (!draw)
        return failed(&err, arena);
    double narrow = draw->measure("iiiii", 12, false).width;
    bool found = narrow > 0 && draw->measure("MMMMM", 12, false).width > narrow;
    return found ? good("letters have a shape")
                 : (outcome){false, "pictures have boxes for letters: install fonts-dejavu-core"};
}

static outcome check_archives(pj_arena *arena)
{
    pj_err err = {0};
    return pj_module_open("popinjay-otf2.so", "pj_otf2_module", "OTF2 archives need libotf2", &err)
               ? good("libotf2")
               : failed(&err, arena);
}

static outcome check_front_end(pj_arena *arena)
{
    static const char *const programs[] = {"jupyter-lab", "jupyter-notebook", "jupyter"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (pj_child_exists(programs[i]))
            return good(programs[i]);
    const char *own = pj_datadir_find(arena, "share/popinjay/frontend/serve.py",
                                      ".local/share/popinjay/frontend/serve.py");
    return own ? good(own)
               : (outcome){false, "no JupyterLab and no Notebook in PATH: notebooks are not shown; "
                                  "popinjay run NOTEBOOK.ipynb runs them"};
}

static outcome check_documents(pj_arena *arena)
{
    (void)arena;
    return pj_child_exists("jupyter-nbconvert")
               ? good("jupyter-nbconvert")
               : (outcome){false, "no jupyter-nbconvert in PATH: reports are HTML and notebooks"};
}

static const struct {
    const char *name;
    outcome (*look)(pj_arena *arena);
    bool needed; // for the kernel to start
} rows[] = {
    {"program", check_program, true},
#ifdef PJ_HAVE_KERNEL
    {"kernelspec", check_spec, true},      {"kernel", check_start, true},
#endif
    {"front end", check_front_end, false}, {"home", check_home, false},
    {"pictures", check_pictures, false},   {"fonts", check_fonts, false},
    {"archives", check_archives, false},   {"documents", check_documents, false},
};

pj_table *pj_install_check(bool *broken)
{
    static const pj_column columns[] = {
        {.key = "check", .title = "Check", .text = PJ_TEXT},
        {.key = "outcome",
         .title = "Outcome",
         .help = "missing: the kernel does not start; poorer: something else is not to be had.",
         .text = PJ_TEXT},
        {.key = "detail", .title = "What there is, or what to do", .text = PJ_TEXT},
    };
    pj_table *table = pj_table_new("What the kernel needs");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    *broken = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome found = rows[i].look(table->arena);
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(rows[i].name);
        cells[1] = pj_cell_text(found.ok ? "ok" : rows[i].needed ? "missing" : "poorer");
        cells[2] = pj_cell_text(found.detail);
        *broken |= rows[i].needed && !found.ok;
    }
    return table;
}
