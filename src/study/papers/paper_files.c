/* What published experiments write but for their claims: tables and pictures. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "study/papers/paper.h"

int cw_paper_folder(const char *path)
{
    if (cw_files_muted() || mkdir(path, 0777) == 0 || errno == EEXIST) return 0;
    return cw_fail(CW_EIO, "cannot create %s: %s", path, strerror(errno));
}

int cw_paper_path(const struct cw_paper_run *run, const char *file, const char *end, struct cw_text *path)
{
    cw_text_printf(path, "%s/%s%s", run->setup->directory, file, end);
    return cw_text_check(path);
}

int cw_paper_csv(const struct cw_paper_run *run, const char *file, struct cw_table *table)
{
    struct cw_text path = {0};
    int rc = cw_paper_path(run, file, ".csv", &path);
    if (!rc)
        rc = cw_table_is_measured(table) ? cw_result_save_csv(run->setup->result, table, path.data)
                                         : cw_table_save_csv(table, path.data);
    cw_table_free(table);
    cw_text_free(&path);
    return rc;
}

int cw_paper_drawn(const struct cw_paper_run *run, int rc, const char *path)
{
    const struct cw_paper_watcher *watcher = run->setup->watcher;
    return !rc && watcher && watcher->drawn ? watcher->drawn(watcher->context, run->paper, run->figure, path) : rc;
}

int cw_paper_plot(const struct cw_paper_run *run, const char *file, struct cw_chart *chart, const struct cw_plot *plot)
{
    struct cw_text path = {0};
    int rc = cw_paper_path(run, file, ".svg", &path);
    if (!rc)
        rc = cw_paper_drawn(run, cw_chart_draw(chart, *plot, path.data), path.data);
    else
        cw_chart_free(chart);
    cw_text_free(&path);
    return rc;
}

int cw_paper_drawing(const struct cw_paper_run *run, const char *file, struct cw_drawing *drawing)
{
    struct cw_text path = {0};
    int rc = cw_paper_path(run, file, ".svg", &path);
    if (!rc)
        rc = cw_paper_drawn(run, cw_drawing_end(drawing, path.data), path.data);
    else
        cw_text_free(&drawing->script);
    cw_text_free(&path);
    return rc;
}
