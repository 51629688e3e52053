#include "flow/clp_model.h"

#include <cmath>
#include <new>

#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/progress.h"

static_assert(sizeof(CoinBigIndex) == sizeof(int), "CLP counts entries in int, as struct cw_clp_items does");

namespace
{

/* Iterations of a solution: how many there may be, and who is told. */
struct Watch {
    int most = 0;
    const cw_progress_part *progress = nullptr;
};

/* Ends a solution that is interrupted, and tells of its progress. CLP copies it, so it only points to the watch. */
class Handler : public ClpEventHandler
{
  public:
    explicit Handler(const Watch *watch) : watch_(watch) {}
    int event(Event event) override
    {
        if (event == endOfFactorization && watch_->progress)
            cw_progress_reach(watch_->progress, double(model_->numberIterations()) / watch_->most);
        return cw_interrupted() ? 0 : -1;
    }
    ClpEventHandler *clone() const override { return new Handler(*this); }

  private:
    const Watch *watch_;
};

/* WORK() with what it throws as an error. */
template <typename Work> int guarded(Work work)
{
    try {
        work();
        return 0;
    } catch (const std::bad_alloc &) {
        return cw_fail(CW_ENOMEM, "out of memory in the linear program");
    } catch (const CoinError &error) {
        return cw_fail(CW_EINTERNAL, "CLP failed: %s", error.message().c_str());
    } catch (...) {
        return cw_fail(CW_EINTERNAL, "CLP failed");
    }
}

} // namespace

struct cw_clp {
    ClpSimplex model;
    Watch watch;
    bool broken = false; /* CLP threw: what its objects point to may be freed already, and freeing them again crashes */
};

/* WORK() on the program, which is broken if it throws. */
template <typename Work> static int work_on(struct cw_clp *clp, Work work)
{
    const int rc = guarded(work);
    if (rc) clp->broken = true;
    return rc;
}

double cw_clp_least_gap(void)
{
    return 0;
}

int cw_clp_new(double tolerance, struct cw_clp **out)
{
    struct cw_clp *clp = nullptr;
    const int rc = guarded([&] {
        clp = new cw_clp;
        Handler handler(&clp->watch);
        clp->model.setLogLevel(0);
        clp->model.setPrimalTolerance(tolerance);
        clp->model.setDualTolerance(tolerance);
        clp->model.passInEventHandler(&handler); /* a copy */
    });
    if (rc == 0)
        *out = clp;
    else
        cw_clp_free(clp);
    return rc;
}

void cw_clp_free(struct cw_clp *clp)
{
    if (clp && !clp->broken) delete clp;
}

int cw_clp_add_rows(struct cw_clp *clp, const struct cw_clp_items *rows)
{
    return work_on(
        clp, [&] { clp->model.addRows(rows->n, rows->lower, rows->upper, rows->start, rows->index, rows->value); });
}

int cw_clp_add_columns(struct cw_clp *clp, const struct cw_clp_items *columns)
{
    return work_on(clp, [&] {
        clp->model.addColumns(columns->n, columns->lower, columns->upper, columns->cost, columns->start, columns->index,
                              columns->value);
    });
}

int cw_clp_change(struct cw_clp *clp, const double *cost, const double *upper, int most,
                  const struct cw_progress_part *progress)
{
    return work_on(clp, [&] {
        clp->model.chgObjCoefficients(cost);
        clp->model.chgColumnUpper(upper);
        clp->model.setMaximumIterations(most);
        clp->watch.most = most;
        clp->watch.progress = progress;
    });
}

int cw_clp_start(struct cw_clp *clp, const double *x, const unsigned char *places)
{
    return work_on(clp, [&] {
        clp->model.copyinStatus(places);
        clp->model.setColSolution(x);
    });
}

int cw_clp_solve(struct cw_clp *clp, double seconds, enum cw_clp_end *end)
{
    enum { VALUES_PASS = 1, OPTIMAL = 0, STOPPED = 3 };
    const int rc = work_on(clp, [&] {
        clp->model.setMaximumSeconds(std::isfinite(seconds) ? seconds : -1);
        clp->model.primal(VALUES_PASS);
    });
    if (rc) return rc;
    if (cw_interrupted()) return cw_interrupt_check();
    const int status = clp->model.status();
    *end = status == OPTIMAL ? CW_CLP_OPTIMAL : status == STOPPED ? CW_CLP_STOPPED : CW_CLP_GAVE_UP;
    return 0;
}

const double *cw_clp_solution(const struct cw_clp *clp)
{
    return clp->model.getColSolution();
}

const double *cw_clp_prices(const struct cw_clp *clp)
{
    return clp->model.getRowPrice();
}
