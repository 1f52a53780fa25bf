// What a cell shows, in a terminal: the text/plain part of every bundle.
#include "kernel/shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void write_text(void *self, pj_stream stream, pj_str text)
{
    (void)self;
    if (stream == PJ_STDERR)
        fflush(stdout);
    fwrite(text.at, 1, text.len, stream == PJ_STDERR ? stderr : stdout);
}

static void show_plain(const json_t *data)
{
    const char *text = json_string_value(json_object_get(data, "text/plain"));
    if (!text)
        return;
    size_t len = strlen(text);
    fwrite(text, 1, len, stdout);
    if (len && text[len - 1] != '\n')
        fputc('\n', stdout);
}

static void display(void *self, const pj_display *shown)
{
    (void)self;
    show_plain(shown->data);
}

static void clear(void *self, bool wait)
{
    (void)self, (void)wait;
}

static bool input(void *self, const char *prompt, bool password, pj_buf *out, pj_err *err)
{
    (void)self, (void)password;
    fputs(prompt, stdout);
    fflush(stdout);
    char *line = NULL;
    size_t size = 0;
    errno = 0;
    ssize_t len = getline(&line, &size, stdin);
    bool stopped = len < 0 && errno == EINTR;
    if (len > 0)
        pj_buf_add(out, (pj_str){line, (size_t)(line[len - 1] == '\n' ? len - 1 : len)});
    free(line);
    if (len >= 0)
        return true;
    clearerr(stdin);
    return stopped ? pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted")
                   : pj_fail(err, PJ_E_IO, NULL, 0, "end of input");
}

static void payload(void *self, json_t *content)
{
    (void)self;
    show_plain(json_object_get(content, "data"));
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

pj_face pj_shell_face(void)
{
    return (pj_face){
        .write = write_text,
        .display = display,
        .clear = clear,
        .input = input,
        .payload = payload,
        .colour = wants_colour(),
        .terminal = isatty(STDERR_FILENO),
    };
}

unsigned pj_shell_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 0;
}
