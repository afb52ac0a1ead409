/* Retrograde analysis: the winner of every position of a graph, and the number of plies. For games of two players
 * without chance.
 *
 * Idea: see retrograde.c. Knows no game.
 * Example: if the root is won in 5 plies by South, rf_graph_winner(g, 0) is 1 and rf_graph_distance(g, 0) is 5. */
#ifndef RINGFEN_RETROGRADE_H
#define RINGFEN_RETROGRADE_H

#include "search/graph.h"

/* cffi: begin */

/* Finds the values of all nodes. The winner wins as soon as possible, the loser delays; each ply of either player
 * counts, and a player may play several plies in a row. All other nodes are draws: endless play, or games that ended in
 * a draw. False: it stopped before the end (control->stopped gives the reason), and there are no values. */
bool rf_retrograde(rf_graph *graph, rf_control *control);
/* The winner's player number, 0 for a draw, and the plies to the end (0 for a draw). After rf_retrograde. */
unsigned rf_graph_winner(const rf_graph *graph, uint64_t node);
uint32_t rf_graph_distance(const rf_graph *graph, uint64_t node);

/* cffi: end */

#endif
