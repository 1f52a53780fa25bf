// Writes files while a signal comes at every single instruction, whose handler writes other files:
// the process is traced by its parent, which steps through it. Prints what has been written.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
// Most of a chunk is filled first, so that it is written out while signals come.
enum { BEFORE = 2500, STEPPED = 4, FRAME_LEAST = 64 };

static struct {
    volatile int written, other, done;
} * count;
static int file, other;

static void write_other(int signal)
{
    (void)signal;
    const int second = open("second", O_WRONLY | O_CREAT | O_APPEND, 0666);
    count->other += write(other, "xx", 2) == 2;
    count->other += write(second, "x", 1) == 1;
    close(second);
    __asm__ volatile("int3");
}

static void write_files(void)
{
    const struct sigaction action = {.sa_handler = write_other};
    other = open("other", O_WRONLY | O_CREAT, 0666);
    file = open("file", O_WRONLY | O_CREAT, 0666);
    for (int i = 0; i < BEFORE; i++)
        count->written += write(file, "y", 1) == 1;
    sigaction(SIGUSR1, &action, NULL);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    for (int i = 0; i < STEPPED; i++)
        count->written += write(file, "y", 1) == 1;
    count->done = 1;
    exit(0);
}

/// The signal that the child stops with; 0 = it has ended.
static int go(int how, pid_t child, intptr_t signal)
{
    int status = 0;
    ptrace(how, child, NULL, (void *)signal);
    waitpid(child, &status, 0);
    return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static uint64_t stack_of(pid_t child, int *in_handler)
{
    struct user_regs_struct now;
    ptrace(PTRACE_GETREGS, child, NULL, &now);
    *in_handler = now.rip == (uintptr_t)write_other;
    return now.rsp;
}

static void run_handler(pid_t child, uint64_t stack)
{
    int again;
    go(PTRACE_CONT, child, 0);
    do
        go(PTRACE_SINGLESTEP, child, 0);
    while (stack_of(child, &again) < stack + FRAME_LEAST);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 1;
    count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    if (child == 0)
        write_files();
    int status, in_handler;
    waitpid(child, &status, 0);
    while (!count->done && go(PTRACE_SINGLESTEP, child, SIGUSR1) != 0) {
        const uint64_t stack = stack_of(child, &in_handler);
        if (in_handler)
            run_handler(child, stack);
        go(PTRACE_SINGLESTEP, child, 0);
    }
    while (go(PTRACE_CONT, child, 0) != 0)
        ;
    printf("%d %d\n", count->written, count->other);
    return 0;
}
#else
int main(void)
{
    puts("0 0");
    return 0;
}
#endif
