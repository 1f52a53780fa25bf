// bare_read FILE: every byte is read and looked at once, 8 at a time; prints what comes of it.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { block = 1 << 17 };
static uint64_t words[block];

int main(int count, char **arguments)
{
    int file = count == 2 ? open(arguments[1], O_RDONLY) : -1;
    uint64_t all = 0;
    for (ssize_t got; file >= 0 && (got = read(file, words, sizeof words)) > 0;)
        for (ssize_t i = 0; i < got / 8; i++)
            all ^= words[i];
    printf("%llu\n", (unsigned long long)all);
    return file < 0;
}
