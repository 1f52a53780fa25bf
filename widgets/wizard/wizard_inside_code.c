// The page inside a run as lines of a cell.
#include "widgets/wizard/wizard_inside.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_ranks.h"
#include "widgets/wizard/wizard_record.h"

static void add_field(const pj_wizard *wizard, const char *key, pj_piece part, pj_buf *out)
{
    const char *text = pj_piece_text(&wizard->parts, part);
    if (!*text)
        return;
    pj_buf_addf(out, ", %s = ", key);
    pj_wizard_code_text(out, text);
}

/// A verb that reads the run itself; `fields` begins with a comma.
static void add_call(const pj_wizard *wizard, const char *verb, pj_str fields, pj_buf *out)
{
    pj_buf_puts(out, verb);
    pj_wizard_code_text(out, pj_wizard_path(wizard, pj_wizard_inside_run(wizard)->path));
    if (fields.len)
        pj_buf_addf(out, ", {" PJ_STR_FMT "}", PJ_STR_ARG(pj_str_from(fields, 2)));
    pj_buf_puts(out, ")\n");
}

static void code_look(const pj_wizard *wizard, pj_buf *out)
{
    const pj_inside_page *page = pj_wizard_inside_page(wizard);
    pj_auto_buf fields = {0};
    if (pj_wizard_inside_view(wizard) == PJ_WIZARD_TIMELINE) {
        add_field(wizard, "range", page->range, &fields);
        add_field(wizard, "ranks", page->ranks, &fields);
        if (pj_piece_is_on(&wizard->parts, page->streams))
            pj_buf_puts(&fields, ", streams = true");
        if (pj_piece_is_on(&wizard->parts, page->waits))
            pj_buf_puts(&fields, ", waits = true");
        pj_wizard_code_how(wizard, false, &fields);
        add_call(wizard, "timeline(", pj_buf_str(&fields), out);
        return;
    }
    if (pj_wizard_inside_view(wizard) == PJ_WIZARD_STEPS)
        pj_buf_puts(&fields, ", x = \"iteration\"");
    pj_wizard_code_how(wizard, false, &fields);
    if (pj_wizard_inside_view(wizard) != PJ_WIZARD_REGIONS) {
        add_call(wizard, "plot(\"slices\", ", pj_buf_str(&fields), out);
        return;
    }
    pj_auto_buf sums = {0};
    pj_buf_puts(&sums, ", by = \"function\"");
    pj_buf_add(&sums, pj_buf_str(&fields));
    add_call(wizard, "regions(", pj_buf_str(&sums), out);
    add_call(wizard, "plot(\"regions\", ", pj_buf_str(&fields), out);
}

void pj_wizard_inside_code(const pj_wizard *wizard, pj_buf *out)
{
    const pj_rank_quantity *quantity = pj_wizard_inside_quantity(wizard);
    if (!wizard->study)
        return;
    if (pj_wizard_inside_view(wizard) != PJ_WIZARD_TOTALS) {
        code_look(wizard, out);
        return;
    }
    const char *bar =
        pj_rank_has_threads(pj_wizard_inside_run(wizard), pj_wizard_inside_bars(wizard)) ? "thread"
                                                                                         : "rank";
    pj_buf_puts(out, "run = load{");
    pj_wizard_code_text(out, pj_wizard_path(wizard, pj_wizard_inside_run(wizard)->path));
    pj_wizard_code_how(wizard, true, out);
    if (!quantity) {
        pj_buf_addf(out, "}[1]\nplot(\"ranks\", run, {x = \"%s\"})\n", bar);
        return;
    }
    pj_buf_puts(out, "}[1]\nstats = run.stats\n");
    if (quantity->formula)
        pj_buf_addf(out, "stats = stats:add(\"%s\", \"%s\")\n", quantity->key, quantity->formula);
    if (pj_piece_index(&wizard->parts, pj_wizard_inside_page(wizard)->order) == 1)
        pj_buf_addf(out, "stats = stats:sort \"-%s\"\n", quantity->key);
    pj_buf_addf(out, "stats:plot{\"bar\", x = \"%s\", y = \"%s\"}\n", bar, quantity->key);
}
