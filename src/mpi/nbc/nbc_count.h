/*
 * How elements are counted: in MPI_Count where MPI has functions of large counts (MPI 4: MPI_Ibcast_c), which then
 * serve for all counts; else in int.
 */
#ifndef CW_MPI_NBC_COUNT_H
#define CW_MPI_NBC_COUNT_H

#include <mpi.h>
#include <stdint.h>

#ifdef CW_NBC_LARGE /* set by CMake */
typedef MPI_Count nbc_count;
#define NBC_COUNTED(FUNCTION) FUNCTION##_c
#define NBC_LONGEST           INT64_MAX /* bytes of a message that can be ours */
#else
typedef int nbc_count;
#define NBC_COUNTED(FUNCTION) FUNCTION
#define NBC_LONGEST           INT32_MAX
#endif

#endif
