// A front end for tests: starts a kernel from its kernelspec, speaks the protocol with libzmq and
// signs on its own, so that nothing of the product checks itself. Failures end the running test.
// Ownership: messages are freed by message_free; JSON results are new references.
#ifndef PJ_CLIENT_H
#define PJ_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef enum channel { SHELL, CONTROL, STDIN, IOPUB, HEARTBEAT, CHANNELS } channel;

typedef struct client {
    pid_t pid;
    pid_t parent;    // of a kernel that was started below
    char folder[64]; // its own temporary one: connection file, ipc sockets, the kernel's stderr and
                     // state
    char key[64];
    char digest[16];
    char session[40];
    unsigned serial;
    char last_id[64];   // of the message sent last
    char subshell[128]; // subshell_id of what is sent; "" = none
    char metadata[256]; // of what is sent; "" = {}
    const char *buffer; // goes behind the next message; NULL = none
    size_t buffer_len;
    void *context;
    void *sockets[CHANNELS];
    int ports[CHANNELS];
    const char *settings[3];
    char curve_public[41], curve_secret[41]; // of the kernel; "" = not encrypted
    int registration_port;
} client;

typedef struct client_opts {
    const char *transport;   // NULL = ipc
    const char *key;         // NULL = "probe key"
    const char *digest;      // NULL = "sha256"
    const char *ip;          // NULL = 127.0.0.1; what the kernel is told, with tcp
    bool curve;              // encrypted
    bool registers;          // the kernel chooses its ports (JEP 66), with tcp
    bool open_file;          // everybody may read the connection file
    bool below;              // started by a process for client_kill_parent
    int receive_limit;       // messages that iopub may hold unread; 0 = any number
    const char *settings[3]; // "NAME=value" for the kernel's environment
} client_opts;

typedef struct message {
    json_t *header, *parent, *metadata, *content;
    json_t *buffers;   // list of texts that hold any bytes
    char *parent_text; // bytes of the parent header
    char topic[256];   // first frame
    double at_ms;      // when it was received
    size_t bytes;      // of its frames behind the signature
} message;

/// The kernel to start: the folder of a kernelspec, or its name where Jupyter looks for such. Set
/// once by main; false when there is none.
bool client_use_spec(const char *kernel);
/// Its language: "lua", "python".
const char *client_language(void);

/// Starts the kernel and waits until it welcomes the subscription.
void client_start(client *c, client_opts opts);
/// The first line of what the kernel printed to standard error, in `out`.
const char *client_complaint(const client *c, char *out, int size);
/// Starts it without waiting.
void client_launch(client *c, client_opts opts);
/// Makes an orphan of a kernel that was started below.
void client_kill_parent(client *c);
/// Starts another kernel on the same connection file.
void client_again(client *c);
/// Opens another subscription and waits for its welcome, which is left in the socket; the caller
/// closes it.
void *client_subscribe(client *c, int receive_limit);
/// Ends the kernel if it still runs (with status 0), closes all and removes the folder.
void client_stop(client *c);
/// Waits for the kernel to end: its exit status, 128+n for signals, -1 when it still runs.
int client_wait_end(client *c, int timeout_ms);
bool client_is_alive(client *c);
/// Whether a sanitizer is at work: its memory and time say nothing of the kernel's.
bool client_is_sanitized(void);
/// Most memory the kernel has had, in bytes; 0 with a sanitizer.
size_t client_memory(const client *c);

double client_now_ms(void);
/// Milliseconds that anything may take on a machine that is busy with other things; only a kernel
/// at fault takes longer.
int client_patience(void);

/// Sends a message; `take` NULL = {}. The id is in last_id.
void client_send(client *c, channel to, const char *type, json_t *take);
/// Signs four texts and sends them as they are.
void client_send_texts(client *c, channel to, const char *const texts[4]);
/// Sends frames as they are.
void client_send_frames(client *c, channel to, const char *const *frames, const size_t *lengths,
                        size_t count);
/// The signature of four texts, hexadecimal; `out` holds 129 bytes.
void client_sign(const client *c, const char *const texts[4], char *out);

/// The next message, NULL when none comes in time. Signatures are checked.
message *client_receive(client *c, channel from, int timeout_ms);
/// Waits until the kernel has read what was sent: the channels have no order among them. No other
/// reply may be due on shell.
void client_catch_up(client *c);
void message_free(message *m);
const char *message_type(const message *m);
bool message_answers(const message *m, const char *id);
const char *message_text(const message *m, const char *key);

/// Everything that came of one request.
typedef struct answer {
    message *reply;          // NULL = none wanted
    json_t *outputs;         // [{"type", "content", "metadata", "buffers", "at_ms"}] till idle
    double busy_ms, idle_ms; // when these came
} answer;

/// Sends on shell and waits for the reply (unless the type has none) and for idle.
answer client_ask(client *c, const char *type, json_t *take);
/// Waits for what belongs to the request `id`.
answer client_collect(client *c, const char *id, bool with_reply);
answer client_execute(client *c, const char *code);
void answer_free(answer *a);
const char *answer_status(const answer *a);
/// Content of the n-th output of a type, borrowed; NULL when there is none.
json_t *answer_output(const answer *a, const char *type, size_t n);
/// All text of a stream, new; "" when there is none.
char *answer_stream(const answer *a, const char *name);
/// "execute_input stream error": the outputs' types in order; `out` is returned.
const char *answer_order(const answer *a, char *out, size_t size);

#endif
