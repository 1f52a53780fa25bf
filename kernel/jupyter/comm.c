// Comms that are open.
// Records in a row; a JSON object finds them by id.
#include "kernel/jupyter/comm.h"

#include "kernel/command/jsontext.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct record {
    json_t *id, *info; // info: {"target_name"}
    pj_request *maker;
} record;

struct pj_comms {
    pthread_mutex_t lock;
    json_t *places; // id -> index of its record
    record *records;
    size_t count, cap;
};

pj_comms *pj_comms_new(void)
{
    pj_comms *comms = pj_take_memory(sizeof *comms);
    *comms = (pj_comms){.places = json_object()};
    pthread_mutex_init(&comms->lock, NULL);
    return comms;
}

static void clear(record *r)
{
    json_decref(r->id);
    json_decref(r->info);
    pj_request_drop(r->maker);
}

void pj_comms_free(pj_comms *comms)
{
    if (!comms)
        return;
    for (size_t i = 0; i < comms->count; i++)
        clear(&comms->records[i]);
    free(comms->records);
    json_decref(comms->places);
    pthread_mutex_destroy(&comms->lock);
    free(comms);
}

/// NULL when the comm is not open. Called with the lock held.
static record *find(const pj_comms *comms, pj_str id)
{
    const json_t *place = id.len ? json_object_getn(comms->places, id.at, id.len) : NULL;
    return place ? &comms->records[json_integer_value(place)] : NULL;
}

static void put_place(pj_comms *comms, const record *r)
{
    json_object_setn_new(comms->places, json_string_value(r->id), json_string_length(r->id),
                         json_integer(r - comms->records));
}

void pj_comms_add(pj_comms *comms, pj_str id, pj_str target, pj_request *maker)
{
    pthread_mutex_lock(&comms->lock);
    if (id.len && !find(comms, id)) {
        pj_grow(comms->records, &comms->cap, comms->count + 1);
        record *r = &comms->records[comms->count++];
        *r = (record){
            .id = json_stringn(id.at, id.len),
            .info = json_pack("{s:o}", "target_name", pj_jsontext_string(target)),
            .maker = maker ? pj_request_hold(maker) : NULL,
        };
        put_place(comms, r);
    }
    pthread_mutex_unlock(&comms->lock);
}

void pj_comms_remove(pj_comms *comms, pj_str id)
{
    pthread_mutex_lock(&comms->lock);
    record *r = find(comms, id);
    if (r) {
        record gone = *r;
        json_object_deln(comms->places, id.at, id.len);
        *r = comms->records[--comms->count];
        if (r < comms->records + comms->count)
            put_place(comms, r);
        clear(&gone);
    }
    pthread_mutex_unlock(&comms->lock);
}

pj_request *pj_comms_maker(pj_comms *comms, pj_str id)
{
    pthread_mutex_lock(&comms->lock);
    const record *r = find(comms, id);
    pj_request *maker = r && r->maker ? pj_request_hold(r->maker) : NULL;
    pthread_mutex_unlock(&comms->lock);
    return maker;
}

/// Copies: jansson's counts of references are no business of several threads.
json_t *pj_comms_info(pj_comms *comms, pj_str target_name)
{
    json_t *list = json_object();
    pthread_mutex_lock(&comms->lock);
    for (size_t i = 0; i < comms->count; i++) {
        const record *r = &comms->records[i];
        if (!target_name.len || pj_str_equal(target_name, pj_jsontext_str(r->info, "target_name")))
            json_object_setn_new(list, json_string_value(r->id), json_string_length(r->id),
                                 json_deep_copy(r->info));
    }
    pthread_mutex_unlock(&comms->lock);
    return json_pack("{s:s, s:o}", "status", "ok", "comms", list);
}
