// Decodes pickles of protocols 0 to 5, of which a closed list of opcodes and names is known; each
// other one is refused by its name and byte. The opcodes are those of Python's pickletools.
#include "metrics/read/profile/python/pickle.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/python/pickle_text.h"

#include <stdlib.h>

enum { STACK_MAX = 1 << 20, TEXT_MAX = 1 << 20 };

typedef struct machine {
    const pj_source *source;
    pj_str bytes;
    size_t at;     // of the next byte
    size_t opcode; // where the opcode at work begins
    size_t opcodes;
    pj_arena *arena;
    pj_pickle_value *stack;
    size_t depth, stack_cap;
    size_t *marks; // depths
    size_t mark_count, mark_cap;
    pj_pickle_value *memo;
    bool *known; // which of the memo have been put
    size_t memo_count, memo_cap, known_cap;
    pj_err *err;
} machine;

typedef bool does(machine *m);

typedef struct opcode_row {
    const char *name;
    does *run; // NULL = refused
} opcode_row;

static bool refuse(machine *m, const char *what)
{
    pj_source_damaged(m->source, (pj_spot){.offset = m->opcode, .at_byte = true}, m->err, "%s",
                      what);
    return false;
}

static bool take(machine *m, size_t size, pj_str *out)
{
    if (size > m->bytes.len - m->at)
        return refuse(m, "a value is longer than the file");
    *out = (pj_str){m->bytes.at + m->at, size};
    m->at += size;
    return true;
}

/// An unsigned number of `size` bytes, least significant first.
static bool take_number(machine *m, size_t size, uint64_t *out)
{
    pj_str raw;
    if (!take(m, size, &raw))
        return false;
    *out = 0;
    for (size_t i = 0; i < size; i++)
        *out |= (uint64_t)(unsigned char)raw.at[i] << (8 * i);
    return true;
}

static bool take_line(machine *m, pj_str *out)
{
    pj_str rest = pj_str_from(m->bytes, m->at);
    size_t len = pj_str_find(rest, '\n');
    if (len == rest.len)
        return refuse(m, "a line has no end");
    m->at += len + 1;
    *out = pj_str_head(rest, len);
    return true;
}

static bool push(machine *m, pj_pickle_value value)
{
    if (m->depth >= STACK_MAX)
        return refuse(m, "more than 1048576 values wait on the stack");
    if (m->depth == m->stack_cap)
        pj_grow(m->stack, &m->stack_cap, m->depth + 1);
    m->stack[m->depth++] = value;
    return true;
}

/// The lowest depth that the opcode at work may take from.
static size_t floor_of(const machine *m)
{
    return m->mark_count ? m->marks[m->mark_count - 1] : 0;
}

static bool need(machine *m, size_t values)
{
    return m->depth - floor_of(m) >= values || refuse(m, "the stack holds too few values");
}

static bool push_int(machine *m, int64_t integer)
{
    return push(m, (pj_pickle_value){.kind = PJ_PICKLE_INT, .integer = integer});
}

static bool push_text(machine *m, pj_str text)
{
    if (text.len > TEXT_MAX)
        return refuse(m, "a text is longer than 1 MiB");
    return push(
        m, (pj_pickle_value){.kind = PJ_PICKLE_TEXT, .count = (uint32_t)text.len, .text = text.at});
}

static bool do_proto(machine *m)
{
    uint64_t protocol;
    if (!take_number(m, 1, &protocol))
        return false;
    return protocol <= 5 || refuse(m, "begins a pickle of a protocol after 5");
}

static bool do_frame(machine *m)
{
    uint64_t size;
    if (!take_number(m, 8, &size))
        return false;
    return size <= m->bytes.len - m->at || refuse(m, "a frame is longer than the file");
}

static bool do_text(machine *m, size_t size_bytes)
{
    uint64_t size;
    pj_str text;
    return take_number(m, size_bytes, &size) && take(m, size, &text) && push_text(m, text);
}

static bool do_text1(machine *m)
{
    return do_text(m, 1);
}

static bool do_text4(machine *m)
{
    return do_text(m, 4);
}

static bool do_text8(machine *m)
{
    return do_text(m, 8);
}

