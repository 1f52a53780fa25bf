// What a cell shows, in a terminal: the text/plain part of every bundle.
#include "kernel/cli/shell.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/// Length of a sequence at the start of the text that does no more than colour (SGR of ECMA-48);
/// 0 = there is none.
static size_t colour_length(pj_str text)
{
    size_t len = 2;
    if (!pj_str_starts(text, PJ_S("\033[")))
        return 0;
    while (len < text.len && text.at[len] && strchr("0123456789;:", text.at[len]))
        len++;
    return len < text.len && text.at[len] == 'm' ? len + 1 : 0;
}

/// Whether one of the controls of 8 bits (C1) begins the text, in UTF-8.
static bool is_wide_control(pj_str text)
{
    enum { LEAD = 0xC2, FIRST = 0x80, LAST = 0x9F };
    unsigned char second = text.len > 1 ? (unsigned char)text.at[1] : 0;
    return (unsigned char)text.at[0] == LEAD && second >= FIRST && second <= LAST;
}

static void clean(pj_str text, bool name, pj_buf *out)
{
    enum { SHIFT = 64, DELETE = 127 };
    while (text.len) {
        size_t len = name ? 0 : colour_length(text);
        unsigned char c = (unsigned char)text.at[0];
        if (len) {
            pj_buf_add(out, pj_str_head(text, len));
        } else if (is_wide_control(text)) {
            len = 2;
            pj_buf_addf(out, "^[%c", (unsigned char)text.at[1] - SHIFT);
        } else {
            len = 1;
            bool control = (c < ' ' && (name || (c != '\n' && c != '\t'))) || c == DELETE;
            if (control)
                pj_buf_add_char(out, '^');
            pj_buf_add_char(out, control ? (char)(c ^ SHIFT) : (char)c);
        }
        text = pj_str_from(text, len);
    }
}

void pj_shell_clean(pj_str text, pj_buf *out)
{
    clean(text, false, out);
}

void pj_shell_clean_name(pj_str name, pj_buf *out)
{
    clean(name, true, out);
}

static void print_text(void *self, pj_stream stream, pj_str text)
{
    (void)self;
    if (!text.len)
        return;
    if (stream == PJ_STDERR)
        fflush(stdout);
    fwrite(text.at, 1, text.len, stream == PJ_STDERR ? stderr : stdout);
}

static void write_text(void *self, pj_stream stream, pj_str text)
{
    pj_auto_buf clean = {0};
    if (isatty(stream == PJ_STDERR ? STDERR_FILENO : STDOUT_FILENO)) {
        pj_shell_clean(text, &clean);
        text = pj_buf_str(&clean);
    }
    print_text(self, stream, text);
}

static void show_plain(const json_t *data)
{
    pj_str text = pj_str_of(json_string_value(json_object_get(data, "text/plain")));
    write_text(NULL, PJ_STDOUT, text);
    if (text.len && text.at[text.len - 1] != '\n')
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
        .print = print_text,
        .display = display,
        .clear = clear,
        .input = input,
        .payload = payload,
        .colour = wants_colour(),
        .terminal = isatty(STDERR_FILENO),
        .draws = isatty(STDOUT_FILENO),
    };
}

unsigned pj_shell_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 0;
}
