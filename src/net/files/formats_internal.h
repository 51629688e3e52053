/*
 * The descriptors of all network file formats, for the registries in net/files/formats.c. Private to net/.
 */
#ifndef CW_NET_FORMATS_INTERNAL_H
#define CW_NET_FORMATS_INTERNAL_H

#include "base/decls.h"
#include "net/files/formats.h"

CW_BEGIN_DECLS

#define CW_EDGES_TITLE "# crosswind edge list" /* the first line by which it is recognised */
extern const struct cw_reader cw_reader_edges;
extern const struct cw_reader cw_reader_iblinkinfo;
extern const struct cw_reader cw_reader_ibnetdiscover;
extern const struct cw_reader cw_reader_ibsim;
extern const struct cw_reader cw_reader_json;
extern const struct cw_reader cw_reader_subnet;

extern const struct cw_writer cw_writer_dot;
extern const struct cw_writer cw_writer_graphml;
extern const struct cw_writer cw_writer_ibsim;
extern const struct cw_writer cw_writer_json;

CW_END_DECLS

#endif
