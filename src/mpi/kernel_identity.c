#include "mpi/kernel_identity.h"

#include <stdio.h>

void kernel_identity(char identity[KERNEL_IDENTITY])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(identity, KERNEL_IDENTITY, file)) identity[0] = 0;
    if (file) fclose(file);
}
