// Threads that open files of ever new names while the first one forks, a child whose first events
// are those of another thread than the one that forked, and streams in memory, whose use leaves
// errno alone.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 300, PATH = 256 };

static const char *folder;
static atomic_int number;
static atomic_bool done;

static void *open_many(void *unused)
{
    char path[PATH];
    (void)unused;
    while (!done) {
        snprintf(path, sizeof path, "%s/%d", folder, atomic_fetch_add(&number, 1));
        close(open(path, O_WRONLY | O_CREAT, 0666));
        unlink(path);
    }
    return NULL;
}

static void fork_often(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, open_many, NULL) != 0)
            exit(1);
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
    done = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void *open_one(void *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, (const char *)name);
    close(open(path, O_WRONLY | O_CREAT, 0666));
    return NULL;
}

static void fork_where_another_comes_first(void)
{
    open_one("before");
    const pid_t child = fork();
    if (child == 0) {
        pthread_t other;
        if (pthread_create(&other, NULL, open_one, "first") != 0)
            exit(1);
        pthread_join(other, NULL);
        open_one("forked");
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static int errno_of_memory(void)
{
    char text[] = "one\n", line[8];
    FILE *memory = fmemopen(text, sizeof text - 1, "r");
    if (!memory)
        return 1;
    errno = 0;
    while (fgets(line, sizeof line, memory))
        ;
    const int kept = errno;
    fclose(memory);
    return kept;
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    fork_where_another_comes_first();
    fork_often();
    printf("errno %d\n", errno_of_memory());
    return 0;
}
