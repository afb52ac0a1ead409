/* The list of games: the only place that names them all. A game is a folder of its name (docs/adding-a-game.md);
 * build_ffi.py reads the list here too. */
#ifndef RINGFEN_GAMES_H
#define RINGFEN_GAMES_H

#define RF_GAMES(X) X(gyges) X(rings) X(gran) X(siaius)

#endif
