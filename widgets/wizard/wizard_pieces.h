// The widgets of the wizard by id: made, read and changed in a word each. What a front end has
// closed reads as empty and is not changed. Ownership: ids are the arena's; JSON named `take` is
// freed.
#ifndef PJ_WIZARD_PIECES_H
#define PJ_WIZARD_PIECES_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "widgets/ipy/widget.h"

typedef const char *pj_piece; // comm id; NULL = none

typedef struct pj_pieces {
    pj_widgets *widgets;
    pj_arena *arena;
    void *context;                          // what callbacks get
    void (*after)(void *context);           // each callback
    int page;                               // of the callbacks that are registered now
    bool (*awake)(void *context, int page); // false: callbacks of the page are not called
    pj_err err;                             // the first failure of making one
    pj_piece *made;
    size_t made_count, made_cap;
} pj_pieces;

void pj_pieces_close(pj_pieces *parts); // closes them all
void pj_pieces_free(pj_pieces *parts);  // forgets them

pj_piece pj_piece_new(pj_pieces *parts, const char *model, json_t *take);
/// `children` ends with NULL.
pj_piece pj_piece_box(pj_pieces *parts, const char *model, const pj_piece *children);
#define PJ_PIECE_ROW(parts, ...) pj_piece_box(parts, "HBox", (const pj_piece[]){__VA_ARGS__, NULL})
#define PJ_PIECE_COLUMN(parts, ...)                                                                \
    pj_piece_box(parts, "VBox", (const pj_piece[]){__VA_ARGS__, NULL})
pj_piece pj_piece_html(pj_pieces *parts, const char *html);
pj_piece pj_piece_button(pj_pieces *parts, const char *label, const char *icon, const char *tip);
/// Its value comes when the field is left; JupyterLab swallows Enter.
pj_piece pj_piece_entry(pj_pieces *parts, const char *label, const char *placeholder);
/// Its value comes with every key, so that it is there when Enter is heard as a click.
pj_piece pj_piece_live_entry(pj_pieces *parts, const char *label, const char *placeholder);
pj_piece pj_piece_check(pj_pieces *parts, const char *label, bool on);
/// `labels` ends with NULL; the first one is chosen.
pj_piece pj_piece_choice(pj_pieces *parts, const char *label, const char *const *labels);
pj_piece pj_piece_number(pj_pieces *parts, const char *model, const char *label, json_t *take);
pj_piece pj_piece_output(pj_pieces *parts);
/// A small one, for a sentence beside a button.
pj_piece pj_piece_said(pj_pieces *parts);

/// `call` when the front end changes `key`, or clicks (NULL).
void pj_piece_on(pj_pieces *parts, pj_piece part, const char *key, void (*call)(void *context));
/// The same for one of several: `place` says which.
void pj_piece_on_place(pj_pieces *parts, pj_piece part, void (*call)(void *context, size_t place),
                       size_t place);

/// The same when the front end changes `key`.
void pj_piece_on_key_place(pj_pieces *parts, pj_piece part, const char *key,
                           void (*call)(void *context, size_t place), size_t place);

/// Any bytes as a text of one line: what is no UTF-8 and controls show as \xNN. New reference.
json_t *pj_piece_string(const char *text);

void pj_piece_set(const pj_pieces *parts, pj_piece part, const char *key, json_t *take);
void pj_piece_layout(const pj_pieces *parts, pj_piece part, const char *key, const char *value);
void pj_piece_show(const pj_pieces *parts, pj_piece part, bool shown);
void pj_piece_enable(const pj_pieces *parts, pj_piece part, bool enabled);
void pj_piece_say(const pj_pieces *parts, pj_piece part, const char *value);
/// Plain text in an HTML part.
void pj_piece_tell(const pj_pieces *parts, pj_piece part, const char *text);
void pj_piece_children(const pj_pieces *parts, pj_piece part, const pj_piece *children);
/// Labels of a list, and which of them is chosen (-1 = none).
void pj_piece_options(const pj_pieces *parts, pj_piece part, json_t *take, int index);
/// An Output shows one MIME bundle; NULL data empties it.
void pj_piece_display(const pj_pieces *parts, pj_piece part, json_t *data, json_t *metadata);

/// Borrowed until the next change; "" when there is none.
const char *pj_piece_text(const pj_pieces *parts, pj_piece part);
bool pj_piece_is_on(const pj_pieces *parts, pj_piece part);
long long pj_piece_value(const pj_pieces *parts, pj_piece part);
/// -1 = none.
int pj_piece_index(const pj_pieces *parts, pj_piece part);
/// The place in a list of `count` that the part chooses; the first one when it chooses none.
size_t pj_piece_pick(const pj_pieces *parts, pj_piece part, size_t count);
/// Of a list of several: whether `place` is among the chosen.
bool pj_piece_has(const pj_pieces *parts, pj_piece part, size_t place);

#endif
