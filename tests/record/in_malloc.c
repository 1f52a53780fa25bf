// Opens files in the handler of a timer's signal, which comes while the program is in malloc.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { FILES = 2000, OPENED = 4000, KEPT = 64, BYTES = 2000 };

static volatile sig_atomic_t opened;

static void open_other(int signal)
{
    (void)signal;
    char name[] = "other.0000";
    if (opened == OPENED)
        return;
    for (int at = (int)sizeof name - 2, n = opened % FILES; name[at] != '.'; at--, n /= 10)
        name[at] = (char)('0' + n % 10);
    const int file = open(name, O_WRONLY | O_CREAT, 0666);
    if (file < 0 || write(file, "x", 1) != 1 || close(file) != 0)
        _exit(1);
    opened++;
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = open_other, .sa_flags = SA_RESTART};
    void *kept[KEPT] = {0};
    if (argc < 2 || chdir(argv[1]) != 0)
        return 1;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (opened < OPENED)
        for (size_t i = 0; i < KEPT; i++) {
            free(kept[i]);
            kept[i] = malloc(BYTES * (i + 1));
        }
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d opened\n", (int)opened);
    return 0;
}
