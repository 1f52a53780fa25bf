// Functions of libm that got a new version in glibc 2.29: whoever calls them here, or in a static
// library, gets the one before. Only how they tell of errors differs.
#define OLD(name) __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5")
#define OF_ONE(name)                                                                               \
    double old_##name(double x);                                                                   \
    OLD(name);                                                                                     \
    __attribute__((visibility("hidden"))) double name(double x);                                   \
    double name(double x)                                                                          \
    {                                                                                              \
        return old_##name(x);                                                                      \
    }

OF_ONE(exp)
OF_ONE(exp2)
OF_ONE(log)
OF_ONE(log2)

double old_pow(double x, double y);
OLD(pow);
__attribute__((visibility("hidden"))) double pow(double x, double y);
double pow(double x, double y)
{
    return old_pow(x, y);
}
