// Reading, checking and writing the connection file.
#include "kernel/jupyter/connection.h"

#include "kernel/command/jsontext.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const port_names[PJ_PORTS] = {
    [PJ_PORT_SHELL] = "shell", [PJ_PORT_CONTROL] = "control", [PJ_PORT_STDIN] = "stdin",
    [PJ_PORT_IOPUB] = "iopub", [PJ_PORT_HEARTBEAT] = "hb",
};

const char *pj_connection_port_name(pj_port port)
{
    return port_names[port];
}

static bool read_ports(pj_connection *c, pj_err *err)
{
    for (int i = 0; i < PJ_PORTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_port", port_names[i]);
        json_int_t port = pj_jsontext_int(c->file, key, 0);
        if (port < 1 || port > 65535)
            return pj_fail(err, PJ_E_FORMAT, c->path, 0,
                           "%s is missing or not a port (1 to 65535); the file is written by the "
                           "front end that starts the kernel",
                           key);
        c->ports[i] = (int)port;
    }
    return true;
}

/// A number, or its digits: launchers write either.
static json_int_t read_number(const json_t *file, const char *key)
{
    uint64_t number;
    if (pj_parse_u64(pj_jsontext_str(file, key), &number) && number <= 65535)
        return (json_int_t)number;
    return pj_jsontext_int(file, key, 0);
}

/// The kernel listens on any free ports of the address that the launcher has, if that is local.
static bool read_registration(pj_connection *c, pj_err *err)
{
    json_int_t port = read_number(c->file, "registration_port");
    c->registers = true;
    c->kernel_id = pj_jsontext_str(c->file, "kernel_id");
    c->registration_ip = pj_jsontext_str(c->file, "registration_ip");
    c->registration_port = (int)port;
    if (!c->registration_ip.len || port < 1 || port > 65535)
        return pj_fail(err, PJ_E_FORMAT, c->path, 0,
                       "registration_ip or registration_port is missing or not valid");
    if (!pj_str_equal(c->transport, PJ_S("tcp")))
        return pj_fail(err, PJ_E_FORMAT, c->path, 0, "a kernel can register over tcp only");
    for (const char *at = c->kernel_id.at, *end = at + c->kernel_id.len; at < end; at++)
        if (*at == '/' || *at == 0)
            return pj_fail(err, PJ_E_FORMAT, c->path, 0, "kernel_id cannot be part of a file name");
    bool local = pj_str_starts(c->registration_ip, PJ_S("127.")) ||
                 pj_str_equal(c->registration_ip, PJ_S("::1")) ||
                 pj_str_equal(c->registration_ip, PJ_S("localhost"));
    c->ip = local ? c->registration_ip : PJ_S("*");
    return true;
}

static bool read_curve(pj_connection *c, pj_err *err)
{
    enum { Z85_KEY = 40 };
    c->curve_secret = pj_jsontext_str(c->file, "curve_secretkey");
    bool named =
        json_object_get(c->file, "curve_secretkey") || json_object_get(c->file, "curve_publickey");
    return !named || c->curve_secret.len == Z85_KEY ||
           pj_fail(err, PJ_E_FORMAT, c->path, 0, "curve_secretkey is not a key of 40 characters");
}

/// A key that is not there, or no text, would be a kernel that obeys everybody: whoever wants one
/// writes "".
static bool read_key(pj_connection *c, pj_err *err)
{
    const json_t *key = json_object_get(c->file, "key");
    c->key = pj_jsontext_str(c->file, "key");
    return json_is_string(key) ||
           pj_fail(err, PJ_E_FORMAT, c->path, 0,
                   "key is %s; messages are signed with it, only \"\" leaves them unsigned",
                   key ? "not a text" : "missing");
}

static bool read_fields(pj_connection *c, pj_err *err)
{
    c->transport = pj_jsontext_str(c->file, "transport");
    c->ip = pj_jsontext_str(c->file, "ip");
    c->scheme = pj_jsontext_str(c->file, "signature_scheme");
    if (!c->transport.len)
        c->transport = PJ_S("tcp");
    if (!c->scheme.len)
        c->scheme = PJ_S("hmac-sha256");
    if (!pj_str_equal(c->transport, PJ_S("tcp")) && !pj_str_equal(c->transport, PJ_S("ipc")))
        return pj_fail(err, PJ_E_FORMAT, c->path, 0,
                       "transport '" PJ_STR_FMT "' is not known; use tcp or ipc",
                       PJ_STR_ARG(c->transport));
    if (!read_key(c, err) || !read_curve(c, err))
        return false;
    if (json_object_get(c->file, "registration_port"))
        return read_registration(c, err);
    if (!c->ip.len)
        return pj_fail(err, PJ_E_FORMAT, c->path, 0, "ip is missing");
    return read_ports(c, err);
}

