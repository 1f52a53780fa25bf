// Input and output of C: streams, descriptors, another thread, a child of vfork, a descriptor that
// is used again for a pipe.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *read_all(void *unused)
{
    char text[64];
    (void)unused;
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path);
    while (fgets(text, sizeof text, file))
        ;
    fclose(file);
    return NULL;
}

static void stream(void)
{
    char block[100] = {0};
    FILE *file = fopen(path, "w+");
    if (!file)
        fail(path);
    fprintf(file, "%d lines\n", 3);
    fputs("second\n", file);
    fwrite("third\n", 1, 6, file);
    fflush(file);
    fseek(file, 2, SEEK_SET);
    printf("%zu\n", fread(block, 1, sizeof block, file));
    fclose(file);
}

static void descriptors(void)
{
    char one[3], other[4];
    int ends[2], file = open(path, O_RDONLY);
    struct iovec parts[] = {{one, sizeof one}, {other, sizeof other}};
    printf("%zd\n", readv(file, parts, 2));
    close(file);
    if (pipe(ends) != 0 || write(ends[1], "left out", 8) != 8)
        fail("pipe");
    printf("%zd of descriptor %s\n", read(ends[0], one, sizeof one),
           ends[0] == file ? "again" : "anew");
    close(ends[0]);
    close(ends[1]);
}

/// The descriptor of a device is that of a file.
static void reopened(void)
{
    char text[64];
    FILE *file = fopen("/dev/null", "w");
    if (!file)
        fail("/dev/null");
    fputs("left out", file);
    fflush(file);
    file = freopen(path, "r", file);
    if (!file || !fgets(text, sizeof text, file))
        fail(path);
    printf("%s", text);
    fclose(file);
}

/// Single bytes, numbers as text, a file without a name.
static void small_things(void)
{
    int number = 0;
    FILE *file = tmpfile();
    if (!file)
        fail("tmpfile");
    fputc('4', file);
    putc('2', file);
    fprintf(file, " rest");
    rewind(file);
    fscanf(file, "%d", &number);
    printf("%d", number);
    printf("%c", fgetc(file));
    printf("%c\n", getc(file));
    fclose(file);
}

/// Its memory is its parent's.
static void borrowed(void)
{
    int status, file = open(path, O_RDONLY);
    pid_t child = vfork();
    if (child == 0) {
        close(file);
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    char text[5];
    printf("%zd\n", read(file, text, sizeof text));
    close(file);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    path = argc > 1 ? argv[1] : "streams.out";
    stream();
    descriptors();
    borrowed();
    reopened();
    small_things();
    if (pthread_create(&thread, NULL, read_all, NULL) != 0)
        fail("thread");
    pthread_join(thread, NULL);
    if (argc > 2 && strcmp(argv[2], "abort") == 0)
        raise(9);
    return 0;
}
