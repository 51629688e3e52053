/*
 * What attributes of GraphML mean, to its reader and its writer. Private to net/.
 */
#ifndef CW_NET_GRAPHML_H
#define CW_NET_GRAPHML_H

/* EACH(what it is to us, of which elements, its name, its type) in the order in which they are written. */
#define CW_GRAPHML_ATTRIBUTES(EACH)                                                                                    \
    EACH(SHAPE, "graph", "shape", "string")                                                                            \
    EACH(NAME, "node", "name", "string")                                                                               \
    EACH(KIND, "node", "kind", "string")                                                                               \
    EACH(NODE_GUID, "node", "node_guid", "string")                                                                     \
    EACH(PORT_GUID, "node", "port_guid", "string")                                                                     \
    EACH(SYSTEM_GUID, "node", "system_guid", "string")                                                                 \
    EACH(LID, "node", "lid", "long")                                                                                   \
    EACH(LMC, "node", "lmc", "long")                                                                                   \
    EACH(PORTS, "node", "ports", "long")                                                                               \
    EACH(DEVICE, "node", "device", "long")                                                                             \
    EACH(VENDOR, "node", "vendor", "long")                                                                             \
    EACH(SOURCE_PORT, "edge", "source_port", "long")                                                                   \
    EACH(TARGET_PORT, "edge", "target_port", "long")                                                                   \
    EACH(CAPACITY, "edge", "capacity", "double")                                                                       \
    EACH(LATENCY, "edge", "latency", "double")                                                                         \
    EACH(BACK_CAPACITY, "edge", "back_capacity", "double")                                                             \
    EACH(BACK_LATENCY, "edge", "back_latency", "double")

#define CW_GRAPHML_ENUM(WHAT, OF, NAME, TYPE) CW_GRAPHML_##WHAT,
enum cw_graphml_attribute { CW_GRAPHML_ATTRIBUTES(CW_GRAPHML_ENUM) CW_GRAPHML_N };

#endif
