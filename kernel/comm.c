// The comms that are open, in a JSON object id -> index of the target.
#include "kernel/comm.h"

#include "kernel/jsontext.h"
#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>

struct pj_comms {
    pthread_mutex_t lock; // for `open`
    json_t *open;
    const pj_comm_target *targets;
};

pj_comms *pj_comms_new(const pj_comm_target *targets)
{
    pj_comms *comms = pj_take_memory(sizeof *comms);
    *comms = (pj_comms){.open = json_object(), .targets = targets};
    pthread_mutex_init(&comms->lock, NULL);
    return comms;
}

void pj_comms_free(pj_comms *comms)
{
    if (!comms)
        return;
    pthread_mutex_destroy(&comms->lock);
    json_decref(comms->open);
    free(comms);
}

static const pj_comm_target *find_target(const pj_comms *comms, pj_str name)
{
    for (const pj_comm_target *t = comms->targets; t->name; t++)
        if (pj_str_equal(pj_str_of(t->name), name))
            return t;
    return NULL;
}

/// The target of an open comm, or NULL; `forget` takes the comm from the list.
static const pj_comm_target *target_of(pj_comms *comms, pj_str id, bool forget)
{
    pthread_mutex_lock(&comms->lock);
    const json_t *index = json_object_getn(comms->open, id.at, id.len);
    const pj_comm_target *target = index ? comms->targets + json_integer_value(index) : NULL;
    if (target && forget)
        json_object_deln(comms->open, id.at, id.len);
    pthread_mutex_unlock(&comms->lock);
    return target;
}

bool pj_comms_open(pj_comms *comms, const pj_request *request)
{
    pj_str id = pj_jsontext_str(request->content, "comm_id");
    const pj_comm_target *target =
        find_target(comms, pj_jsontext_str(request->content, "target_name"));
    if (!target || !id.len || !target->open(target->self, id, request))
        return false;
    pthread_mutex_lock(&comms->lock);
    json_object_setn_new(comms->open, id.at, id.len, json_integer(target - comms->targets));
    pthread_mutex_unlock(&comms->lock);
    return true;
}

void pj_comms_message(pj_comms *comms, const pj_request *request)
{
    pj_str id = pj_jsontext_str(request->content, "comm_id");
    const pj_comm_target *target = target_of(comms, id, false);
    if (target)
        target->message(target->self, id, request);
}

void pj_comms_close(pj_comms *comms, const pj_request *request)
{
    pj_str id = pj_jsontext_str(request->content, "comm_id");
    const pj_comm_target *target = target_of(comms, id, true);
    if (target)
        target->closed(target->self, id);
}

json_t *pj_comms_info(pj_comms *comms, pj_str target_name)
{
    json_t *list = json_object();
    const char *id;
    json_t *index;
    pthread_mutex_lock(&comms->lock);
    json_object_foreach(comms->open, id, index)
    {
        const pj_comm_target *target = comms->targets + json_integer_value(index);
        if (!target_name.len || pj_str_equal(target_name, pj_str_of(target->name)))
            json_object_set_new(list, id, json_pack("{s:s}", "target_name", target->name));
    }
    pthread_mutex_unlock(&comms->lock);
    return json_pack("{s:s, s:o}", "status", "ok", "comms", list);
}
