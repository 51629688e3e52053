/* Which machine a rank runs on, whatever the host calls itself. */
#ifndef CW_MPI_KERNEL_IDENTITY_H
#define CW_MPI_KERNEL_IDENTITY_H

#define KERNEL_IDENTITY 40 /* bytes, with the 0 */

/* What tells this kernel, since it started, from any other; network namespaces and containers of one machine have the
 * same. "" where /proc does not say. */
void kernel_identity(char identity[KERNEL_IDENTITY]);

#endif
