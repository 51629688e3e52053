#include "study/dragonfly_findings.h"

#include <math.h>

static const char *const names[CW_DRAGONFLY_PANELS] = {"3a", "3b", "3c", "3d", "3e", "3f"};

/* The next point of PANEL and CURVE that has run, from index *AT on, which moves behind it; NULL: no more. */
static const struct cw_dragonfly_point *next(const struct cw_dragonfly_points *all, int panel,
                                             enum cw_dragonfly_curve curve, size_t *at)
{
    while (*at < all->n) {
        const struct cw_dragonfly_point *item = &all->items[(*at)++];
        if (item->panel == panel && item->curve == curve && item->done) return item;
    }
    return NULL;
}

/* The point of another curve for the same network. */
static const struct cw_dragonfly_point *beside(const struct cw_dragonfly_points *all,
                                               const struct cw_dragonfly_point *one, int panel,
                                               enum cw_dragonfly_curve curve)
{
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, curve, &at));)
        if (item->nodes == one->nodes) return item;
    return NULL;
}

#define MARGIN 0.05 /* of what is accepted: wider intervals leave open whether two loads differ */

/* How much more B accepts than A: 1, 0 (they do not differ), -1. */
static int compare(const struct cw_dragonfly_point *a, const struct cw_dragonfly_point *b)
{
    const double distance = b->accepted - a->accepted, sure = hypot(a->accepted_ci99, b->accepted_ci99);
    return distance > sure ? 1 : distance < -sure ? -1 : 0;
}

/* Whether A and B are known too badly to tell if they differ. */
static bool undecided(const struct cw_dragonfly_point *a, const struct cw_dragonfly_point *b)
{
    return compare(a, b) == 0 && hypot(a->accepted_ci99, b->accepted_ci99) > MARGIN * a->accepted;
}

static enum cw_verdict verdict_of(size_t tested, size_t kept)
{
    if (tested == 0) return CW_NOT_TESTED;
    return kept == tested ? CW_HOLDS : kept > 0 ? CW_HOLDS_IN_PART : CW_HOLDS_NOT;
}

static struct cw_finding finding_of(int panel, const char *claim, const char *quantity, double value,
                                    enum cw_verdict verdict)
{
    return (struct cw_finding){.figure = names[panel],
                               .claim = claim,
                               .quantity = isnan(value) ? NULL : quantity,
                               .value = value,
                               .ci95 = NAN,
                               .verdict = verdict};
}

static int add_untested(int panel, const char *claim, const char *why, struct cw_findings *findings)
{
    const struct cw_finding finding = finding_of(panel, claim, NULL, NAN, CW_NOT_TESTED);
    return cw_findings_add(findings, &finding, "%s", why);
}

#define SIZED      "%.3f ± %.3f at %u nodes"
#define SIZE_OF(p) (p)->accepted, (p)->accepted_ci99, (p)->nodes

static const char no_points[] = "there are no points", too_wide[] = "the intervals are too wide to tell";

/* --- shortest paths and ValiantRestricted ------------------------------------------------------------------------- */

static int find_adversarial(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "the traffic is adversarial: shortest path routing accepts least";
    const struct cw_dragonfly_point *last = NULL, *rival = NULL;
    size_t at = 0, tested = 0, kept = 0, open = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_MINIMAL, &at));) {
        const struct cw_dragonfly_point *other = beside(all, item, panel, CW_DRAGONFLY_RESTRICTED);
        if (!other) continue;
        if (undecided(item, other)) {
            open++;
            continue;
        }
        tested++;
        kept += compare(item, other) > 0;
        last = item;
        rival = other;
    }
    if (!last) return add_untested(panel, claim, open > 0 ? too_wide : no_points, findings);
    const struct cw_finding finding = finding_of(panel, claim, "accepted under shortest paths, largest network",
                                                 last->accepted, verdict_of(tested, kept));
    return cw_findings_add(
        findings, &finding, "on %zu of %zu networks less than ValiantRestricted; " SIZED ", ValiantRestricted %.3f%s%s",
        kept, tested, SIZE_OF(last), rival->accepted, open > 0 ? "; elsewhere " : "", open > 0 ? too_wide : "");
}

static int find_falling(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantRestricted accepts ever less as the network grows";
    const struct cw_dragonfly_point *first = NULL, *last = NULL, *rise = NULL, *after_rise = NULL;
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at)); last = item) {
        if (!first) first = item;
        if (!last || rise || compare(last, item) <= 0) continue;
        rise = last;
        after_rise = item;
    }
    if (first == last) return add_untested(panel, claim, "there are not two networks", findings);
    const enum cw_verdict verdict = undecided(first, last)      ? CW_NOT_TESTED
                                    : compare(first, last) >= 0 ? CW_HOLDS_NOT
                                    : rise                      ? CW_HOLDS_IN_PART
                                                                : CW_HOLDS;
    const struct cw_finding finding =
        finding_of(panel, claim, "accepted under ValiantRestricted, largest network", last->accepted, verdict);
    if (verdict == CW_NOT_TESTED)
        return cw_findings_add(findings, &finding, "%s: " SIZED ", " SIZED, too_wide, SIZE_OF(first), SIZE_OF(last));
    if (!rise) return cw_findings_add(findings, &finding, SIZED ", " SIZED, SIZE_OF(first), SIZE_OF(last));
    return cw_findings_add(findings, &finding, SIZED ", " SIZED "; it rises from %u nodes (%.3f) to %u (%.3f)",
                           SIZE_OF(first), SIZE_OF(last), rise->nodes, rise->accepted, after_rise->nodes,
                           after_rise->accepted);
}

