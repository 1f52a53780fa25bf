// CPU time of an event: recorded_events ours|theirs EVENTS FOLDER prints nanoseconds an event,
// enters and leaves of 100 regions, with the clock and with files.
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"
#include "metrics/record/rec_thread.h"

#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REGIONS = 100 };

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double measure_ours(long events, const char *folder)
{
    pj_rec_start((pj_rec_options){.folder = folder});
    uint32_t ids[REGIONS];
    for (uint32_t i = 0; i < REGIONS; i++)
        ids[i] = pj_rec_region(&(pj_rec_region_of){.name = "region", .first_line = i});
    pj_rec_here();
    double begin = cpu_ns();
    for (long i = 0; i < events / 2; i++) {
        pj_rec_enter(pj_rec_here(), ids[i % REGIONS]);
        pj_rec_leave(pj_rec_here(), ids[i % REGIONS]);
    }
    double end = cpu_ns();
    pj_rec_finish();
    return (end - begin) / (double)events;
}

static OTF2_FlushType before_flush(void *self, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool last)
{
    (void)self, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static double measure_theirs(long events, const char *folder)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, PJ_REC_CHUNK_BYTES,
                          PJ_REC_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 0);
    pj_rec_here(); // chooses the clock
    double begin = cpu_ns();
    for (long i = 0; i < events / 2; i++) {
        OTF2_EvtWriter_Enter(writer, NULL, pj_rec_now(), (uint32_t)(i % REGIONS));
        OTF2_EvtWriter_Leave(writer, NULL, pj_rec_now(), (uint32_t)(i % REGIONS));
    }
    OTF2_Archive_CloseEvtWriter(archive, writer);
    OTF2_Archive_CloseEvtFiles(archive);
    double end = cpu_ns();
    OTF2_Archive_Close(archive);
    return (end - begin) / (double)events;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const long events = strtol(argv[2], NULL, 10);
    char parts[4096];
    snprintf(parts, sizeof parts, "%s-clock", argv[3]);
    const int ours = argv[1][0] == 'o';
    pj_rec_start((pj_rec_options){.folder = ours ? argv[3] : parts});
    printf("%.2f\n", ours ? measure_ours(events, argv[3]) : measure_theirs(events, argv[3]));
    return 0;
}
