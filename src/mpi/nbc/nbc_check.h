/*
 * Whose a call is (cw_nbc_side, nbc_internal.h), and what that rests on: whether MPI would refuse it, or may, as far as
 * one rank can know, and what other ranks must ask for, too. MPI itself is asked about datatypes and operations, by
 * functions that move nothing; roots, MPI_IN_PLACE and buffers that are the same are held to what its standard says.
 */
#ifndef CW_MPI_NBC_CHECK_H
#define CW_MPI_NBC_CHECK_H

#include "mpi/nbc/nbc_comm.h"
#include "mpi/nbc/nbc_internal.h"

/* What CALL asks of the ranks of COMM. */
void nbc_describe(const struct cw_nbc_call *call, const struct nbc_comm *comm, struct cw_nbc_asked *out);

/* Whether BUFFER is memory of a device, which only MPI can reach. */
bool nbc_device_has(const void *buffer);

/* Fails with CW_EUSAGE because ranks did not ask for the same; and the class of errors of MPI that fits what has just
 * failed in this thread with RC. */
int nbc_fail_of_clash(const struct cw_nbc_clash_note *note);
int nbc_class_of_failure(int rc);

/* The communicator of one rank on which MPI is asked. CW_EIO. */
int nbc_check_open(void);
void nbc_check_close(void);

#endif
