/* The option --wait of verbs: how ranks wait, or "auto". */
#ifndef CW_MPI_WAIT_OPTION_H
#define CW_MPI_WAIT_OPTION_H

#include "mpi/wait_mode.h"

/* The option's values: "auto", then those of cw_wait_names; ended by NULL. */
extern const char *const wait_choices[];

/* The mode that CHOICE, the index of a value, stands for among the ranks of COMM. Collective if it is auto. */
enum cw_wait_mode wait_chosen(int choice, MPI_Comm comm);

#endif
