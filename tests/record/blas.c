// Functions of BLAS of each kind of result and with more arguments than there are registers; the
// declarations are CBLAS's (cblas.h). Also a library, whose `run` does the same.
#include <stddef.h>
#include <stdio.h>

enum { N = 4, ROW_MAJOR = 101, NO_TRANS = 111, CALLS = 10 };

float cblas_sdot(int n, const float *x, int step_x, const float *y, int step_y);
double cblas_ddot(int n, const double *x, int step_x, const double *y, int step_y);
size_t cblas_idamax(int n, const double *x, int step_x);
void cblas_daxpy(int n, double alpha, const double *x, int step_x, double *y, int step_y);
void cblas_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                 const double *a, int rows_a, const double *b, int rows_b, double beta, double *c,
                 int rows_c);

int run(void)
{
    double a[N * N], b[N * N], c[N * N] = {0};
    float f[N];
    for (int i = 0; i < N * N; i++) {
        a[i] = i;
        b[i] = N * N - i;
        f[i % N] = (float)i;
    }
    for (int i = 0; i < CALLS; i++)
        cblas_dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, N, N, N, 0.5, a, N, b, N, 0.25, c, N);
    cblas_daxpy(N, 2.0, a, -1, c, 1);
    printf("%g %g %g %g %zu\n", c[0], c[N * N - 1], cblas_ddot(N, a, -1, b, 1),
           (double)cblas_sdot(N, f, 1, f, 1), cblas_idamax(N * N, c, 1));
    return 0;
}

int main(void)
{
    return run();
}
