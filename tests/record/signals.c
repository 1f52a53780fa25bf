// Writes a file while the handler of a timer's signal writes another one.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static int other;
static volatile sig_atomic_t others;

static void write_other(int signal)
{
    (void)signal;
    if (write(other, "x", 1) != 1)
        _exit(1);
    others++;
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = write_other, .sa_flags = SA_RESTART};
    if (argc < 2 || chdir(argv[1]) != 0)
        return 1;
    other = open("other", O_WRONLY | O_CREAT, 0666);
    int written = 0, file = open("file", O_WRONLY | O_CREAT, 0666);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 50000; i++)
        written += write(file, "y", 1) == 1;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d %d\n", written, (int)others);
    return 0;
}
