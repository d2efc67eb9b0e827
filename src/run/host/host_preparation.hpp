/// @file  HostPreparation: a schedule made concrete for one rank and one size: its moves in a row, and the chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/engine.hpp"
#include "run/host/call_signature.hpp"
#include "run/host/reduce.hpp"
#include "run/host/store_tuner.hpp"
#include "run/host/team.hpp"
#include "tutti/base/request.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::host {

/// Results larger than the caches are written around them.
inline constexpr std::size_t streaming_output_from = std::size_t{8} << 20;

/// The stretch of one block that a step moves: all of it in the first chunk, and on from there.
struct Piece {
  std::size_t length;  ///< of the block, in elements
  std::size_t own;     ///< where it begins in the step's own place, and in its store: in bytes
  std::size_t store;
};

/// A peer, and this rank's end of the wire from or to it.
struct End {
  int peer = 0;
  std::uint32_t wire = 0;  ///< Wires::end
};

/// How far a run has come. `closed`: the window opened with a barrier, but not every buffer can be reached by all; nothing
/// else has happened.
enum class Progress : std::uint8_t { blocked, finished, closed };

class ScheduleRun;
struct Move;
/// Plays a move of a straight plan, unless it has to wait. `ready`: what of it was found ready when it was tried before.
using Hop = Progress (*)(ScheduleRun& run, const Move& move, std::uint32_t& ready, Team& team);

/// A step of plan/ with everything looked up that does not change from call to call.
struct Move {
  plan::Step step;
  std::uint32_t pieces = 0;
  std::uint32_t awaited = 0;     ///< messages it takes
  std::uint32_t filled = 0;      ///< messages it sends
  int own_at = -1;               ///< the own block's turn among the sources; -1: it is none
  std::size_t longest = 0;       ///< of the pieces, in elements
  const Piece* piece = nullptr;  ///< the first one
  const End* from = nullptr;     ///< one for each source that is a peer, in ascending order of ranks
  const End* to = nullptr;       ///< one for each destination that is a peer
  Hop hop = nullptr;             ///< of a straight plan: the form that is made for moves with so many messages
  int more_lines = 0;            ///< of a packet of one piece: cache lines behind the flag's
  bool long_line = false;  ///< there are one or two: then it pays to have the first of them back before it is written
};

/// The moves are the steps of plan/, asked for once instead of at every call. Runs change nothing but the tuner.
/// It outlives the buffers of the request it was made for, but keeps the rest of that, which holds for all calls like it.
class HostPreparation final : public Preparation {
 public:
  HostPreparation(const Decision& decision, const Request& request, const Team& team);
  /// Of `count` bytes to each rank by one_shot packets: for what the ranks must agree on before a call.
  HostPreparation(Collective collective, std::size_t bytes, const Team& team);

  struct Lane {
    const Move* first = nullptr;
    const Move* end = nullptr;
  };

  CallSignature signature{};  ///< but for its turn and history: what the ranks compare
  std::uint64_t signature_hash = 0;
  Request request{};  ///< the first one; its buffers are not to be used, and a user's operator's state is not
  Decision decision{};
  plan::Schedule schedule;
  plan::Layout layout;
  Protocol protocol;
  std::size_t element_size;
  std::size_t in_bytes;  ///< of the buffers
  std::size_t out_bytes;
  std::size_t chunk = 1;  ///< elements
  std::size_t rounds = 0;
  std::size_t scratch_bytes = 0;
  Loop loop = nullptr;    ///< null: the collective does not reduce; a user's is not to be used
  bool own_loop = false;  ///< the operator is a user's, and each call has its own
  bool straight = false;  ///< one round, every move moves one piece whole, and nothing is written around the caches
  int lane_count = 0;
  Lane lanes[plan::max_lanes];
  std::vector<Move> moves;
  std::vector<Piece> pieces;
  std::vector<End> ends;

  bool tunes_stores = false;  ///< its messages are large enough for `tuner` to matter
  StoreTuner tuner;           ///< changed by the runs; they take turns

  /// The same call by messages, for when not every buffer can be reached; made when first needed.
  std::unique_ptr<HostPreparation> without_window;

 private:
  void lay_out(const Team& team);
  Move concrete(const plan::Step& step, const Team& team);
  void link_moves();
  StoreTuner tuner_for(std::size_t slots) const;
  bool is_straight() const;
};

}  // namespace tutti::host
