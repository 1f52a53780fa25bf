// Outputs that a front end missed.
// A list of cells, the latest last, each with a list of outputs.
#include "kernel/jupyter/kept.h"

#include "kernel/command/jsontext.h"
#include "kernel/jupyter/request.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_CELLS = 1000, LATEST = 64, PIECE = 64 << 10 };

typedef struct output {
    struct output *next;
    const char *type; // "stdout", "stderr" or that of the message
    pj_buf text;      // or content
} output;

typedef struct cell {
    struct cell *next, *previous;
    pj_buf id; // msg_id of its request
    uint64_t count;
    output *first, *last;
    size_t gone;
} cell;

struct pj_kept {
    pthread_mutex_t lock;
    cell *first, *last;
    size_t cells, bytes, limit;
};

pj_kept *pj_kept_new(size_t limit)
{
    pj_kept *kept = pj_take_memory(sizeof *kept);
    *kept = (pj_kept){.limit = limit};
    pthread_mutex_init(&kept->lock, NULL);
    return kept;
}

static void drop_output(pj_kept *kept, cell *c)
{
    output *o = c->first;
    kept->bytes -= sizeof *o + o->text.len;
    c->first = o->next;
    c->last = c->first ? c->last : NULL;
    pj_buf_free(&o->text);
    free(o);
}

static void drop_oldest(pj_kept *kept)
{
    cell *c = kept->first;
    while (c->first)
        drop_output(kept, c);
    kept->first = c->next;
    if (c->next)
        c->next->previous = NULL;
    else
        kept->last = NULL;
    kept->cells--;
    pj_buf_free(&c->id);
    free(c);
}

void pj_kept_free(pj_kept *kept)
{
    if (!kept)
        return;
    while (kept->first)
        drop_oldest(kept);
    pthread_mutex_destroy(&kept->lock);
    free(kept);
}

// The functions below up to the next heading are called with the lock held.

/// Cells run one after another in each shell, so that one that still prints is among the latest.
static cell *find_cell(const pj_kept *kept, const pj_request *parent)
{
    int tries = LATEST;
    for (cell *c = kept->last; parent && c && tries--; c = c->previous)
        if (pj_str_equal(pj_buf_str(&c->id), parent->msg_id))
            return c;
    return NULL;
}

static void make_room(pj_kept *kept)
{
    while (kept->cells > MOST_CELLS || (kept->bytes > kept->limit && kept->first != kept->last))
        drop_oldest(kept);
    while (kept->bytes > kept->limit && kept->first->first) {
        kept->first->gone++;
        drop_output(kept, kept->first);
    }
}

static void begin_cell(pj_kept *kept, const pj_request *parent, uint64_t count)
{
    cell *c = pj_take_memory(sizeof *c);
    *c = (cell){.count = count, .previous = kept->last};
    pj_buf_add(&c->id, parent->msg_id);
    *(kept->last ? &kept->last->next : &kept->first) = c;
    kept->last = c;
    kept->cells++;
    make_room(kept);
}

static void add_output(pj_kept *kept, cell *c, const char *type, pj_str text)
{
    output *o = pj_take_memory(sizeof *o);
    *o = (output){.type = type};
    pj_buf_add(&o->text, text);
    *(c->last ? &c->last->next : &c->first) = o;
    c->last = o;
    kept->bytes += sizeof *o + text.len;
}

static const char *id_of(json_t *content)
{
    return json_string_value(json_object_get(json_object_get(content, "transient"), "display_id"));
}

/// An update takes the place of the display that it updates.
static bool update(pj_kept *kept, cell *c, const pj_post *post)
{
    bool found = false;
    json_t *now = json_loadb(post->content, post->content_len, JSON_ALLOW_NUL, NULL);
    const char *id = id_of(now);
    for (output *o = c->first; id && o && !found; o = o->next) {
        json_t *was = strcmp(o->type, "display_data") == 0
                          ? json_loadb(o->text.at, o->text.len, JSON_ALLOW_NUL, NULL)
                          : NULL;
        found = id_of(was) && strcmp(id_of(was), id) == 0;
        if (found) {
            kept->bytes = kept->bytes - o->text.len + post->content_len;
            o->text.len = 0;
            pj_buf_add(&o->text, (pj_str){post->content, post->content_len});
        }
        json_decref(was);
    }
    json_decref(now);
    return found;
}

static void clear(pj_kept *kept, cell *c)
{
    while (c->first)
        drop_output(kept, c);
    c->gone = 0;
}

static void add_post(pj_kept *kept, cell *c, const pj_post *post)
{
    static const char *const kinds[] = {"display_data", "execute_result", "error"};
    if (strcmp(post->type, "clear_output") == 0)
        clear(kept, c);
    else if (strcmp(post->type, "update_display_data") == 0)
        update(kept, c, post);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(post->type, kinds[i]) == 0)
            add_output(kept, c, kinds[i], (pj_str){post->content, post->content_len});
    make_room(kept);
}

static bool is_text(const output *o)
{
    return o && (strcmp(o->type, "stdout") == 0 || strcmp(o->type, "stderr") == 0);
}

static json_t *to_json(const cell *c)
{
    json_t *list = json_array();
    for (const output *o = c->first; o; o = o->next) {
        json_t *item = json_pack("{s:s}", "type", o->type);
        if (is_text(o))
            json_object_set_new(item, "text", pj_jsontext_string(pj_buf_str(&o->text)));
        else
            json_object_set_new(item, "content",
                                json_loadb(o->text.at, o->text.len, JSON_ALLOW_NUL, NULL));
        json_array_append_new(list, item);
    }
    return list;
}

// What others call

void pj_kept_post(pj_kept *kept, const pj_post *post)
{
    if (!post->parent)
        return;
    bool begins = strcmp(post->type, "execute_input") == 0;
    pthread_mutex_lock(&kept->lock);
    cell *c = begins ? NULL : find_cell(kept, post->parent);
    if (begins)
        begin_cell(kept, post->parent, (uint64_t)post->count);
    else if (c)
        add_post(kept, c, post);
    pthread_mutex_unlock(&kept->lock);
}

void pj_kept_text(pj_kept *kept, const pj_request *parent, pj_stream stream, pj_str text)
{
    const char *type = stream == PJ_STDERR ? "stderr" : "stdout";
    pthread_mutex_lock(&kept->lock);
    cell *c = find_cell(kept, parent);
    if (c && is_text(c->last) && strcmp(c->last->type, type) == 0 && c->last->text.len < PIECE) {
        pj_buf_add(&c->last->text, text);
        kept->bytes += text.len;
    } else if (c) {
        add_output(kept, c, type, text);
    }
    make_room(kept);
    pthread_mutex_unlock(&kept->lock);
}

json_t *pj_kept_outputs(pj_kept *kept, uint64_t count, const pj_request *except, size_t *gone)
{
    json_t *list = NULL;
    pthread_mutex_lock(&kept->lock);
    const cell *own = find_cell(kept, except), *c = kept->last;
    while (c && (c == own || (count ? c->count != count : !c->first)))
        c = c->previous;
    if (c) {
        list = to_json(c);
        *gone = c->gone;
    }
    pthread_mutex_unlock(&kept->lock);
    return list;
}
