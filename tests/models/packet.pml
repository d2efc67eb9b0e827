/* Two wires in opposite directions between two ranks, with the fewest slots there are: each sends and takes whatever it can, and
 * may run ahead of the other as far as there is room (src/run/host/wires.hpp, the lanes of schedule_run.cpp).
 *
 * Holds: messages arrive in order, and two ranks that both run ahead do not wait for one another.
 * mutant: TAKE_FIRST     each takes before it sends
 * mutant: BLOCKING_SEND  who waits for room takes nothing meanwhile
 * mutant: ONE_CREDIT     one count of taken messages for both directions
 */
#define SLOTS 2
#define MESSAGES 6

byte flag[4]; /* [to][slot] */
byte payload[4];
byte credit[2]; /* of the wire into that rank */
#define AT(to, message) ((to) * SLOTS + (message) % SLOTS)
#ifdef ONE_CREDIT
#define CREDIT(to) credit[0]
#else
#define CREDIT(to) credit[to]
#endif

inline send() {
  (sent - CREDIT(1 - me) < SLOTS);
  payload[AT(1 - me, sent)] = sent + 10;
  flag[AT(1 - me, sent)] = sent + 1;
  sent++
}

inline take() {
  (flag[AT(me, taken)] == taken + 1);
  assert(payload[AT(me, taken)] == taken + 10);
  taken++;
  CREDIT(me) = taken
}

proctype rank(byte me) {
  byte sent, taken;
  do
  :: taken == MESSAGES && sent == MESSAGES -> break
#ifdef TAKE_FIRST
  :: taken < MESSAGES -> take(); send()
#else
#ifdef BLOCKING_SEND
  :: sent < MESSAGES -> send()
#else
  :: sent < MESSAGES && sent - CREDIT(1 - me) < SLOTS -> send()
#endif
  :: taken < MESSAGES && flag[AT(me, taken)] == taken + 1 -> take()
#endif
  od
}

init {
  atomic { run rank(0); run rank(1) }
}
