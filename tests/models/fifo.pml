/* A wire of src/run/host/wires.hpp: slots with flags that only grow, and credits that come back in halves of the ring.
 * The payload has two parts, as a packet's lies in several cache lines: the part beside the flag is written last.
 *
 * Holds: every message arrives once, in order and whole; nobody waits for ever.
 * mutant: FLAG_FIRST    the flag is stored before the payload, as without release
 * mutant: NO_CREDIT     the sender does not wait for room
 * mutant: EARLY_CREDIT  the slot is given back before it is read
 * mutant: SAME_FLAG     the flag is the same in every turn of the ring
 * mutant: LATE_CREDIT   credits come back only when more messages than there are slots have been taken
 */
#ifndef SLOTS
#define SLOTS 4
#endif
#define MESSAGES 10

#ifdef SAME_FLAG
#define FLAG(message) 1
#else
#define FLAG(message) ((message) + 1)
#endif
#ifdef LATE_CREDIT
#define RETURN_AFTER (SLOTS + 1)
#else
#define RETURN_AFTER (SLOTS / 2)
#endif

byte flag[SLOTS];
byte first[SLOTS];
byte second[SLOTS];
byte credit;

active proctype sender() {
  byte sent, taken;
  do
  :: sent == MESSAGES -> break
  :: sent < MESSAGES ->
#ifndef NO_CREDIT
     if
     :: sent - taken < SLOTS -> skip
     :: else -> taken = credit; (sent - credit < SLOTS); taken = credit
     fi;
#endif
#ifdef FLAG_FIRST
     flag[sent % SLOTS] = FLAG(sent);
#endif
     second[sent % SLOTS] = sent + 1;
     first[sent % SLOTS] = sent + 1;
#ifndef FLAG_FIRST
     flag[sent % SLOTS] = FLAG(sent);
#endif
     sent++
  od
}

active proctype receiver() {
  byte taken, returned;
  do
  :: taken == MESSAGES -> break
  :: taken < MESSAGES ->
     (flag[taken % SLOTS] == FLAG(taken));
#ifdef EARLY_CREDIT
     credit = taken + 1;
#endif
     assert(first[taken % SLOTS] == taken + 1);
     assert(second[taken % SLOTS] == taken + 1);
     taken++;
     if
     :: taken - returned >= RETURN_AFTER -> returned = taken; credit = taken
     :: else -> skip
     fi
  od
}