static bool push_built(machine *m, pj_buf *text)
{
    bool ok = push_text(m, text->len <= TEXT_MAX ? pj_arena_str(m->arena, pj_buf_str(text))
                                                 : pj_buf_str(text));
    pj_buf_free(text);
    return ok;
}

/// Text of protocol 0.
static bool do_unicode(machine *m)
{
    pj_str line;
    if (!take_line(m, &line))
        return false;
    pj_buf out = {.at = NULL};
    pj_pickle_unicode(line, &out);
    return push_built(m, &out);
}

/// A string of Python 2 in quotes.
static bool do_string(machine *m)
{
    pj_str line;
    if (!take_line(m, &line))
        return false;
    line = pj_str_trim(line);
    char quote = line.len >= 2 ? line.at[0] : 0;
    if ((quote != '\'' && quote != '"') || line.at[line.len - 1] != quote)
        return refuse(m, "a string has no quotes");
    pj_buf out = {.at = NULL};
    pj_pickle_quoted((pj_str){line.at + 1, line.len - 2}, &out);
    return push_built(m, &out);
}

static bool do_int1(machine *m)
{
    uint64_t value;
    return take_number(m, 1, &value) && push_int(m, (int64_t)value);
}

static bool do_int2(machine *m)
{
    uint64_t value;
    return take_number(m, 2, &value) && push_int(m, (int64_t)value);
}

static bool do_int4(machine *m)
{
    uint64_t value;
    return take_number(m, 4, &value) && push_int(m, (int32_t)(uint32_t)value);
}

static bool do_long1(machine *m)
{
    uint64_t size, value;
    if (!take_number(m, 1, &size))
        return false;
    if (size > 8)
        return refuse(m, "a number is longer than 8 bytes");
    if (!take_number(m, size, &value))
        return false;
    if (size && size < 8 && value >> (8 * size - 1)) // negative: its sign goes on
        value |= UINT64_MAX << (8 * size);
    return push_int(m, (int64_t)value);
}

/// A number in a line: true and false are 01 and 00.
static bool do_int_text(machine *m)
{
    pj_str line;
    int64_t value;
    if (!take_line(m, &line))
        return false;
    line = pj_str_trim(line);
    if (pj_str_equal(line, PJ_S("00")) || pj_str_equal(line, PJ_S("01")))
        return push(m, (pj_pickle_value){.kind = PJ_PICKLE_BOOL, .integer = line.at[1] == '1'});
    if (pj_str_ends(line, PJ_S("L")))
        line.len--;
    if (!pj_parse_i64(line, &value))
        return refuse(m, "a line is no whole number of 64 bits");
    return push_int(m, value);
}

static bool do_float_text(machine *m)
{
    pj_str line;
    double value;
    if (!take_line(m, &line))
        return false;
    if (!pj_parse_double(pj_str_trim(line), &value))
        return refuse(m, "a line is no number");
    return push(m, (pj_pickle_value){.kind = PJ_PICKLE_REAL, .real = value});
}

/// The one number whose most significant byte comes first.
static bool do_float(machine *m)
{
    pj_str raw;
    if (!take(m, 8, &raw))
        return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++)
        bits = bits << 8 | (unsigned char)raw.at[i];
    pj_pickle_value value = {.kind = PJ_PICKLE_REAL};
    memcpy(&value.real, &bits, sizeof bits);
    return push(m, value);
}

static bool do_none(machine *m)
{
    return push(m, (pj_pickle_value){.kind = PJ_PICKLE_NONE});
}

static bool do_true(machine *m)
{
    return push(m, (pj_pickle_value){.kind = PJ_PICKLE_BOOL, .integer = 1});
}

static bool do_false(machine *m)
{
    return push(m, (pj_pickle_value){.kind = PJ_PICKLE_BOOL});
}

static bool do_mark(machine *m)
{
    if (m->mark_count >= STACK_MAX)
        return refuse(m, "more than 1048576 marks wait");
    if (m->mark_count == m->mark_cap)
        pj_grow(m->marks, &m->mark_cap, m->mark_count + 1);
    m->marks[m->mark_count++] = m->depth;
    return true;
}

