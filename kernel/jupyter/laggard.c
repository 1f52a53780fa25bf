// Front ends that do not read what they are sent.
// A descriptor is looked at through a duplicate, which stays what it is when another thread closes
// the original meanwhile.
#include "kernel/jupyter/laggard.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_FD = 3, MOST_FDS = 65536 };

static int port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return -1;
}

/// Whether a socket belongs to the endpoint; a listening one has nothing unread.
static bool is_of(int fd, pj_str endpoint)
{
    struct sockaddr_storage address = {0};
    socklen_t len = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        return false;
    if (address.ss_family == AF_UNIX)
        return pj_str_starts(endpoint, PJ_S("ipc://")) &&
               pj_str_equal(pj_str_from(endpoint, 6),
                            pj_str_of(((const struct sockaddr_un *)&address)->sun_path));
    uint64_t port;
    return pj_str_starts(endpoint, PJ_S("tcp://")) &&
           pj_parse_u64(pj_str_from(endpoint, pj_str_find_last(endpoint, ':') + 1), &port) &&
           port_of(&address) == (int)port;
}

static int fd_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < MOST_FDS ? (int)limit.rlim_cur : MOST_FDS;
}

/// The identity of the socket `fd` and how much its peer has not read; 0 = all read, or no peer.
static int unread_of(int fd, pj_str endpoint, ino_t *socket)
{
    struct stat info;
    int unread = 0;
    if (fstat(fd, &info) != 0 || !S_ISSOCK(info.st_mode) || !is_of(fd, endpoint) ||
        ioctl(fd, SIOCOUTQ, &unread) != 0)
        return 0;
    *socket = info.st_ino;
    return unread;
}

void pj_laggards_note(pj_laggards *laggards, const char *endpoint)
{
    laggards->count = 0;
    int limit = fd_limit();
    for (int at = FIRST_FD; at < limit && laggards->count < PJ_LAGGARD_PEERS; at++) {
        int fd = fcntl(at, F_DUPFD_CLOEXEC, 0);
        ino_t socket;
        int unread = fd < 0 ? 0 : unread_of(fd, pj_str_of(endpoint), &socket);
        if (unread > 0) {
            laggards->peers[laggards->count].socket = socket;
            laggards->peers[laggards->count++].unread = unread;
        }
        close(fd);
    }
}

static bool is_known(const pj_laggards *laggards, ino_t socket, int unread)
{
    for (size_t i = 0; i < laggards->count; i++)
        if (laggards->peers[i].socket == socket && laggards->peers[i].unread == unread)
            return true;
    return false;
}

size_t pj_laggards_cut(const pj_laggards *laggards, const char *endpoint)
{
    size_t count = 0;
    int limit = fd_limit();
    for (int at = FIRST_FD; at < limit && laggards->count; at++) {
        int fd = fcntl(at, F_DUPFD_CLOEXEC, 0);
        ino_t socket;
        int unread = fd < 0 ? 0 : unread_of(fd, pj_str_of(endpoint), &socket);
        if (unread > 0 && is_known(laggards, socket, unread))
            count += shutdown(fd, SHUT_RDWR) == 0;
        close(fd);
    }
    return count;
}
