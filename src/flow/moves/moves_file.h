/* What the checker and the reader of moves have in common. Private to flow/. */
#ifndef CW_FLOW_MOVES_FILE_H
#define CW_FLOW_MOVES_FILE_H

/* How messages of cw_moves_verify begin; one about a file names the file instead. */
#define CW_MOVES_BREACH "moves: "

#endif
