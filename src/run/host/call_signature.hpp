/// @file  CallSignature: what must agree when ranks make one call together, small enough to exchange at each
/// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tutti/base/request.hpp"

namespace tutti::host {

/// Plain bytes, the same on every rank of a matching call.
struct CallSignature {
  std::uint64_t sequence = 0;     ///< collectives of this communicator before this one
  std::uint64_t count = 0;        ///< of the uneven collectives the total; 0 where the ranks differ
  std::uint64_t history = 0;      ///< a hash of the collectives before; 0 where nobody counts
  std::uint64_t counts_hash = 0;  ///< of the table of counts; 0 where the ranks' tables may differ
  std::uint32_t element_size = 0;
  std::int32_t root = 0;
  Collective collective{};
  DataType type{};
  Op op{};
  Algorithm algorithm{};
  Protocol protocol{};
  bool deterministic = false;
  Backend backend{};
  std::uint8_t way = 0;  ///< how it is run: `way_of`

  bool operator==(const CallSignature&) const = default;
};

CallSignature signature_of(const Request& request, std::uint64_t sequence);
/// Algorithm and protocol in one byte: ranks that have chosen differently would not understand one another.
constexpr std::uint8_t way_of(Algorithm algorithm, Protocol protocol) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(algorithm) << 2 | static_cast<unsigned>(protocol));
}
/// "all_reduce of 4 MiB float32 (sum)".
std::string describe(const CallSignature& signature);
/// Of what ranks must have in common, but for options.
std::uint64_t hash(const CallSignature& signature);
/// The history after a call with this hash.
constexpr std::uint64_t history_after(std::uint64_t call, std::uint64_t history) {
  return ((history ^ call) + 1) * 0x9e3779b97f4a7c15ULL;
}
/// Throws mismatch, naming both ranks and their calls, which are the same one in the order of calls.
[[noreturn]] void throw_mismatch(int rank, const CallSignature& mine, int other, const CallSignature& theirs);
/// Throws mismatch, naming both calls, unless all are equal.
void expect_equal(std::span<const CallSignature> signatures);

/// Of an all_to_all_v: `tables` is [ranks][2 · ranks], each rank's counts to send to and to receive from every rank.
/// Throws mismatch, naming the two ranks and their counts, unless every rank is sent what it expects.
void expect_tables_agree(std::span<const std::uint64_t> tables, std::size_t ranks);

}  // namespace tutti::host
