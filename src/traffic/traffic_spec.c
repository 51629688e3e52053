#include "traffic/traffic_spec.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

static const struct cw_option no_options[] = {{.name = NULL}};

int cw_traffic_values_new(const char *owner, const struct cw_option *options, size_t size, const char *parameters,
                          void **values)
{
    if (!options) options = no_options;
    void *made = cw_new_array(1, size, owner);
    if (!made) return CW_ENOMEM;
    int rc = cw_options_init(options, made);
    if (!rc) rc = cw_options_parse_parameters(owner, options, made, parameters);
    if (rc)
        cw_traffic_values_free(options, made);
    else
        *values = made;
    return rc;
}

void cw_traffic_values_free(const struct cw_option *options, void *values)
{
    if (!values) return;
    cw_options_free(options ? options : no_options, values);
    free(values);
}
