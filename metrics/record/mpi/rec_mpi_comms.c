// The first process of a new communicator names it by its rank in the world and a number, and tells
// the others: the pair is the same everywhere, without a server.
#include "metrics/record/mpi/rec_mpi_comms.h"

#include "metrics/record/rec_defs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_BYTES_EACH = 12, NUMBER = 24 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pj_rec_mpi_comm *comms;
static size_t count, room;
static int made_here, world_rank;
static _Atomic unsigned version = 1; // of the table

/// What the thread has asked for last, of that version.
static _Thread_local struct {
    MPI_Comm handle;
    unsigned version;
    uint32_t id;
} last __attribute__((tls_model("initial-exec")));

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

uint32_t pj_rec_mpi_comms_id(MPI_Comm comm)
{
    const unsigned now = atomic_load_explicit(&version, memory_order_acquire);
    if (last.version != now || last.handle != comm) {
        last.id = pj_rec_mpi_comms_find(comm).id;
        last.handle = comm;
        last.version = now;
    }
    return last.id;
}

static void keep(pj_rec_mpi_comm comm)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add_explicit(&version, 1, memory_order_release);
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
    atomic_fetch_add_explicit(&version, 1, memory_order_release);
    for (size_t i = 0; i < count; i++)
        if (comms[i].handle == comm) {
            comms[i] = comms[--count];
            break;
        }
    pthread_mutex_unlock(&lock);
}

/// World ranks of the members, joined by commas; NULL without memory, or where some are of another
/// world.
static char *list_group(MPI_Group group)
{
    MPI_Group world;
    int size, there = 1;
    PMPI_Group_size(group, &size);
    int *ranks = calloc(2 * (size_t)size, sizeof *ranks);
    char *text = malloc((size_t)size * MEMBERS_BYTES_EACH + 1);
    if (!ranks || !text) {
        free(ranks);
        free(text);
        return NULL;
    }
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
    PMPI_Group_free(&world);
    size_t len = 0;
    text[0] = '\0';
    for (int i = 0; i < size && there; i++) {
        there = ranks[size + i] != MPI_UNDEFINED;
        len += (size_t)snprintf(text + len, MEMBERS_BYTES_EACH + 1, "%s%d", i ? "," : "",
                                ranks[size + i]);
    }
    free(ranks);
    if (!there)
        free(text);
    return there ? text : NULL;
}

static char *list_members(MPI_Comm comm)
{
    MPI_Group group;
    PMPI_Comm_group(comm, &group);
    char *text = list_group(group);
    PMPI_Group_free(&group);
    return text;
}

static uint32_t define(pj_rec_mpi_comm comm, uint32_t parent, const char *called,
                       const char *members)
{
    char from[NUMBER];
    snprintf(from, sizeof from, "%u", parent);
    comm.id = pj_rec_defs_id('C',
                             (const char *[]){comm.between ? "inter" : "group", comm.maker,
                                              comm.number, from, called, members},
                             6);
    keep(comm);
    return comm.id;
}

static pj_rec_mpi_comm describe(MPI_Comm comm)
{
    pj_rec_mpi_comm out = {.handle = comm};
    PMPI_Comm_rank(comm, &out.rank);
    PMPI_Comm_size(comm, &out.size);
    return out;
}

static void take_name(pj_rec_mpi_comm *comm, const int *name)
{
    snprintf(comm->maker, sizeof comm->maker, "%d", name[0]);
    snprintf(comm->number, sizeof comm->number, "%d", name[1]);
}

void pj_rec_mpi_comms_begin(void)
{
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    pj_rec_mpi_comm world = describe(MPI_COMM_WORLD);
    take_name(&world, (const int[]){0, 0});
    char *members = world.rank == 0 ? list_members(MPI_COMM_WORLD) : NULL;
    define(world, 0, "MPI_COMM_WORLD", members);
    free(members);
    uint32_t self =
        pj_rec_defs_id('C', (const char *[]){"self", "0", "0", "0", "MPI_COMM_SELF", NULL}, 6);
    keep((pj_rec_mpi_comm){.handle = MPI_COMM_SELF, .id = self, .rank = 0, .size = 1});
}

/// Tells the name that the first process of `comm` gives; whether this is that one.
static bool agree(MPI_Comm comm, int name[2])
{
    int own;
    PMPI_Comm_rank(comm, &own);
    name[0] = world_rank;
    name[1] = own == 0 ? ++made_here : 0;
    PMPI_Bcast(name, 2, MPI_INT, 0, comm);
    return own == 0;
}

/// Between two groups of this world, which is what they have in common; `others` are the other
/// group's members.
static void add_between(MPI_Comm made, const char *maker, const char *others)
{
    MPI_Comm all;
    int name[2];
    pj_rec_mpi_comm comm = describe(made);
    comm.between = true;
    PMPI_Comm_remote_size(made, &comm.size);
    if (PMPI_Intercomm_merge(made, 0, &all) != MPI_SUCCESS)
        return;
    bool first = agree(all, name);
    PMPI_Comm_free(&all);
    take_name(&comm, name);
    char *own = first ? list_members(made) : NULL;
    size_t size = own ? strlen(own) + strlen(others) + 2 : 0;
    char *members = own ? malloc(size) : NULL;
    if (members)
        snprintf(members, size, "%s;%s", own, others);
    define(comm, pj_rec_mpi_comms_find(MPI_COMM_WORLD).id, maker, members);
    free(members);
    free(own);
}

void pj_rec_mpi_comms_add(MPI_Comm parent, MPI_Comm made, const char *maker)
{
    if (made == MPI_COMM_NULL)
        return;
    int between, name[2];
    const uint32_t from = pj_rec_mpi_comms_find(parent).id;
    PMPI_Comm_test_inter(made, &between);
    if (between) {
        MPI_Group group;
        PMPI_Comm_remote_group(made, &group);
        char *others = list_group(group);
        PMPI_Group_free(&group);
        if (others) // else its messages are not recorded
            add_between(made, maker, others);
        free(others);
        return;
    }
    pj_rec_mpi_comm comm = describe(made);
    agree(made, name);
    take_name(&comm, name);
    char *members = comm.rank == 0 ? list_members(made) : NULL;
    define(comm, from, maker, members);
    free(members);
}

unsigned pj_rec_mpi_comms_begin_dup(MPI_Comm parent)
{
    unsigned number = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (comms[i].handle == parent)
            number = ++comms[i].dups;
    pthread_mutex_unlock(&lock);
    return number;
}

void pj_rec_mpi_comms_add_dup(MPI_Comm parent, MPI_Comm made, unsigned number)
{
    pj_rec_mpi_comm from = pj_rec_mpi_comms_find(parent);
    if (made == MPI_COMM_NULL || !from.id || !number || from.between)
        return;
    pj_rec_mpi_comm comm = describe(made);
    int len = snprintf(comm.maker, sizeof comm.maker, "%s.%s", from.maker, from.number);
    snprintf(comm.number, sizeof comm.number, "i%u", number);
    if (len < 0 || (size_t)len >= sizeof comm.maker) // a copy of too many copies
        return;
    char *members = comm.rank == 0 ? list_members(made) : NULL;
    define(comm, from.id, "MPI_Comm_idup", members);
    free(members);
}