/// Takes the last mark away: the values above it are the opcode's.
static bool take_mark(machine *m, pj_pickle_value **items, size_t *count)
{
    if (!m->mark_count)
        return refuse(m, "there is no mark");
    size_t first = m->marks[--m->mark_count];
    *items = m->stack + first;
    *count = m->depth - first;
    m->depth = first;
    return true;
}

static bool push_tuple(machine *m, const pj_pickle_value *items, size_t count)
{
    pj_pickle_value *kept = count ? pj_new_n(m->arena, pj_pickle_value, count) : NULL;
    if (count)
        memcpy(kept, items, count * sizeof *kept);
    return push(
        m, (pj_pickle_value){.kind = PJ_PICKLE_TUPLE, .count = (uint32_t)count, .items = kept});
}

static bool do_tuple(machine *m)
{
    pj_pickle_value *items;
    size_t count;
    return take_mark(m, &items, &count) && push_tuple(m, items, count);
}

static bool do_tuple_of(machine *m, size_t count)
{
    if (!need(m, count))
        return false;
    m->depth -= count;
    return push_tuple(m, m->stack + m->depth, count);
}

static bool do_tuple0(machine *m)
{
    return do_tuple_of(m, 0);
}

static bool do_tuple1(machine *m)
{
    return do_tuple_of(m, 1);
}

static bool do_tuple2(machine *m)
{
    return do_tuple_of(m, 2);
}

static bool do_tuple3(machine *m)
{
    return do_tuple_of(m, 3);
}

static void add_items(machine *m, pj_pickle_list *list, const pj_pickle_value *items, size_t count)
{
    if (list->count + count > list->cap) {
        size_t cap = list->cap * 2 > list->count + count ? list->cap * 2 : list->count + count;
        pj_pickle_value *wider = pj_new_n(m->arena, pj_pickle_value, cap);
        if (list->count)
            memcpy(wider, list->items, list->count * sizeof *wider);
        list->items = wider;
        list->cap = cap;
    }
    if (count)
        memcpy(list->items + list->count, items, count * sizeof *items);
    list->count += count;
}

static bool push_list(machine *m, pj_pickle_kind kind, const pj_pickle_value *items, size_t count)
{
    pj_pickle_list *list = pj_new(m->arena, pj_pickle_list);
    add_items(m, list, items, count);
    return push(m, (pj_pickle_value){.kind = kind, .list = list});
}

static bool do_empty_list(machine *m)
{
    return push_list(m, PJ_PICKLE_LIST, NULL, 0);
}

static bool do_empty_dict(machine *m)
{
    return push_list(m, PJ_PICKLE_DICT, NULL, 0);
}

static bool do_list(machine *m)
{
    pj_pickle_value *items;
    size_t count;
    return take_mark(m, &items, &count) && push_list(m, PJ_PICKLE_LIST, items, count);
}

/// Keys and values in turn.
static bool take_pairs(machine *m, pj_pickle_value **items, size_t *count)
{
    return take_mark(m, items, count) && (*count % 2 == 0 || refuse(m, "a key has no value"));
}

static bool do_dict(machine *m)
{
    pj_pickle_value *items;
    size_t count;
    return take_pairs(m, &items, &count) && push_list(m, PJ_PICKLE_DICT, items, count);
}

/// Adds the `count` values on top of the stack, which are taken, to the list or dict below them.
static bool extend(machine *m, pj_pickle_kind kind, const pj_pickle_value *items, size_t count)
{
    if (!need(m, 1))
        return false;
    pj_pickle_value *top = &m->stack[m->depth - 1];
    if (top->kind != kind)
        return refuse(m, "items are added to something that holds none");
    add_items(m, top->list, items, count);
    return true;
}

static bool do_append(machine *m)
{
    if (!need(m, 2))
        return false;
    m->depth -= 1;
    return extend(m, PJ_PICKLE_LIST, m->stack + m->depth, 1);
}

static bool do_setitem(machine *m)
{
    if (!need(m, 3))
        return false;
    m->depth -= 2;
    return extend(m, PJ_PICKLE_DICT, m->stack + m->depth, 2);
}

static bool do_appends(machine *m)
{
    pj_pickle_value *items;
    size_t count;
    return take_mark(m, &items, &count) && extend(m, PJ_PICKLE_LIST, items, count);
}

