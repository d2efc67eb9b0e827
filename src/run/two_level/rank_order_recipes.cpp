/// @file  Recipes that combine in the order of ranks, each element once: the bits that one host would give.
#include <algorithm>
#include <vector>

#include "run/two_level/recipes.hpp"

namespace tutti::two_level {

namespace {

constexpr int most_sources = 256;  // of one application of a loop

/// The combination of `ranks` arrays that lie `stride` bytes apart, into `out`.
void combine(const Request& request, host::Loop loop, const std::byte* parts, std::size_t stride, int ranks, void* out,
             std::size_t count) {
  if (count == 0) return;
  std::vector<const void*> sources;
  for (int first = 0; first < ranks; first += static_cast<int>(sources.size())) {
    const int together = std::min(ranks - first, first == 0 ? most_sources : most_sources - 1);
    sources.clear();
    if (first > 0) sources.push_back(out);
    for (int rank = first; rank < first + together; ++rank) {
      sources.push_back(parts + static_cast<std::size_t>(rank) * stride);
    }
    loop({.sources = sources.data(),
          .source_count = static_cast<int>(sources.size()),
          .destinations = &out,
          .destination_count = 1,
          .count = count,
          .finish_over = first + together == ranks ? ranks : 0},
         request.op.state);
    if (first > 0) sources.pop_back();
  }
}

/// Counts travel as bytes: nothing is combined on the way.
Remote exchange(Network* network, Collective collective, std::size_t bytes, std::byte* in, std::byte* out,
                int root = 0) {
  Request request;
  request.collective = collective;
  request.count = bytes;
  request.in = in;
  request.out = out;
  request.root = root;
  return {network, request};
}

// ---- one exchange --------------------------------------------------------------------------------------------------

/// A round takes the same slice of every rank's contribution to a result: all_reduce and reduce have one result,
/// reduce_scatter has one a rank.
class OneExchange final : public Recipe {
 public:
  OneExchange(const Setting& setting, const Request& request, const Chunks& slices)
      : Recipe(here_network_here, slices.rounds()),
        whole_(setting.hosts.whole.get()),
        collective_(request.collective),
        slices_(slices),
        ranks_(setting.hosts.placement.ranks()),
        results_(scatters() ? ranks_ : 1) {
    const std::size_t slice = slices_.longest() * request.element_size;
    stage_in(slice * static_cast<std::size_t>(results_ + ranks_));
    for (std::size_t r = 0, begin = 0; r < static_cast<std::size_t>(results_); ++r) {
      begins_.push_back(begin);
      lengths_.push_back(request.counts.empty() ? request.count : request.counts[r]);
      begin += lengths_.back();
    }
  }

  Action act(int round, int stage) override {
    const std::size_t bytes = slices_.length(round) * call().element_size;
    std::byte* const sent = slot(round);
    std::byte* const received = sent + bytes * static_cast<std::size_t>(results_);
    switch (stage) {
      case 0:
        for (int result = 0; result < results_; ++result) {
          const auto r = static_cast<std::size_t>(result);
          if (length(result, round) == 0) continue;
          touch_first(in(begins_[r] + slices_.begin(round)), sent + r * bytes, length(result, round));
        }
        return {};
      case 1:
        return exchange(whole_, collective(), bytes, sent, received, call().root);
      default:
        if (collective_ != Collective::reduce || whole_->rank() == call().root) {
          const std::size_t count = length(scatters() ? whole_->rank() : 0, round);
          if (count == 0) return {};
          combine(call(), loop(), received, bytes, ranks_, out(slices_.begin(round)), count);
        }
        return {};
    }
  }

 private:
  bool scatters() const {
    return collective_ == Collective::reduce_scatter || collective_ == Collective::reduce_scatter_v;
  }
  Collective collective() const {
    if (scatters()) return Collective::all_to_all;
    return collective_ == Collective::reduce ? Collective::gather : Collective::all_gather;
  }
  /// Elements of a result in a round: results may be shorter than the longest one.
  std::size_t length(int result, int round) const {
    const std::size_t all = lengths_[static_cast<std::size_t>(result)];
    const std::size_t begin = slices_.begin(round);
    return all <= begin ? 0 : std::min(slices_.length(round), all - begin);
  }

  Network* whole_;
  Collective collective_;
  Chunks slices_;
  int ranks_;
  int results_;
  std::vector<std::size_t> begins_;   ///< [results] in the input
  std::vector<std::size_t> lengths_;  ///< [results]
};

// ---- two exchanges -------------------------------------------------------------------------------------------------

constexpr bool here_network_here_network_here[] = {false, true, false, true, false};

/// Rank r combines part r of a chunk, and everybody gets all parts.
class TwoExchanges final : public Recipe {
 public:
  TwoExchanges(const Setting& setting, const Request& request, const Chunks& chunks)
      : Recipe(here_network_here_network_here, chunks.rounds()),
        whole_(setting.hosts.whole.get()),
        element_size_(request.element_size),
        chunks_(chunks),
        ranks_(setting.hosts.placement.ranks()) {
    stage_in(part_bytes(chunks_.longest()) * static_cast<std::size_t>(2 * ranks_ + 1));
  }

  Action act(int round, int stage) override {
    const std::size_t length = chunks_.length(round);
    const std::size_t part = part_bytes(length);
    const std::size_t all = part * static_cast<std::size_t>(ranks_);
    std::byte* const mine = slot(round);  // what is sent, then the whole result
    std::byte* const received = mine + all;
    std::byte* const result = received + all;
    switch (stage) {
      case 0: {
        touch_first(in(chunks_.begin(round)), mine, length);
        const std::size_t used = length * element_size_;
        std::fill(mine + used, mine + all, std::byte{0});  // the last parts may be shorter
        return {};
      }
      case 1:
        return exchange(whole_, Collective::all_to_all, part, mine, received);
      case 2:
        combine(call(), loop(), received, part, ranks_, result, part / element_size_);
        return {};
      case 3:
        return exchange(whole_, Collective::all_gather, part, result, mine);
      default:
        std::copy_n(mine, length * element_size_, out(chunks_.begin(round)));
        return {};
    }
  }

 private:
  /// Of one rank's part of a chunk.
  std::size_t part_bytes(std::size_t length) const {
    const auto ranks = static_cast<std::size_t>(ranks_);
    return (length + ranks - 1) / ranks * element_size_;
  }

  Network* whole_;
  std::size_t element_size_;
  Chunks chunks_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Recipe> combine_in_rank_order(const Setting& setting, const Request& request) {
  // All ranks' slices together are a chunk.
  const std::size_t together = request.element_size * static_cast<std::size_t>(setting.hosts.placement.ranks());
  return std::make_unique<OneExchange>(setting, request, chunks_of(longest_part(request), together));
}

std::unique_ptr<Recipe> all_reduce_in_rank_order(const Setting& setting, const Request& request) {
  return std::make_unique<TwoExchanges>(setting, request, chunks_of(request.count, request.element_size));
}

}  // namespace tutti::two_level
