#include "mpi/wait_option.h"

#include <stddef.h>

const char *const wait_choices[] = {"auto", "spin", "yield", "sleep", NULL};

enum cw_wait_mode wait_chosen(int choice, MPI_Comm comm)
{
    return choice > 0 ? (enum cw_wait_mode)(choice - 1) : cw_wait_choose(comm);
}
