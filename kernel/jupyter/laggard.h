// Peers that do not read: connections of a listening address whose bytes nobody takes. They are
// found among the descriptors of the process, since libzmq does not tell. Ownership: none.
#ifndef PJ_LAGGARD_H
#define PJ_LAGGARD_H

#include <stddef.h>
#include <sys/types.h>

enum { PJ_LAGGARD_PEERS = 64 };

typedef struct pj_laggards {
    size_t count;
    struct {
        ino_t socket;
        int unread; // bytes
    } peers[PJ_LAGGARD_PEERS];
} pj_laggards;

/// The peers of `endpoint` ("tcp://127.0.0.1:5555", "ipc:///run/k-1") that have something to read.
void pj_laggards_note(pj_laggards *laggards, const char *endpoint);
/// Closes the connections of those that have read nothing since; how many.
size_t pj_laggards_cut(const pj_laggards *laggards, const char *endpoint);

#endif
