// Shift-Tab and "?name": what stands at the cursor.
#include "kernel/lang_state.h"

json_t *pj_lang_inspect(pj_lang *lang, pj_str code, size_t cursor, int detail)
{
    (void)lang, (void)code, (void)cursor, (void)detail;
    return json_pack("{s:b, s:{}, s:{}}", "found", 0, "data", "metadata");
}
