/// @file  Setting: what recipes are made from; and the small pieces they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "choose/choose.hpp"
#include "run/host/host_preparation.hpp"
#include "run/host/team.hpp"
#include "run/two_level/hosts.hpp"
#include "run/two_level/recipe.hpp"
#include "tutti/base/request.hpp"
#include "tutti/choose/decision.hpp"

namespace tutti::two_level {

struct Setting {
  const Hosts& hosts;
  const host::Team& team;
  Facts here;  ///< of this host's ranks, as choose wants them for local stages
  Decision decision;
  Protocol protocol;  ///< of local stages, as the caller names it
};

/// A vector cut into the pieces that go through the stages one behind the other.
class Chunks {
 public:
  Chunks(std::size_t count, std::size_t chunk) : count_(count), chunk_(std::max<std::size_t>(1, chunk)) {}

  std::size_t rounds() const { return (count_ + chunk_ - 1) / chunk_; }
  std::size_t begin(int round) const { return static_cast<std::size_t>(round) * chunk_; }
  std::size_t length(int round) const { return std::min(chunk_, count_ - begin(round)); }
  std::size_t longest() const { return std::min(chunk_, count_); }
  bool is_last(int round) const { return begin(round) + chunk_ >= count_; }

 private:
  std::size_t count_;
  std::size_t chunk_;
};

/// Chunks of a size that keeps the network busy while neighbours work, yet gives each message enough to carry.
Chunks chunks_of(std::size_t count, std::size_t element_size);

/// Elements of the longest of equal parts: of the vector, or of one rank's.
inline std::size_t longest_part(const Request& request) {
  return request.counts.empty() ? request.count : *std::max_element(request.counts.begin(), request.counts.end());
}

using LocalPlan = std::unique_ptr<host::HostPreparation>;

/// The schedule of one local stage: a collective of this host's ranks. Throws unsupported.
LocalPlan local_plan(const Setting& setting, Request request);

/// Of all rounds: the last one may be shorter.
struct LocalPlans {
  LocalPlan full;
  LocalPlan last;

  /// make(length) is the request of a round with so many elements.
  template <class Make>
  LocalPlans(const Setting& setting, const Chunks& chunks, const Make& make) {
    const int last_round = static_cast<int>(chunks.rounds()) - 1;
    full = local_plan(setting, make(chunks.longest()));
    if (chunks.length(last_round) != chunks.longest()) last = local_plan(setting, make(chunks.length(last_round)));
  }
  host::HostPreparation* of(const Chunks& chunks, int round) const {
    return last != nullptr && chunks.is_last(round) ? last.get() : full.get();
  }
};

}  // namespace tutti::two_level
