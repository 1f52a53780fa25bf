// Constructors of everything the kernel says.
#include "kernel/jupyter/message.h"

#include "kernel/command/jsontext.h"
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/// A name that is longer than any system's is cut.
static void set_username(pj_origin *origin, pj_str user)
{
    enum { LONGEST = 32 };
    json_t *name = pj_jsontext_string(user.len ? pj_str_head(user, LONGEST) : PJ_S("user"));
    size_t len = json_dumpb(name, origin->username, sizeof origin->username - 1, JSON_ENCODE_ANY);
    origin->username[len] = 0;
    json_decref(name);
}

void pj_origin_init(pj_origin *origin)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        long pid = getpid();
        memcpy(bytes, &pid, sizeof pid);
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(origin->session + 2 * i, 3, "%02x", bytes[i]);
    set_username(origin, pj_str_of(getenv("USER")));
    atomic_init(&origin->serial, 0);
}

/// Without its content.
static pj_post *new_post(pj_origin *origin, pj_request *parent, const char *type)
{
    pj_post *post = pj_take_memory(sizeof *post);
    *post = (pj_post){
        .parent = parent ? pj_request_hold(parent) : NULL,
        .channel = parent ? parent->channel : PJ_SHELL,
        .type = type,
        .serial = atomic_fetch_add(&origin->serial, 1) + 1,
    };
    return post;
}

pj_post *pj_post_new(pj_origin *origin, pj_request *parent, const char *type, json_t *take)
{
    pj_post *post = new_post(origin, parent, type);
    post->content = json_dumps(take, JSON_COMPACT);
    json_decref(take);
    if (!post->content) { // only when a value could not be made: the message is still due
        post->content = pj_take_memory(3);
        memcpy(post->content, "{}", 3);
    }
    post->content_len = strlen(post->content);
    return post;
}

void pj_post_free(pj_post *post)
{
    if (!post)
        return;
    pj_request_drop(post->parent);
    free(post->topic);
    free(post->content);
    free(post->metadata);
    free(post->buffers);
    free(post);
}

size_t pj_post_size(const pj_post *post)
{
    return sizeof *post + post->content_len + post->metadata_len + post->buffer_bytes;
}

void pj_post_id(const pj_origin *origin, const pj_post *post, char *out, size_t size)
{
    snprintf(out, size, "%s_%lu", origin->session, post->serial);
}

static void set_topic(pj_post *post, pj_str topic)
{
    post->topic = pj_take_memory(topic.len);
    post->topic_len = topic.len;
    if (topic.len)
        memcpy(post->topic, topic.at, topic.len);
}

json_t *pj_reply_ok(void)
{
    return json_pack("{s:s}", "status", "ok");
}

json_t *pj_reply_error(const char *name, const char *text)
{
    return json_pack("{s:s, s:s, s:o, s:[]}", "status", "error", "ename", name, "evalue",
                     pj_jsontext_string(pj_str_of(text)), "traceback");
}

json_t *pj_reply_aborted(int count)
{
    return json_pack("{s:s, s:i}", "status", "aborted", "execution_count", count);
}

static json_t *language_info(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", "lua", "version", "5.4", "mimetype",
                     "text/x-lua", "file_extension", ".lua", "pygments_lexer", "lua",
                     "codemirror_mode", "lua");
}

json_t *pj_reply_kernel_info(void)
{
    static const char banner[] =
        "popinjay " PJ_VERSION ": efficiency metrics of parallel programs (Lua 5.4)\n"
        "Type ?metrics for help on a verb, Tab completes.";
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:b, s:[ss], s:[{s:s, s:s}, {s:s, s:s}]}", //
                     "status", "ok", "protocol_version", PJ_PROTOCOL, "implementation", "popinjay",
                     "implementation_version", PJ_VERSION, "language_info", language_info(),
                     "banner", banner, "debugger", 1, "supported_features", "kernel subshells",
                     "debugger",
                     "help_links", //
                     "text", "Lua 5.4 Reference Manual", "url",
                     "https://www.lua.org/manual/5.4/", //
                     "text", "The POP methodology", "url", "https://pop-coe.eu/node/69");
}

pj_post *pj_publish_status(pj_origin *origin, pj_request *parent, const char *state)
{
    enum { LONGEST = 40 };
    pj_post *post = new_post(origin, parent, "status");
    post->content = pj_take_memory(LONGEST);
    post->content_len =
        (size_t)snprintf(post->content, LONGEST, "{\"execution_state\":\"%s\"}", state);
    post->turns_idle = strcmp(state, "idle") == 0;
    return post;
}

