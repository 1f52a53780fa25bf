// The program: one executable for the shell, the notebook and scripts. Signals raise the stop
// flag; a second one ends the process at once.
#include "kernel/cli.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static atomic_bool stop;
static volatile sig_atomic_t signal_number;

static void on_signal(int number)
{
    if (signal_number)
        _exit(128 + number);
    signal_number = number;
    atomic_store(&stop, true);
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    int status = pj_cli_run(argc, (const char *const *)argv, &stop);
    return status == PJ_STATUS_STOPPED ? 128 + (signal_number ? signal_number : SIGINT) : status;
}
