// An OpenMP program of all constructs that the recorder sees. Prints what it computed, then a line
// "region: count" for each region: how often its threads have been in it, counted by themselves.
#include <omp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, ITEMS = 40, TASKS = 30, LOOPS = 12 };

static long counted[8];
enum { PARALLEL, FOR, CRITICAL, BARRIER, TASK, ORDERED, LOCK, SECTIONS };
static const char *const names[] = {
    "!$omp parallel",       "!$omp for",    "!$omp critical sblock", "!$omp barrier", "!$omp task",
    "!$omp ordered sblock", "omp_set_lock", "!$omp sections",
};

static void count(int what)
{
#pragma omp atomic
    counted[what]++;
}

static long work(long n)
{
    volatile long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}

static long loops(void)
{
    long sum = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
    for (long i = 0; i < ITEMS; i++)
        sum += work(1000 * i);
    // Threads that the team has are not told by a combined loop: it has the usual number.
    counted[PARALLEL] += omp_get_max_threads();
    counted[FOR] += omp_get_max_threads();
#pragma omp parallel reduction(+ : sum)
    {
        count(PARALLEL);
        count(FOR);
#pragma omp for schedule(guided)
        for (unsigned long long i = 0; i < LOOPS; i++)
            sum += work(100 * (long)i);
        count(FOR);
#pragma omp for schedule(runtime) nowait
        for (long i = 0; i < LOOPS; i++)
            sum += work(10 * i);
        count(FOR);
#pragma omp for ordered schedule(dynamic)
        for (long i = 0; i < LOOPS; i++) {
#pragma omp ordered
            counted[ORDERED]++;
        }
        count(BARRIER);
#pragma omp barrier
        count(SECTIONS);
#pragma omp sections
        {
#pragma omp section
            work(10);
#pragma omp section
            work(20);
        }
    }
    return sum;
}

static long locks(void)
{
    long sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    {
        count(PARALLEL);
#pragma omp critical
        counted[CRITICAL]++;
#pragma omp critical(named)
        sum += work(10);
        omp_set_lock(&lock);
        counted[LOCK]++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    counted[CRITICAL] += omp_get_max_threads(); // the named one
    return sum;
}

static long tasks(void)
{
    long sum = 0, copied;
#pragma omp parallel private(copied)
    {
        count(PARALLEL);
#pragma omp single copyprivate(copied)
        copied = 3;
#pragma omp single
        for (long i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i) shared(sum)
            {
                count(TASK);
                long own = work(1000 * i) + copied;
#pragma omp atomic
                sum += own;
#pragma omp task if (0)
                count(TASK);
#pragma omp taskwait
            }
        }
#pragma omp single
#pragma omp taskloop num_tasks(4) reduction(+ : sum)
        for (long i = 0; i < LOOPS; i++)
            sum += work(i);
    }
    counted[TASK] += 4;
    counted[BARRIER] += 3L * omp_get_max_threads(); // the ends of single
    return sum;
}

static long nested(void)
{
    long sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        count(PARALLEL);
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            count(PARALLEL);
            sum += work(500);
        }
    }
    omp_set_max_active_levels(1);
    return sum;
}

/// Where OMP_CANCELLATION is set.
static long cancelled(void)
{
    long found = 0;
#pragma omp parallel
    {
        count(PARALLEL);
        if (omp_get_thread_num() == 0) {
            found = 1;
#pragma omp cancel parallel
        }
        work(1000);
#pragma omp cancellation point parallel
    }
    return found;
}

int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sum += loops() + locks() + tasks() + nested();
        sum += omp_get_cancellation() ? cancelled() : 0;
    }
    printf("computed %ld\n", sum);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        printf("%s: %ld\n", names[i], counted[i]);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "abort") == 0)
        abort();
    return 3;
}