static bool do_setitems(machine *m)
{
    pj_pickle_value *items;
    size_t count;
    return take_pairs(m, &items, &count) && extend(m, PJ_PICKLE_DICT, items, count);
}

static bool do_pop(machine *m)
{
    if (!m->depth || floor_of(m) == m->depth)
        return refuse(m, "the stack holds too few values");
    m->depth--;
    return true;
}

static bool put(machine *m, uint64_t index)
{
    if (!need(m, 1))
        return false;
    if (index >= m->opcodes)
        return refuse(m, "a value is kept under a number beyond those of the file");
    if (index >= m->memo_cap)
        pj_grow(m->memo, &m->memo_cap, index + 1);
    if (index >= m->known_cap)
        pj_grow(m->known, &m->known_cap, index + 1);
    while (m->memo_count <= index)
        m->known[m->memo_count++] = false;
    m->memo[index] = m->stack[m->depth - 1];
    m->known[index] = true;
    return true;
}

static bool get(machine *m, uint64_t index)
{
    if (index >= m->memo_count || !m->known[index])
        return refuse(m, "a value is asked for that was never kept");
    return push(m, m->memo[index]);
}

static bool do_memoize(machine *m)
{
    return put(m, m->memo_count);
}

static bool do_put1(machine *m)
{
    uint64_t index;
    return take_number(m, 1, &index) && put(m, index);
}

static bool do_put4(machine *m)
{
    uint64_t index;
    return take_number(m, 4, &index) && put(m, index);
}

static bool do_get1(machine *m)
{
    uint64_t index;
    return take_number(m, 1, &index) && get(m, index);
}

static bool do_get4(machine *m)
{
    uint64_t index;
    return take_number(m, 4, &index) && get(m, index);
}

static bool take_index(machine *m, uint64_t *index)
{
    pj_str line;
    if (!take_line(m, &line))
        return false;
    return pj_parse_u64(pj_str_trim(line), index) || refuse(m, "a line is no number of a value");
}

static bool do_put_text(machine *m)
{
    uint64_t index;
    return take_index(m, &index) && put(m, index);
}

static bool do_get_text(machine *m)
{
    uint64_t index;
    return take_index(m, &index) && get(m, index);
}

/// Everything that a pickle may name. Names stand for themselves: no module is looked for.
static const struct {
    const char *module, *name;
    pj_pickle_kind kind;
} names[] = {
    {"line_profiler._line_profiler", "LineStats", PJ_PICKLE_LINE_STATS}, // 3.x, 4.x
    {"line_profiler.line_profiler", "LineStats", PJ_PICKLE_LINE_STATS},  // 5.x
    {"_line_profiler", "LineStats", PJ_PICKLE_LINE_STATS},               // 1.x, 2.x
    {"copy_reg", "_reconstructor", PJ_PICKLE_RECONSTRUCTOR},             // protocols 0 and 1
    {"copyreg", "_reconstructor", PJ_PICKLE_RECONSTRUCTOR},
    {"__builtin__", "object", PJ_PICKLE_OBJECT_CLASS},
    {"builtins", "object", PJ_PICKLE_OBJECT_CLASS},
};

static bool push_name(machine *m, pj_str module, pj_str name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(module, pj_str_of(names[i].module)) &&
            pj_str_equal(name, pj_str_of(names[i].name)))
            return push(m, (pj_pickle_value){.kind = names[i].kind});
    module = pj_str_head(module, 80);
    name = pj_str_head(name, 80);
    return pj_fail(m->err, PJ_E_FORMAT, pj_source_path(m->source), 0,
                   "is a pickle and no line_profiler profile: at byte %zu it names " PJ_STR_FMT
                   "." PJ_STR_FMT " in place of LineStats; nothing of it was executed",
                   m->opcode, PJ_STR_ARG(module), PJ_STR_ARG(name));
}

static bool do_global(machine *m)
{
    pj_str module, name;
    return take_line(m, &module) && take_line(m, &name) && push_name(m, module, name);
}

static bool do_stack_global(machine *m)
{
    if (!need(m, 2))
        return false;
    pj_pickle_value module = m->stack[m->depth - 2], name = m->stack[m->depth - 1];
    if (module.kind != PJ_PICKLE_TEXT || name.kind != PJ_PICKLE_TEXT)
        return refuse(m, "a name is no text");
    m->depth -= 2;
    return push_name(m, pj_pickle_text(module), pj_pickle_text(name));
}

