// Pages from the kernel. Texts follow one another in blocks that are never given back.
#include "metrics/record/rec_store.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_BYTES = 64 * 1024 };

void *pj_rec_store_grow(void *old, size_t old_bytes, size_t bytes)
{
    const int kept = errno;
    void *at = old ? mremap(old, old_bytes, bytes, MREMAP_MAYMOVE)
                   : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = at == MAP_FAILED ? ENOMEM : kept;
    return at == MAP_FAILED ? NULL : at;
}

void pj_rec_store_free(void *old, size_t bytes)
{
    if (old)
        munmap(old, bytes);
}

char *pj_rec_store_text(pj_rec_texts *texts, const char *text, size_t size)
{
    if (texts->left < size) {
        const size_t block = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        char *more = pj_rec_store_grow(NULL, 0, block);
        if (!more)
            return NULL;
        *texts = (pj_rec_texts){more, block};
    }
    char *copy = memcpy(texts->at, text, size);
    texts->at += size;
    texts->left -= size;
    return copy;
}
