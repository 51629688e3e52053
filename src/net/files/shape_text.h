/*
 * The shape of a generated network as a line of text, in comments of ibsim's net files and in GraphML:
 *
 *     xgft m=4,4 w=1,2 up=1,4; wiring 8d3f0c55e1a90b27
 *     torus k=4,4,3 wrap doubled; wiring …        dragonfly p=2 a=4 h=2 g=9; wiring …
 *     dragonfly p=2 a=4 h=2 g=9 arrangement=random seed=5 shuffle=7; wiring …
 *
 * The number is a hash of all cables, ports included: whoever takes out a cable in an editor gets a network without a
 * shape, not one whose shape is wrong. Private to net/.
 */
#ifndef CW_NET_SHAPE_TEXT_H
#define CW_NET_SHAPE_TEXT_H

#include "base/decls.h"
#include "base/text.h"
#include "net/files/ib_scan.h"
#include "net/network.h"

CW_BEGIN_DECLS

/* Appends the line, without a newline; NET has a shape. */
void cw_shape_text_write(const struct cw_network *net, struct cw_text *text);

/* Gives NET the shape that LINE states, if it states one and NET has exactly that wiring and the cables of that shape.
 */
void cw_shape_text_apply(struct cw_ib_span line, struct cw_network *net);

CW_END_DECLS

#endif
