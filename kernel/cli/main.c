// The program: one executable for the shell, the notebook and scripts. Signals raise the stop
// flag; a second one ends the process at once, unless it is a kernel, which is interrupted again
// and again and ended by other signals as usual.
#include "kernel/cli/cli.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
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

static void on_interrupt(int number)
{
    (void)number;
    atomic_store(&stop, true);
}

static void handle_signals(bool kernel)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = kernel ? on_interrupt : on_signal};
    for (size_t i = 0; i < (kernel ? 1 : sizeof signals / sizeof *signals); i++)
        sigaction(signals[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN); // a limit on the size of files: who writes gets an error
}

int main(int argc, char **argv)
{
    handle_signals(argc > 1 && strcmp(argv[1], "kernel") == 0);
    int status = pj_cli_run(argc, (const char *const *)argv, &stop);
    return status == PJ_STATUS_STOPPED ? 128 + (signal_number ? signal_number : SIGINT) : status;
}