pj_post *pj_publish_input(pj_origin *origin, pj_request *parent, pj_str code, int count)
{
    pj_post *post = pj_post_new(
        origin, parent, "execute_input",
        json_pack("{s:o, s:i}", "code", pj_jsontext_string(code), "execution_count", count));
    post->count = count;
    return post;
}

/// {} for NULL; a new reference.
static json_t *object_or_empty(json_t *object)
{
    return object ? json_incref(object) : json_object();
}

pj_post *pj_publish_result(pj_origin *origin, pj_request *parent, int count, json_t *data,
                           json_t *metadata)
{
    pj_post *post =
        pj_post_new(origin, parent, "execute_result",
                    json_pack("{s:i, s:o, s:o}", "execution_count", count, "data",
                              object_or_empty(data), "metadata", object_or_empty(metadata)));
    return post;
}

pj_post *pj_publish_error(pj_origin *origin, pj_request *parent, json_t *error)
{
    return pj_post_new(origin, parent, "error", json_incref(error));
}

pj_post *pj_publish_display(pj_origin *origin, pj_request *parent, const pj_display *display)
{
    json_t *transient = json_object();
    if (display->id)
        json_object_set_new(transient, "display_id", pj_jsontext_string(pj_str_of(display->id)));
    pj_post *post =
        pj_post_new(origin, parent, display->update ? "update_display_data" : "display_data",
                    json_pack("{s:o, s:o, s:o}", "data", object_or_empty(display->data), "metadata",
                              object_or_empty(display->metadata), "transient", transient));
    return post;
}

pj_post *pj_publish_clear(pj_origin *origin, pj_request *parent, bool wait)
{
    return pj_post_new(origin, parent, "clear_output", json_pack("{s:b}", "wait", wait));
}

pj_post *pj_publish_stream(pj_origin *origin, pj_request *parent, pj_stream stream, pj_str text)
{
    const char *name = stream == PJ_STDERR ? "stderr" : "stdout";
    pj_post *post =
        pj_post_new(origin, parent, "stream",
                    json_pack("{s:s, s:o}", "name", name, "text", pj_jsontext_string(text)));
    set_topic(post, stream == PJ_STDERR ? PJ_S("stream.stderr") : PJ_S("stream.stdout"));
    return post;
}

pj_post *pj_publish_welcome(pj_origin *origin, pj_str subscription)
{
    pj_post *post =
        pj_post_new(origin, NULL, "iopub_welcome",
                    json_pack("{s:o}", "subscription", pj_jsontext_string(subscription)));
    set_topic(post, subscription);
    return post;
}

pj_post *pj_publish_comm_close(pj_origin *origin, pj_request *parent, pj_str comm_id)
{
    return pj_post_new(origin, parent, "comm_close",
                       json_pack("{s:o, s:{}}", "comm_id", pj_jsontext_string(comm_id), "data"));
}

static void set_buffers(pj_post *post, const pj_str *buffers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        post->buffer_bytes += buffers[i].len;
    post->buffer_count = count;
    post->buffers = pj_take_memory(count * sizeof *buffers + post->buffer_bytes);
    char *at = (char *)(post->buffers + count);
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].len)
            memcpy(at, buffers[i].at, buffers[i].len);
        post->buffers[i] = (pj_str){at, buffers[i].len};
        at += buffers[i].len;
    }
}

pj_post *pj_publish_comm(pj_origin *origin, pj_request *parent, const char *type,
                         const pj_comm_message *message)
{
    json_t *content = json_pack("{s:o, s:o}", "comm_id", pj_jsontext_string(pj_str_of(message->id)),
                                "data", object_or_empty(message->data));
    if (message->target)
        json_object_set_new(content, "target_name", json_string(message->target));
    pj_post *post = pj_post_new(origin, parent, type, content);
    if (message->metadata)
        post->metadata = json_dumps(message->metadata, JSON_COMPACT);
    post->metadata_len = post->metadata ? strlen(post->metadata) : 0;
    if (message->buffer_count)
        set_buffers(post, message->buffers, message->buffer_count);
    return post;
}

pj_post *pj_ask_input(pj_origin *origin, pj_request *parent, const char *prompt, bool password)
{
    pj_post *post =
        pj_post_new(origin, parent, "input_request",
                    json_pack("{s:o, s:b}", "prompt", pj_jsontext_string(pj_str_of(prompt)),
                              "password", password));
    post->channel = PJ_STDIN;
    return post;
}
