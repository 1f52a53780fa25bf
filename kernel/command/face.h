// Where output goes and input comes from: the notebook, the shell or a test. The language and the
// commands see only this. Ownership: borrow - texts and JSON are the caller's; a face copies.
#ifndef PJ_FACE_H
#define PJ_FACE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#include <jansson.h>

typedef enum pj_stream { PJ_STDOUT, PJ_STDERR } pj_stream;

/// One display: `data` maps MIME types to values (JSON types as objects, binary ones as base64
/// text), `metadata` likewise; `id` NULL = no display_id.
typedef struct pj_display {
    json_t *data;
    json_t *metadata; // may be NULL
    const char *id;
    bool update; // update_display_data of an `id` shown before
} pj_display;

/// Work for the thread of widgets' handlers. `drop` is called once, also when the kernel ends
/// first; it may be NULL.
typedef struct pj_errand {
    void (*call)(void *context);
    void (*drop)(void *context);
    void *context;
} pj_errand;

/// Where other threads leave errands, which run in order on behalf of the cell that opened it.
typedef struct pj_desk {
    void *self;                                        // NULL = nobody serves it
    void (*post)(void *self, const pj_errand *errand); // by any thread
    void (*close)(void *self);
} pj_desk;

typedef struct pj_face {
    void *self;
    /// On a terminal, control characters other than those of lines and colours become visible:
    /// names come out of files that anybody has made.
    void (*write)(void *self, pj_stream stream, pj_str text);
    /// The same for what a script prints, as it is; NULL = write.
    void (*print)(void *self, pj_stream stream, pj_str text);
    void (*display)(void *self, const pj_display *display);
    void (*clear)(void *self, bool wait);
    /// Asks the user; false with PJ_E_STOPPED when interrupted, PJ_E_MISSING when nobody can
    /// answer.
    bool (*input)(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err);
    /// An execute_reply payload, e.g. {"source": "page", "data": {...}, "start": 0}; borrowed.
    void (*payload)(void *self, json_t *payload);
    /// What a handler of a widget did wrong, told where the widget was made; NULL = to PJ_STDERR.
    void (*complain)(void *self, pj_str text);
    /// Messages of widgets; all NULL where no front end has any.
    pj_comm_channel comms;
    /// Opens a desk for the running cell; `owner` is that of its widgets. NULL = nobody serves one.
    pj_desk (*desk)(void *self, const char *owner);
    /// What an earlier cell published (kept.h), new; NULL = nothing is kept. May be NULL itself.
    json_t *(*earlier)(void *self, uint64_t cell, size_t *gone);
    bool rich;     // shows MIME bundles (notebook); false = plain text
    bool colour;   // ANSI colours are welcome in text
    bool terminal; // PJ_STDERR is a terminal: progress may be drawn over itself
    bool draws;    // PJ_STDOUT is a terminal: plots are drawn, elsewhere their numbers are shown
} pj_face;

static inline void pj_face_print(const pj_face *face, pj_stream stream, pj_str text)
{
    (face->print ? face->print : face->write)(face->self, stream, text);
}

static inline void pj_face_complain(const pj_face *face, pj_str text)
{
    if (face->complain)
        face->complain(face->self, text);
    else
        face->write(face->self, PJ_STDERR, text);
}

/// Swallows output and has no answers.
extern const pj_face pj_face_silent;

#endif