bool pj_connection_read(pj_connection *connection, const char *path, pj_err *err)
{
    json_error_t why;
    *connection = (pj_connection){.path = path, .file = json_load_file(path, 0, &why)};
    if (!connection->file && json_error_code(&why) == json_error_cannot_open_file)
        return pj_fail(err, PJ_E_IO, path, 0, "the connection file cannot be read: %s",
                       strerror(errno));
    if (!connection->file)
        return pj_fail(err, PJ_E_FORMAT, path, why.line > 0 ? (uint64_t)why.line : 0,
                       "the connection file is not JSON: %s", why.text);
    struct stat info;
    connection->open_to_others = stat(path, &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH));
    if (json_is_object(connection->file) && read_fields(connection, err))
        return true;
    pj_fail(err, PJ_E_FORMAT, path, 0, "the connection file is not a JSON object");
    pj_connection_free(connection);
    return false;
}

void pj_connection_free(pj_connection *connection)
{
    json_decref(connection->file);
    connection->file = NULL;
}

/// $JUPYTER_RUNTIME_DIR or what Jupyter takes in its place; the folder is made.
static bool find_runtime(pj_buf *out, pj_err *err)
{
    const char *runtime = getenv("JUPYTER_RUNTIME_DIR"), *data = getenv("JUPYTER_DATA_DIR");
    const char *home = getenv("HOME");
    if (runtime && *runtime)
        pj_buf_puts(out, runtime);
    else if (data && *data)
        pj_buf_addf(out, "%s/runtime", data);
    else
        pj_buf_addf(out, "%s/.local/share/jupyter/runtime", home ? home : "");
    for (char *at = strchr(out->at + 1, '/');; at = strchr(at + 1, '/')) {
        if (at)
            *at = 0;
        if (mkdir(out->at, 0700) != 0 && errno != EEXIST)
            return pj_fail_io(err, out->at, "cannot be made");
        if (!at)
            return true;
        *at = '/';
    }
}

bool pj_connection_write(const pj_connection *c, pj_err *err)
{
    pj_auto_buf path = {0};
    if (!find_runtime(&path, err))
        return false;
    pj_buf_addf(&path, "/kernel-" PJ_STR_FMT ".json", PJ_STR_ARG(c->kernel_id));
    json_t *file =
        json_pack("{s:s%, s:s%, s:s%, s:s%, s:s}", "transport", c->transport.at, c->transport.len,
                  "ip", c->ip.at, c->ip.len, "key", c->key.len ? c->key.at : "", c->key.len,
                  "signature_scheme", c->scheme.at, c->scheme.len, "kernel_name", "popinjay");
    for (int i = 0; i < PJ_PORTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_port", port_names[i]);
        json_object_set_new(file, key, json_integer(c->ports[i]));
    }
    int fd = open(path.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && json_dumpfd(file, fd, JSON_INDENT(1)) == 0;
    int why = errno;
    if (fd >= 0)
        close(fd);
    json_decref(file);
    return ok || pj_fail(err, PJ_E_IO, path.at, 0, "cannot be written: %s", strerror(why));
}

void pj_connection_address(const pj_connection *c, pj_port port, char *out, size_t size)
{
    char number[16] = "*";
    if (c->ports[port])
        snprintf(number, sizeof number, "%d", c->ports[port]);
    if (pj_str_equal(c->transport, PJ_S("ipc")))
        snprintf(out, size, "ipc://" PJ_STR_FMT "-%s", PJ_STR_ARG(c->ip), number);
    else if (pj_str_find(c->ip, ':') < c->ip.len && c->ip.at[0] != '[')
        snprintf(out, size, "tcp://[" PJ_STR_FMT "]:%s", PJ_STR_ARG(c->ip), number);
    else
        snprintf(out, size, "tcp://" PJ_STR_FMT ":%s", PJ_STR_ARG(c->ip), number);
}