static bool do_newobj(machine *m)
{
    if (!need(m, 2))
        return false;
    pj_pickle_value class = m->stack[m->depth - 2], given = m->stack[m->depth - 1];
    if (class.kind != PJ_PICKLE_LINE_STATS || given.kind != PJ_PICKLE_TUPLE || given.count)
        return refuse(m, "an object is made that is no LineStats");
    m->depth -= 2;
    return push_list(m, PJ_PICKLE_OBJECT, NULL, 0);
}

static bool refuse_opcode(machine *m, unsigned char opcode);

/// Protocols 0 and 1 make an object by copy_reg._reconstructor(LineStats, object, None): that alone
/// is understood.
static bool do_reduce(machine *m)
{
    if (!need(m, 2))
        return false;
    pj_pickle_value call = m->stack[m->depth - 2], given = m->stack[m->depth - 1];
    if (call.kind != PJ_PICKLE_RECONSTRUCTOR || given.kind != PJ_PICKLE_TUPLE || given.count != 3 ||
        given.items[0].kind != PJ_PICKLE_LINE_STATS ||
        given.items[1].kind != PJ_PICKLE_OBJECT_CLASS || given.items[2].kind != PJ_PICKLE_NONE)
        return refuse_opcode(m, 'R');
    m->depth -= 2;
    return push_list(m, PJ_PICKLE_OBJECT, NULL, 0);
}

static bool do_build(machine *m)
{
    if (!need(m, 2))
        return false;
    pj_pickle_value object = m->stack[m->depth - 2], state = m->stack[m->depth - 1];
    if (object.kind != PJ_PICKLE_OBJECT || object.list->count)
        return refuse(m, "a state is given to something that is no LineStats");
    m->depth -= 1;
    add_items(m, object.list, &state, 1);
    return true;
}

enum { STOP = '.' };

static const opcode_row opcodes[256] = {
    [0x80] = {"PROTO", do_proto},
    [0x95] = {"FRAME", do_frame},
    [0x8c] = {"SHORT_BINUNICODE", do_text1},
    ['X'] = {"BINUNICODE", do_text4},
    [0x8d] = {"BINUNICODE8", do_text8},
    ['U'] = {"SHORT_BINSTRING", do_text1},
    ['T'] = {"BINSTRING", do_text4},
    ['V'] = {"UNICODE", do_unicode},
    ['S'] = {"STRING", do_string},
    [0x94] = {"MEMOIZE", do_memoize},
    ['q'] = {"BINPUT", do_put1},
    ['r'] = {"LONG_BINPUT", do_put4},
    ['p'] = {"PUT", do_put_text},
    ['h'] = {"BINGET", do_get1},
    ['j'] = {"LONG_BINGET", do_get4},
    ['g'] = {"GET", do_get_text},
    ['c'] = {"GLOBAL", do_global},
    [0x93] = {"STACK_GLOBAL", do_stack_global},
    [')'] = {"EMPTY_TUPLE", do_tuple0},
    [0x85] = {"TUPLE1", do_tuple1},
    [0x86] = {"TUPLE2", do_tuple2},
    [0x87] = {"TUPLE3", do_tuple3},
    ['t'] = {"TUPLE", do_tuple},
    [']'] = {"EMPTY_LIST", do_empty_list},
    ['l'] = {"LIST", do_list},
    ['a'] = {"APPEND", do_append},
    ['e'] = {"APPENDS", do_appends},
    ['}'] = {"EMPTY_DICT", do_empty_dict},
    ['d'] = {"DICT", do_dict},
    ['s'] = {"SETITEM", do_setitem},
    ['u'] = {"SETITEMS", do_setitems},
    ['('] = {"MARK", do_mark},
    ['0'] = {"POP", do_pop},
    ['J'] = {"BININT", do_int4},
    ['K'] = {"BININT1", do_int1},
    ['M'] = {"BININT2", do_int2},
    ['I'] = {"INT", do_int_text},
    ['L'] = {"LONG", do_int_text},
    [0x8a] = {"LONG1", do_long1},
    ['F'] = {"FLOAT", do_float_text},
    ['G'] = {"BINFLOAT", do_float},
    ['N'] = {"NONE", do_none},
    [0x88] = {"NEWTRUE", do_true},
    [0x89] = {"NEWFALSE", do_false},
    [0x81] = {"NEWOBJ", do_newobj},
    ['R'] = {"REDUCE", do_reduce},
    ['b'] = {"BUILD", do_build},
    // Known to pickle and to no line profile:
    ['1'] = {.name = "POP_MARK"},
    ['2'] = {.name = "DUP"},
    ['B'] = {.name = "BINBYTES"},
    ['C'] = {.name = "SHORT_BINBYTES"},
    ['P'] = {.name = "PERSID"},
    ['Q'] = {.name = "BINPERSID"},
    ['i'] = {.name = "INST"},
    ['o'] = {.name = "OBJ"},
    [0x82] = {.name = "EXT1"},
    [0x83] = {.name = "EXT2"},
    [0x84] = {.name = "EXT4"},
    [0x8b] = {.name = "LONG4"},
    [0x8e] = {.name = "BINBYTES8"},
    [0x8f] = {.name = "EMPTY_SET"},
    [0x90] = {.name = "ADDITEMS"},
    [0x91] = {.name = "FROZENSET"},
    [0x92] = {.name = "NEWOBJ_EX"},
    [0x96] = {.name = "BYTEARRAY8"},
    [0x97] = {.name = "NEXT_BUFFER"},
    [0x98] = {.name = "READONLY_BUFFER"},
};

