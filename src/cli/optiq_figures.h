/* The pictures of `crosswind reproduce optiq`. */
#ifndef CW_CLI_OPTIQ_FIGURES_H
#define CW_CLI_OPTIQ_FIGURES_H

#include "cli/optiq_jobs.h"

/* Draws every panel for which there are jobs: DIRECTORY/optiq-PANEL.svg. */
int optiq_figures_draw(const struct optiq_job *jobs, size_t n, const char *directory);

#endif
