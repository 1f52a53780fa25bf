// Three parallel loops a step: even work, work that grows with the index under a static schedule,
// the same under a dynamic one; between them a serial part. usage: loops [SIZE [STEPS]]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double work(int units)
{
    double sum = 0;
    for (int i = 1; i <= 10 * units; i++)
        sum += sin(1.0 / i);
    return sum;
}

static double serial(int size)
{
    double sum = 0;
    for (int i = 0; i < size / 16; i++)
        sum += work(size / 2);
    return sum;
}

static double even(int size)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < size; i++)
        sum += work(size / 2);
    return sum;
}

static double growing(int size)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < size; i++)
        sum += work(i);
    return sum;
}

static double balanced(int size)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4)
    for (int i = 0; i < size; i++)
        sum += work(i);
    return sum;
}

int main(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 12;
    double sum = 0;
    for (int i = 0; i < steps; i++)
        sum += serial(size) + even(size) + growing(size) + balanced(size);
    printf("loops: %d threads, sum %g\n", omp_get_max_threads(), sum);
    return 0;
}
