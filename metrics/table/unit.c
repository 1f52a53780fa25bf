// Units in words: units.def.
#include "metrics/base/buf.h"
#include "metrics/table/table.h"

pj_unit_text pj_unit_text_of(pj_unit unit)
{
    static const pj_unit_text rows[] = {
#define UNIT(key, name, shown, quantity) {name, shown, quantity},
#include "metrics/table/units.def"
#undef UNIT
    };
    return rows[unit];
}

void pj_unit_text_add(pj_buf *out, pj_unit unit)
{
    const char *shown = pj_unit_text_of(unit).shown;
    if (*shown)
        pj_buf_addf(out, " %s", shown);
}
