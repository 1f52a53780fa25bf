// A handler of a timer's signal that writes a file, in a library that tells how often it has.
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int other;
static volatile sig_atomic_t written;

static void write_other(int signal)
{
    (void)signal;
    for (int i = 0; i < 4; i++)
        if (write(other, "x", 1) == 1)
            written++;
}

int begin(const char *path)
{
    const struct itimerval often = {{0, 50}, {0, 50}};
    const struct sigaction action = {.sa_handler = write_other, .sa_flags = SA_RESTART};
    other = open(path, O_WRONLY | O_CREAT, 0666);
    return other < 0 || sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL);
}

int end(void)
{
    const struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    return written;
}
