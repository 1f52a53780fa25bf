// Constructs of OpenMP in a method of a template, in a static one, in a lambda and in a function
// of an unnamed namespace.
#include <cstdio>

namespace heat {
template <class T> struct Grid {
    T sum = 0;
    void solve(int n)
    {
#pragma omp parallel for schedule(dynamic, 100) reduction(+ : sum)
        for (int i = 0; i < n; i++)
            sum += i;
    }
};
} // namespace heat

class Model {
public:
    static void run(double &value)
    {
#pragma omp parallel
        {
#pragma omp critical
            value += 1;
        }
    }
};

namespace {
int count(int n)
{
#pragma omp parallel for reduction(+ : n)
    for (int i = 0; i < 100; i++)
        n += i;
    return n;
}
} // namespace

int main()
{
    double value = 0;
    heat::Grid<double> grid;
    auto add = [&](int n) {
#pragma omp parallel
        {
#pragma omp atomic
            value += n;
        }
    };
    grid.solve(1000);
    Model::run(value);
    add(count(3));
    std::printf("%g %g\n", grid.sum, value);
}
