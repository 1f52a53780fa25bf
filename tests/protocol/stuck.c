// A library that a cell loads and whose call never returns, whatever signals come.
#include <unistd.h>

int stuck(void *lua);

int stuck(void *lua)
{
    (void)lua;
    for (;;)
        pause();
}