static int find_estimate(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantRestricted follows the estimate 3/(4p) closely";
    const struct cw_dragonfly_point *worst = NULL;
    double greatest = -1;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at)); tested++) {
        const double ratio = item->accepted / item->estimate, apart = fabs(ratio - 1);
        kept += apart <= 1.0 / 3;
        if (apart <= greatest) continue;
        greatest = apart;
        worst = item;
    }
    if (!worst) return add_untested(panel, claim, no_points, findings);
    const struct cw_finding finding = finding_of(panel, claim, "accepted / estimate, where it differs most",
                                                 worst->accepted / worst->estimate, verdict_of(tested, kept));
    return cw_findings_add(
        findings, &finding,
        "on %zu of %zu networks it is within 1/(2p) and 1/p, the limits of equation 1; furthest away " SIZED
        ", where the estimate is %.3f",
        kept, tested, SIZE_OF(worst), worst->estimate);
}

#define MANY_SWITCHES 512

static int find_low(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char fifteen[] = "ValiantRestricted drops below 15 % in networks of more than 512 switches";
    static const char twenty[] = "ValiantRestricted drops below 20 % in networks of more than 512 switches";
    const char *claim = panel == 4 ? twenty : fifteen;
    const double limit = panel == 4 ? 0.2 : 0.15;
    const struct cw_dragonfly_point *greatest = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED, &at));) {
        if (item->switches <= MANY_SWITCHES) continue;
        tested++;
        kept += item->accepted < limit;
        if (!greatest || item->accepted > greatest->accepted) greatest = item;
    }
    if (!greatest) return add_untested(panel, claim, "no network here is so large: that takes --sizes all", findings);
    const struct cw_finding finding =
        finding_of(panel, claim, "most accepted with so many switches", greatest->accepted, verdict_of(tested, kept));
    return cw_findings_add(findings, &finding, "on %zu of %zu such networks; the most is " SIZED, kept, tested,
                           SIZE_OF(greatest));
}

/* --- ValiantAny, and random groups -------------------------------------------------------------------------------- */

static int find_any(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] = "ValiantAny accepts 33 to 43 %";
    const struct cw_dragonfly_point *least = NULL, *most = NULL;
    size_t at = 0, tested = 0, kept = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_ANY, &at)); tested++) {
        const double percent = round(100 * item->accepted);
        kept += percent >= 33 && percent <= 43;
        if (!least || item->accepted < least->accepted) least = item;
        if (!most || item->accepted > most->accepted) most = item;
    }
    if (!least) return add_untested(panel, claim, no_points, findings);
    const struct cw_finding finding =
        finding_of(panel, claim, "accepted under ValiantAny, least", least->accepted, verdict_of(tested, kept));
    return cw_findings_add(findings, &finding, "on %zu of %zu networks; from " SIZED " to " SIZED, kept, tested,
                           SIZE_OF(least), SIZE_OF(most));
}

static int find_random(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    static const char claim[] =
        "random groups give ValiantRestricted about 10 points more, in large networks above all";
    const struct cw_dragonfly_point *first = NULL, *last = NULL, *first_random = NULL, *last_random = NULL;
    bool lost = false;
    size_t at = 0;
    for (const struct cw_dragonfly_point *item; (item = next(all, panel, CW_DRAGONFLY_RESTRICTED_RANDOM, &at));) {
        const struct cw_dragonfly_point *plain = beside(all, item, panel - 1, CW_DRAGONFLY_RESTRICTED);
        if (!plain) continue;
        lost = lost || compare(plain, item) < 0;
        if (!first) {
            first = plain;
            first_random = item;
        }
        last = plain;
        last_random = item;
    }
    if (!last) return add_untested(panel, claim, "that takes the panel before it", findings);
    const double gain = last_random->accepted - last->accepted;
    const double sure = hypot(last->accepted_ci99, last_random->accepted_ci99);
    enum cw_verdict verdict = lost || gain + sure < 0.1 ? CW_HOLDS_IN_PART : CW_HOLDS;
    if (gain <= sure) verdict = undecided(last, last_random) ? CW_NOT_TESTED : CW_HOLDS_NOT;
    const struct cw_finding finding = finding_of(panel, claim, "gain in the largest network", gain, verdict);
    return cw_findings_add(findings, &finding, "%+.1f points at %u nodes, %+.1f ± %.1f at %u%s",
                           100 * (first_random->accepted - first->accepted), first->nodes, 100 * gain, 100 * sure,
                           last->nodes,
                           verdict == CW_NOT_TESTED ? ", which is too wide to tell"
                           : lost                   ? "; in some network they take away"
                                                    : "");
}

/* ------------------------------------------------------------------------------------------------------------------ */

typedef int finder(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings);
static finder *const left[] = {find_adversarial, find_falling, find_estimate, find_low};
static finder *const right[] = {find_any, find_random};

size_t cw_count_dragonfly_findings(int panel)
{
    return panel % 2 == 0 ? sizeof left / sizeof *left : sizeof right / sizeof *right;
}

int cw_find_dragonfly_panel(const struct cw_dragonfly_points *all, int panel, struct cw_findings *findings)
{
    finder *const *finders = panel % 2 == 0 ? left : right;
    int rc = 0;
    for (size_t i = 0; !rc && i < cw_count_dragonfly_findings(panel); i++) rc = finders[i](all, panel, findings);
    return rc;
}
