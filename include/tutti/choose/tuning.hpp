/// @file  Tuning: which way was measured to be quickest on a machine, by collective, ranks and size; a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/types.hpp"
#include "tutti/topology/host_facts.hpp"

namespace tutti {

/// What of a machine such measurements depend on: processors, caches, memory nodes. No names and no numbers of one
/// machine, so machines of one kind have the same.
struct Fingerprint {
  std::vector<std::pair<std::string, std::string>> facts{};  ///< "processor" → "AMD EPYC 9554", always in one order

  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint_of(const HostFacts& facts);

/// 16 hexadecimal digits.
std::string digest(const Fingerprint& fingerprint);

/// "cpus: 8 there, 2 here; …", fact by fact; empty: they are equal.
std::string difference(const Fingerprint& there, const Fingerprint& here);

/// How ranks of one machine reach one another's memory.
enum class Reach : std::uint8_t {
  threads,    ///< of one process: all of it
  processes,  ///< none of it
  segments,   ///< processes: what they have from comm.allocate
};
inline constexpr int reach_count = 3;
std::string_view name(Reach reach) noexcept;
std::optional<Reach> reach_named(std::string_view name) noexcept;

/// A number and its interval of 95 % confidence.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

/// One measurement, in place or out of place: whichever was slower beside the others.
struct TunedPoint {
  std::size_t bytes = 0;  ///< of one rank's data, as `decide` compares sizes
  Interval us{};          ///< of one call, the slowest rank's

  bool operator==(const TunedPoint&) const = default;
};

/// A way and its coefficients, fitted to what was measured: time = latency + bytes of one rank's data / rate.
struct TunedWay {
  Algorithm algorithm = Algorithm::one_shot;
  Protocol protocol = Protocol::fifo;
  Interval latency_us{};
  Interval gbs{};    ///< 0: no rate shows, since it was given up while it was still small
  double error = 0;  ///< mean relative error of the fit
  std::vector<TunedPoint> points{};

  bool operator==(const TunedWay&) const = default;
};

/// From `bytes` of one rank's data on, up to the next turn, this way is taken.
struct TunedTurn {
  std::size_t bytes = 0;
  std::size_t low = 0;  ///< between these two the turn lies, as far as the measurements are sure
  std::size_t high = 0;
  Algorithm algorithm = Algorithm::one_shot;
  Protocol protocol = Protocol::fifo;

  bool operator==(const TunedTurn&) const = default;
};

struct TunedCall {
  Collective collective = Collective::all_reduce;
  Reach reach = Reach::threads;
  int ranks = 2;
  std::vector<TunedTurn> turns{};  ///< ascending; the first from 0 bytes on
  std::vector<TunedWay> ways{};

  bool operator==(const TunedCall&) const = default;
};

struct Tuning {
  Fingerprint machine{};
  double hysteresis = 0.05;  ///< share of the time that leaving a way had to save
  std::vector<TunedCall> calls{};
  std::string name{};  ///< of the file it is from, for messages; not part of the digest

  bool operator==(const Tuning&) const = default;
};

/// Of everything that a choice can depend on; equal tables have equal digests.
std::string digest(const Tuning& tuning);

/// The table for so many ranks, else for the nearest smaller number of at least half as many; null when there is none.
const TunedCall* tuned_call(const Tuning& tuning, Collective collective, Reach reach, int ranks);

/// Microseconds of a way at a size, between its measurements; nothing beyond them.
std::optional<double> tuned_us(const TunedCall& call, Algorithm algorithm, Protocol protocol, std::size_t bytes);

/// docs/schema/tuning.schema.json; indented by `indent` blanks, < 0: one line.
std::string to_json(const Tuning& tuning, int indent = 1);

/// Throws Error(invalid_argument) naming `name`, the place in the document and what was expected there.
Tuning tuning_from_text(std::string_view text, const std::string& name);

/// The same from a file; "-" is standard input.
Tuning tuning_from_file(const std::filesystem::path& path);

/// Why this tuning is not for that machine: both fingerprints and what differs; empty: it is.
std::string not_for(const Tuning& tuning, const HostFacts& machine);

}  // namespace tutti
