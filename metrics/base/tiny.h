// Sizes that decide when work is done and never what comes out (blocks, batches, queues, groups):
// in a build with PJ_TINY they are so small that the inputs of tests cross all their borders.
#ifndef PJ_TINY_H
#define PJ_TINY_H

#ifdef PJ_TINY
#define PJ_SIZE(usual, tiny) (tiny)
#else
#define PJ_SIZE(usual, tiny) (usual)
#endif

#endif
