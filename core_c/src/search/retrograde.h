/* Retrograde analysis: who wins from every position of a graph, and in how many plies. For games of two players
 * without chance. Knows no game. */
#ifndef RINGFEN_RETROGRADE_H
#define RINGFEN_RETROGRADE_H

#include "search/graph.h"

/* cffi: begin */

/* Finds the values of all nodes. The winner hurries, the loser delays; every ply counts one, whoever plays it, and a
 * player may play several in a row. What no win reaches is a draw: endless play, or a game that ended drawn.
 * False: stopped before the end (control->stopped says why), and nothing is known. */
bool rf_retrograde(rf_graph *graph, rf_control *control);
/* The winner's player number, 0 for a draw, and the plies to the end (0 for a draw). After rf_retrograde. */
unsigned rf_graph_winner(const rf_graph *graph, uint64_t node);
uint32_t rf_graph_distance(const rf_graph *graph, uint64_t node);

/* cffi: end */

#endif
