// Writes a file while the handler of a timer's signal jumps out of whatever it has interrupted;
// prints how many calls came back.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 200000 };

static sigjmp_buf back;
static volatile int written, round_;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    const struct sigaction action = {.sa_handler = jump};
    if (argc < 2 || chdir(argv[1]) != 0)
        return 1;
    const int file = open("file", O_WRONLY | O_CREAT, 0666);
    sigsetjmp(back, 1);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (round_++ < ROUNDS)
        written += write(file, "y", 1) == 1;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", written);
    return 0;
}
