// probe [KERNEL] [GROUP...]: what the public suites do not test of a kernel: signing, malformed
// input, control while busy, abort, interrupts, loss, stalled readers, ends. KERNEL is a
// kernelspec, by name or folder; the group "any" is for kernels of any language that snippets.def
// knows.
#include "tests/protocol/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(void);
} groups[] = {
    {"execute", probe_execute},     {"output", probe_output},     {"requests", probe_requests},
    {"stdin", probe_stdin},         {"control", probe_control},   {"transport", probe_transport},
    {"malformed", probe_malformed}, {"subshell", probe_subshell}, {"capture", probe_capture},
    {"load", probe_load},           {"hostile", probe_hostile},   {"any", probe_any},
    {"widget", probe_widget},
};

int probe_set_up(void **state)
{
    client *c = calloc(1, sizeof *c);
    client_start(c, (client_opts){0});
    *state = c;
    return 0;
}

int probe_tear_down(void **state)
{
    client_stop(*state);
    free(*state);
    return 0;
}

static int wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return count == 0;
}

int main(int argc, char **argv)
{
    const char *kernel = argc > 1 ? argv[1] : PJ_BINARY_DIR "/share/jupyter/kernels/popinjay";
    if (!client_use_spec(kernel)) {
        fprintf(stderr, "probe: no kernelspec %s\n", kernel);
        return 2;
    }
    if (strcmp(client_language(), "lua") != 0)
        return probe_any() ? 1 : 0;
    int failed = 0;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (wanted(groups[i].name, argc - 2, argv + 2))
            failed += groups[i].run();
    return failed ? 1 : 0;
}