static bool refuse_opcode(machine *m, unsigned char opcode)
{
    const char *name = opcodes[opcode].name;
    return pj_fail(m->err, PJ_E_FORMAT, pj_source_path(m->source), 0,
                   "is a pickle and no line_profiler profile: at byte %zu is opcode %s (0x%02x), "
                   "which line_profiler never writes; nothing of it was executed",
                   m->opcode, name ? name : "unknown", opcode);
}

static bool run(machine *m)
{
    while (m->at < m->bytes.len) {
        m->opcode = m->at++;
        m->opcodes++;
        unsigned char opcode = (unsigned char)m->bytes.at[m->opcode];
        if (opcode == STOP)
            return true;
        if (!opcodes[opcode].run)
            return refuse_opcode(m, opcode);
        if (!opcodes[opcode].run(m))
            return false;
    }
    m->opcode = m->at;
    return refuse(m, "the pickle ends without its end mark: the file is cut off");
}

static bool finish(machine *m, pj_pickle_value *out)
{
    if (m->depth != 1 || m->mark_count)
        return refuse(m, "the pickle ends with other than one value");
    if (m->at != m->bytes.len) {
        m->opcode = m->at;
        return refuse(m, "bytes follow the end of the pickle");
    }
    *out = m->stack[0];
    return true;
}

bool pj_pickle_read(const pj_source *source, pj_str bytes, pj_arena *arena, pj_pickle_value *out,
                    pj_err *err)
{
    machine m = {.source = source, .bytes = bytes, .arena = arena, .err = err};
    pj_grow(m.stack, &m.stack_cap, 1); // parts of it that hold nothing begin somewhere, too
    bool ok = run(&m) && finish(&m, out);
    free(m.stack);
    free(m.marks);
    free(m.memo);
    free(m.known);
    return ok;
}

/// Whether a line is a dotted name, as GLOBAL has it.
static bool is_name(pj_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        char c = line.at[i], lower = (char)(c | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '.')
            return false;
    }
    return line.len > 0;
}

bool pj_pickle_sniff(pj_str head)
{
    if (head.len >= 2 && (unsigned char)head.at[0] == 0x80)
        return (unsigned char)head.at[1] <= 5;
    if (head.len < 4 || (head.at[0] != 'c' && head.at[0] != 'P'))
        return false;
    pj_str rest = pj_str_from(head, 1);
    bool named = is_name(pj_str_cut(&rest, '\n'));
    if (head.at[0] == 'P') // a persistent name and nothing else
        return named && pj_str_equal(rest, PJ_S("."));
    return named && is_name(pj_str_cut(&rest, '\n'));
}
