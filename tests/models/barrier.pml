/* The barrier of src/run/host/team.cpp, which also shows buffers: epochs that only grow, and two places by turns for what is
 * shown, so that a rank may go on to the next window call while others still read.
 *
 * Holds: what a rank reads of another after a barrier is what that one showed at the barrier, until it comes to its next;
 * nobody passes before all have come.
 * mutant: ONE_PLACE     what is shown has one place
 * mutant: EPOCH_FIRST   the epoch is stored before what is shown, as without release
 * mutant: EXACT_EPOCH   ranks wait for an epoch to be equal, not for it to be passed
 */
#define RANKS 3
#define BARRIERS 4

byte epoch[RANKS];
byte shown[6]; /* [rank][place] */
#ifdef ONE_PLACE
#define PLACE(turn) 0
#else
#define PLACE(turn) ((turn) % 2)
#endif
#ifdef EXACT_EPOCH
#define CAME(other) (epoch[other] == turn)
#else
#define CAME(other) (epoch[other] >= turn)
#endif

proctype rank(byte me) {
  byte turn, other;
  do
  :: turn == BARRIERS -> break
  :: turn < BARRIERS ->
     turn++;
#ifdef EPOCH_FIRST
     epoch[me] = turn;
#endif
     shown[me * 2 + PLACE(turn)] = turn;
#ifndef EPOCH_FIRST
     epoch[me] = turn;
#endif
     other = 0;
     do
     :: other == RANKS -> break
     :: other < RANKS && CAME(other) -> other++
     od;
     other = 0; /* the call reads and writes through what was shown */
     do
     :: other == RANKS -> break
     :: other < RANKS -> assert(shown[other * 2 + PLACE(turn)] == turn); other++
     od
  od
}

init {
  atomic { run rank(0); run rank(1); run rank(2) }
}
