// What a kind of value is to commands, displays, exports and the language: one row of values.def.
// Ownership: constants.
#ifndef PJ_KIND_H
#define PJ_KIND_H

#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/bundle.h"

/// What a row leaves out is done with its table, then with its text; a value without either is
/// shown by its name.
typedef struct pj_kind {
    const char *name; // "picture": for messages
    /// Makes the value own one more reference, and gives it back. NULL = nothing is owned.
    void (*hold)(pj_value *value);
    void (*release)(pj_value *value);
    /// Bytes of memory behind it.
    uint64_t (*bytes)(const pj_value *value);
    /// What it is, in a line: for panels of variables.
    void (*brief)(const pj_value *value, pj_buf *out);
    /// The table that it is shown as: a new reference; NULL = this one has none.
    pj_table *(*table)(const pj_value *value);
    /// Where that one leaves out rows: the table with all of them. NULL when `stop` is raised.
    pj_table *(*whole)(const pj_value *value, atomic_bool *stop);
    /// For terminals.
    void (*text)(const pj_session *session, const pj_value *value, pj_buf *out);
    /// For front ends. False when that is not to be had: its table is shown.
    bool (*bundle)(pj_session *session, const pj_value *value, pj_bundle_opts opts, pj_bundle *out);
    /// Whether `write` makes files of this suffix (without a point); others are made of its table.
    bool (*writes)(pj_str suffix);
    bool (*write)(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out,
                  pj_err *err);
    /// Files of a folder that is named with a slash at its end; NULL = there are none.
    bool (*write_folder)(const pj_value *value, const char *folder, pj_err *err);
    /// Those among them that no table or picture has; ends with NULL.
    const char *const *suffixes;
    /// Its object in Lua; NULL = one with the operations of its table, or where it has none a value
    /// of Lua's own.
    const struct pj_lang_type *lang;
} pj_kind;

const pj_kind *pj_kind_of(const pj_value *value);
/// Rows in the order of pj_value_kind; NULL past the end.
const pj_kind *pj_kind_at(size_t index);

#endif
