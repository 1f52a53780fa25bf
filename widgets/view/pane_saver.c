// Any format of tables; the name may have its suffix already.
#include "widgets/view/pane_saver.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/table/render.h"
#include "widgets/wizard/wizard_pieces.h"

static const char *const formats[] = {"html", "csv", "json", "md", "tex", "txt", NULL};

pj_piece pj_pane_saver_build(pj_pane_saver *saver, pj_pieces *parts, void (*save)(void *context))
{
    saver->name = pj_piece_entry(parts, "Save as", "file name");
    pj_piece_say(parts, saver->name, "view");
    saver->format = pj_piece_choice(parts, "Format", formats);
    pj_piece button =
        pj_piece_button(parts, "Save", "save", "Writes the table beside the notebook");
    saver->said = pj_piece_said(parts);
    pj_piece narrow[] = {saver->name, saver->format};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        pj_piece_layout(parts, narrow[i], "width", i ? "150px" : "260px");
        pj_piece_set(parts, narrow[i], "style", json_pack("{s:s}", "description_width", "auto"));
    }
    pj_piece_on(parts, button, NULL, save);
    return PJ_PIECE_ROW(parts, saver->name, saver->format, button, saver->said);
}

void pj_pane_saver_save(const pj_pane_saver *saver, pj_pieces *parts, const pj_table *table)
{
    size_t count = sizeof formats / sizeof *formats - 1;
    const char *format = formats[pj_piece_pick(parts, saver->format, count)];
    pj_auto_buf path = {0}, suffix = {0}, bytes = {0}, said = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_buf_addf(&suffix, ".%s", format);
    pj_buf_puts(&path, pj_piece_text(parts, saver->name));
    if (!pj_str_ends(pj_buf_str(&path), pj_buf_str(&suffix)))
        pj_buf_add(&path, pj_buf_str(&suffix));
    pj_render_table(pj_renderer_by_name(pj_str_of(format)), table, (pj_render_opts){.page = true},
                    &bytes);
    if (pj_newfile_put(path.at, pj_buf_str(&bytes), &err))
        pj_buf_addf(&said, "Written: %s", path.at);
    else
        pj_buf_addf(&said, "Not saved: %s", err.text);
    json_t *data = json_pack("{s:o}", "text/plain", pj_piece_string(said.at));
    pj_piece_display(parts, saver->said, data, NULL);
    json_decref(data);
}
