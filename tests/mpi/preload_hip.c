/* A driver of GPUs by HIP's interface, as preload_cuda.c is one by CUDA's. What its memory is says the environment
 * variable FAKE_KIND: of the device alone, "managed", which moves to and fro, or "host", which processors can reach. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 1 };

#define FAKE_DEVICE 0x500000000000ull
#define FAKE_SIZE   (1ull << 32)

struct attributes {
    int type, device;
    void *on_device, *on_host;
    int managed;
};

int hipPointerGetAttributes(struct attributes *attributes, void *pointer);

int hipPointerGetAttributes(struct attributes *attributes, void *pointer)
{
    const char *named = getenv("FAKE_KIND"), *kind = named ? named : "";
    const uintptr_t at = (uintptr_t)pointer;
    const int host = strcmp(kind, "host") == 0, managed = strcmp(kind, "managed") == 0;
    if (at < FAKE_DEVICE || at >= FAKE_DEVICE + FAKE_SIZE) return UNKNOWN;
    *attributes = (struct attributes){2, 0, pointer, host || managed ? pointer : NULL, managed};
    return 0;
}
