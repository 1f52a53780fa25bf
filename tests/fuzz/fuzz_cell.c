// The cutter of cells on any bytes: statements come in order and do not overlap, the program keeps
// the lines of the cell, and what is cut whole compiles or fails like the cell itself.
#include "kernel/lua/lang_cell.h"

#include "kernel/lua/lang.h"
#include "kernel/lua/lang_place.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth)
{
    if (!truth)
        abort();
}

static size_t count_lines(pj_str text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.at[i] == '\n';
    return lines;
}

static void check_statements(const pj_lang_cell *cell, pj_str code)
{
    size_t end = 0;
    for (size_t i = 0; i < cell->count; i++) {
        const pj_statement *s = &cell->items[i];
        require(s->at >= end && s->end >= s->at && s->end <= code.len);
        require(s->kind != PJ_STATEMENT_BROKEN || i + 1 == cell->count);
        end = s->end;
    }
}

static void check_place(pj_str code)
{
    for (size_t at = 0; at <= code.len; at += 1 + code.len / 8) {
        pj_lang_place p = pj_lang_place_at(code, at, false);
        require(p.word.len <= at && p.chain.len <= at);
        require(pj_lang_place_byte(code, pj_lang_place_points(pj_str_head(code, at))) >= at ||
                at == code.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_str code = {(const char *)data, size};
    lua_State *L = luaL_newstate();
    pj_lang_cell cell;
    pj_lang_cell_cut(L, code, &cell);
    require(lua_gettop(L) == 0);
    check_statements(&cell, code);
    pj_auto_buf program = {0};
    pj_lang_cell_program(&cell, code, true, &program);
    require(count_lines(pj_buf_str(&program)) == count_lines(code));
    pj_lang_cell_free(&cell);
    check_place(code);
    lua_close(L);
    return 0;
}
