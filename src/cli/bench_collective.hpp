/// @file  What can be measured, and what a size means for it: counts, bytes, bus factors, as nccl-tests has them.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tutti/base/types.hpp"

namespace tutti::bench {

/// The names that `bench` takes. "sendrecv" (every rank sends to the next one and receives from the one before) stands
/// as Collective::send; everything else is itself.
std::vector<std::string_view> collective_names();
std::optional<Collective> bench_collective_named(std::string_view name);
std::string_view bench_name(Collective collective);

/// Can input and output be the same memory?
bool works_in_place(Collective collective);
bool is_uneven(Collective collective);

/// One measured size, seen from one rank. `size` is the larger side: all parts together where there are parts.
struct Extent {
  std::size_t size = 0;                       ///< bytes, as printed; rounded down to what every rank can have
  std::size_t count = 0;                      ///< elements, as printed: of one part where there are parts
  std::size_t in = 0;                         ///< elements of this rank's input; 0 where a root's rank alone has one
  std::size_t out = 0;                        ///< elements of this rank's output; the same
  std::size_t part_begin = 0;                 ///< element at which this rank's part begins in the larger side
  std::vector<std::size_t> counts{};          ///< [ranks] uneven: each rank's part; all_to_all_v: sent to each
  std::vector<std::size_t> receive_counts{};  ///< [ranks] all_to_all_v: received from each
};

/// `bytes` is what was asked for. A count of 0 says: too little for one element a rank.
Extent extent_of(Collective collective, std::size_t bytes, std::size_t element_size, int rank, int ranks, int root);

/// What rank `from` sends to rank `to` in the uneven all-to-all that is measured: symmetric.
std::size_t uneven_count(std::size_t total, int from, int to, int ranks);

}  // namespace tutti::bench
