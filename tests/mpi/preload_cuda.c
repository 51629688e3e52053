/* A driver of GPUs that knows of one device: its memory is what lies from FAKE_DEVICE on (program_device.c). */
enum { HOST = 1, DEVICE = 2, MEMORY_TYPE = 2, UNKNOWN = 1 };

#define FAKE_DEVICE 0x500000000000ull
#define FAKE_SIZE   (1ull << 32)

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer);

int cuPointerGetAttribute(void *data, int attribute, unsigned long long pointer)
{
    if (attribute != MEMORY_TYPE || pointer < FAKE_DEVICE || pointer >= FAKE_DEVICE + FAKE_SIZE) return UNKNOWN;
    *(unsigned *)data = DEVICE;
    return 0;
}
