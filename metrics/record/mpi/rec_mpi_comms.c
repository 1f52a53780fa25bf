// The first process of a new communicator names it by its rank in the world and a number, and tells
// the others: the pair is the same everywhere, without a server.
#include "metrics/record/mpi/rec_mpi_comms.h"

#include "metrics/record/rec_defs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS_BYTES_EACH = 12, NUMBER = 24 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pj_rec_mpi_comm *comms;
static size_t count, room;
static int made_here, world_rank;

pj_rec_mpi_comm pj_rec_mpi_comms_find(MPI_Comm comm)
{
    pj_rec_mpi_comm found = {.id = 0, .size = 1};
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (comms[i].handle == comm) {
            found = comms[i];
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(pj_rec_mpi_comm comm)
{
    pthread_mutex_lock(&lock);
    if (count == room) {
        size_t more = room ? 2 * room : 16;
        pj_rec_mpi_comm *wider = realloc(comms, more * sizeof *wider);
        if (wider) {
            comms = wider;
            room = more;
        }
    }
    if (count < room)
        comms[count++] = comm;
    pthread_mutex_unlock(&lock);
}

void pj_rec_mpi_comms_remove(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (comms[i].handle == comm) {
            comms[i] = comms[--count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

/// World ranks of the members, joined by commas; NULL without memory.
static char *list_members(MPI_Comm comm, int size)
{
    MPI_Group group, world;
    int *ranks = calloc(2 * (size_t)size, sizeof *ranks);
    char *text = malloc((size_t)size * MEMBERS_BYTES_EACH + 1);
    if (!ranks || !text) {
        free(ranks);
        free(text);
        return NULL;
    }
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    size_t len = 0;
    text[0] = '\0';
    for (int i = 0; i < size; i++)
        len += (size_t)snprintf(text + len, MEMBERS_BYTES_EACH + 1, "%s%d", i ? "," : "",
                                ranks[size + i]);
    free(ranks);
    return text;
}

static uint32_t define(MPI_Comm comm, const int *name, uint32_t parent, const char *maker)
{
    char rank[NUMBER], number[NUMBER], from[NUMBER];
    int own = 0, size = 1;
    PMPI_Comm_rank(comm, &own);
    PMPI_Comm_size(comm, &size);
    char *members = own == 0 ? list_members(comm, size) : NULL;
    snprintf(rank, sizeof rank, "%d", name[0]);
    snprintf(number, sizeof number, "%d", name[1]);
    snprintf(from, sizeof from, "%u", parent);
    uint32_t id =
        pj_rec_defs_id('C', (const char *[]){"group", rank, number, from, maker, members}, 6);
    free(members);
    keep((pj_rec_mpi_comm){.handle = comm, .id = id, .rank = own, .size = size});
    return id;
}

void pj_rec_mpi_comms_begin(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    define(MPI_COMM_WORLD, (const int[]){0, 0}, 0, "MPI_COMM_WORLD");
    uint32_t self =
        pj_rec_defs_id('C', (const char *[]){"self", "0", "0", "0", "MPI_COMM_SELF", NULL}, 6);
    keep((pj_rec_mpi_comm){.handle = MPI_COMM_SELF, .id = self, .rank = 0, .size = 1});
}

void pj_rec_mpi_comms_add(MPI_Comm parent, MPI_Comm made, const char *maker)
{
    if (made == MPI_COMM_NULL)
        return;
    int between, own;
    PMPI_Comm_test_inter(made, &between);
    if (between) // its messages are not recorded
        return;
    PMPI_Comm_rank(made, &own);
    int name[2] = {world_rank, own == 0 ? ++made_here : 0};
    PMPI_Bcast(name, 2, MPI_INT, 0, made);
    define(made, name, pj_rec_mpi_comms_find(parent).id, maker);
}
