// What a command returns, Lua holds and a front end shows: a tagged union of counted things.
// Ownership: a value owns one reference of what it points to (pj_value_hold, pj_value_clear);
// values inside the arguments of a command are borrowed.
#ifndef PJ_VALUE_H
#define PJ_VALUE_H

#include "metrics/pop/metrics.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

typedef enum pj_value_kind {
#define PLAIN(kind, name) PJ_VALUE_##kind,
#define VALUE(kind, name) PJ_VALUE_##kind,
#include "kernel/command/values.def"
#undef PLAIN
#undef VALUE
} pj_value_kind;

typedef struct pj_list pj_list;
typedef struct pj_drawing pj_drawing;

typedef struct pj_value {
    pj_value_kind kind;
    union {
        bool flag;
        double number;
        const char *text; // terminated; malloc; of a widget (live.h) its comm id
#define PLAIN(kind, name)
#define VALUE(kind, name) struct pj_##name *name;
#include "kernel/command/values.def"
#undef PLAIN
#undef VALUE
    };
    pj_palette palette;   // of metrics: how efficiencies are coloured
    pj_picture_size size; // of pictures of tables and metrics
} pj_value;

/// Values in order. Ownership: counted.
struct pj_list {
    _Atomic uint32_t references;
    pj_value *items;
    size_t count, cap;
};

/// A figure with the table it was drawn from (for text, CSV and screen readers; may be NULL).
struct pj_drawing {
    _Atomic uint32_t references;
    pj_figure *figure;
    pj_table *data;
    bool terminal; // laid out for the cells of a terminal
};

/// Another reference to the same thing; texts are copied.
pj_value pj_value_hold(pj_value value);
void pj_value_clear(pj_value *value);
#define pj_auto_value __attribute__((cleanup(pj_value_clear))) pj_value
/// Bytes of memory behind it, roughly; what several values share counts for each.
uint64_t pj_value_bytes(const pj_value *value);
/// "table", "run": for messages.
const char *pj_value_name(pj_value_kind kind);
/// Whether it is a list that holds only runs, at least one.
bool pj_value_is_runs(const pj_value *value);

static inline pj_value pj_value_number(double number)
{
    return (pj_value){.kind = PJ_VALUE_NUMBER, .number = number};
}
static inline pj_value pj_value_flag(bool flag)
{
    return (pj_value){.kind = PJ_VALUE_BOOL, .flag = flag};
}
/// A copy of `text`.
pj_value pj_value_text(const char *text);
/// A text that the caller keeps: for arguments only, never cleared.
static inline pj_value pj_value_borrow_text(const char *text)
{
    return (pj_value){.kind = PJ_VALUE_TEXT, .text = text};
}
static inline pj_value pj_value_run_take(pj_run *run)
{
    return (pj_value){.kind = PJ_VALUE_RUN, .run = run};
}
static inline pj_value pj_value_table_take(pj_table *table)
{
    return (pj_value){.kind = PJ_VALUE_TABLE, .table = table};
}
static inline pj_value pj_value_profile_take(struct pj_profile *profile)
{
    return (pj_value){.kind = PJ_VALUE_PROFILE, .profile = profile};
}
static inline pj_value pj_value_metrics_take(pj_metrics *metrics)
{
    return (pj_value){.kind = PJ_VALUE_METRICS, .metrics = metrics};
}
/// `data` may be NULL.
pj_value pj_value_drawing_take(pj_figure *figure, pj_table *data);
pj_value pj_value_list_new(void);
void pj_value_list_add_take(pj_value *list, pj_value item);

#endif
