/* Revoke, agree, shrink: src/run/host/agreement.cpp, with ranks that die at any moment. What a rank
 * looks at in one go is read in one step; a look at who is gone comes after it.
 *
 * Holds: ranks that live come to an end, in the same round, with the same members, they among them.
 * mutant: NO_OUTCOME    each goes on when it has built, whatever became of the others
 * mutant: OWN_PROPOSAL  each takes its own proposal, not the first one
 * mutant: BITS_LATE     a proposal is written after it was put forward
 * mutant: IGNORE_DEAD   ranks that are gone are waited for
 */
#ifndef RANKS
#define RANKS 3
#endif
#ifndef DEATHS
#define DEATHS 1 /* 2 have more states than 2 GiB hold */
#endif
#define ROUNDS (DEATHS + 1)

bool dead[RANKS];
byte deaths;
/* the board: [round] and [round][rank] */
byte decided[ROUNDS];
byte outcome[ROUNDS];
bool joined[9];
byte built[9];
byte proposal[9];
#define AT(r) (round * RANKS + (r))
/* how it ended */
bool in[RANKS];
byte in_round[RANKS];
byte in_members[RANKS];
bool over[RANKS];

#ifdef IGNORE_DEAD
#define GONE(r) false
#else
#define GONE(r) dead[r]
#endif
#define HAS(set, r) ((set) & (1 << (r)))
#define ABSENT(r) ((HAS(candidates, r) && !joined[AT(r)]) << (r))
#define UNBUILT(r) ((HAS(members, r) && built[AT(r)] != 1) << (r))
#define ALL_ABSENT (ABSENT(0) + ABSENT(1) + ABSENT(2))
#define ALL_UNBUILT (UNBUILT(0) + UNBUILT(1) + UNBUILT(2))
#define ALL_GONE(set) ((!HAS(set, 0) || GONE(0)) && (!HAS(set, 1) || GONE(1)) && (!HAS(set, 2) || GONE(2)))
#define ANY_GONE(set) ((HAS(set, 0) && GONE(0)) || (HAS(set, 1) && GONE(1)) || (HAS(set, 2) && GONE(2)))
#define COULD_NOT(r) (HAS(members, r) && built[AT(r)] == 2)
#define FAILED (COULD_NOT(0) || COULD_NOT(1) || COULD_NOT(2))

/* What a rank that dies has not written counts; what it has read does not. So these are all moments that differ. */
#define MAY_DIE if :: true :: atomic { deaths < DEATHS -> deaths++; dead[me] = true; goto end } fi

proctype rank(byte me) {
  byte round, mine, members, candidates, state;
  candidates = (1 << RANKS) - 1;
    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
       MAY_DIE;
       joined[AT(me)] = true;
       MAY_DIE;
       /* who goes on? */
       if
       :: decided[round] != 0 -> skip
       :: decided[round] == 0 ->
          do
          :: atomic { decided[round] != 0 -> mine = 0; goto known }
          :: atomic { decided[round] == 0 -> mine = ALL_ABSENT };
             if
             :: atomic { ALL_GONE(mine) -> mine = candidates & ~mine; break }
             :: decided[round] != 0 || mine != ALL_ABSENT /* else it waits */
             fi
          od;
          MAY_DIE;
#ifdef BITS_LATE
          atomic { if :: decided[round] == 0 -> decided[round] = me + 1 :: else -> skip fi };
          proposal[AT(me)] = mine;
#else
          proposal[AT(me)] = mine;
          MAY_DIE;
          atomic { if :: decided[round] == 0 -> decided[round] = me + 1 :: else -> skip fi };
#endif
       fi;
known:
#ifdef OWN_PROPOSAL
       members = (proposal[AT(me)] != 0 -> proposal[AT(me)] : proposal[AT(decided[round] - 1)]);
#else
       members = proposal[AT(decided[round] - 1)];
#endif
       mine = 0;
       assert(members & (1 << me));
       MAY_DIE;
       /* it builds, or cannot: then somebody is gone, or took too long */
       if
       :: built[AT(me)] = 1
       :: deaths > 0 -> built[AT(me)] = 2
       fi;
       MAY_DIE;
       /* did it come to be? */
#ifdef NO_OUTCOME
       if
       :: built[AT(me)] == 1 -> state = 1
       :: else -> state = 2
       fi;
#else
       if
       :: outcome[round] != 0 -> skip
       :: outcome[round] == 0 ->
          do
          :: atomic { outcome[round] != 0 -> mine = 0; goto told }
          :: atomic { outcome[round] == 0 && FAILED -> state = 2; break }
          :: atomic { outcome[round] == 0 && !FAILED -> mine = ALL_UNBUILT };
             if
             :: atomic { mine == 0 -> state = 1; break }
             :: atomic { mine != 0 && ANY_GONE(mine) -> state = 2; break }
             :: outcome[round] != 0 || mine != ALL_UNBUILT || FAILED
             fi
          od;
          MAY_DIE;
          atomic { if :: outcome[round] == 0 -> outcome[round] = state :: else -> skip fi }
       fi;
told:
       mine = 0;
       state = outcome[round];
#endif
       if
       :: state == 1 -> in[me] = true; in_round[me] = round; in_members[me] = members; break
       :: else -> state = 0; candidates = members; members = 0; round++
       fi
    od;
    over[me] = true;
end:
    skip
}

init {
  byte a, b;
  atomic { run rank(0); run rank(1); run rank(2) }
  /* everybody who lives comes to an end */
  ((dead[0] || over[0]) && (dead[1] || over[1]) && (dead[2] || over[2]));
  for (a : 0 .. RANKS - 1) {
    for (b : 0 .. RANKS - 1) {
      if
      :: !dead[a] && !dead[b] && in[a] && in[b] ->
         assert(in_round[a] == in_round[b] && in_members[a] == in_members[b])
      :: !dead[a] && !dead[b] && in[a] && over[b] && !in[b] -> assert(false) /* one is in, the other is not */
      :: else -> skip
      fi
    }
  }
}
