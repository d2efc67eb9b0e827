/// @file  The recipe of one call of the network among all ranks, slice by slice of every part.
#include <algorithm>
#include <span>
#include <vector>

#include "run/shape.hpp"
#include "run/two_level/recipes.hpp"

namespace tutti::two_level {

namespace {

bool has_parts_in(Collective collective) {
  switch (collective) {
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::scatter:
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return true;
    default:
      return false;
  }
}

bool has_parts_out(Collective collective) {
  switch (collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::gather:
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return true;
    default:
      return false;
  }
}

/// Where each part of a buffer ends; the next one begins there.
using Ends = std::vector<std::size_t>;

/// Of `elements` in all: one part, or one for each rank, equally long unless there is a table.
Ends ends_of(std::size_t elements, bool has_parts, std::size_t ranks, std::span<const std::size_t> counts) {
  if (elements == 0 && counts.empty()) return {};
  if (!has_parts) return {elements};
  Ends ends;
  for (std::size_t rank = 0, end = 0; rank < ranks; ++rank) {
    end += counts.empty() ? elements / ranks : counts[rank];
    ends.push_back(end);
  }
  return ends;
}

/// A round is about the same slice of every part: what a rank's call of MPI touches is then a chunk of tutti's own
/// memory, whatever the caller's buffers are and whatever becomes of the call. The parts of all_to_all_v, whose tables
/// the other ranks do not know, are one slice each: no rank could tell how many rounds there are.
class Sliced final : public Recipe {
 public:
  Sliced(const Setting& setting, const Request& request, const Chunks& slices)
      : Recipe(here_network_here, slices.rounds()),
        whole_(setting.hosts.whole.get()),
        slices_(slices),
        counts_(request.counts.begin(), request.counts.end()),
        receive_counts_(request.receive_counts.begin(), request.receive_counts.end()) {
    const Shape shape = shape_of(request, whole_->rank(), whole_->size());
    const auto ranks = static_cast<std::size_t>(whole_->size());
    in_ = ends_of(shape.in, has_parts_in(request.collective), ranks, counts_);
    out_ = ends_of(shape.out, has_parts_out(request.collective), ranks,
                   receive_counts_.empty() ? counts_ : receive_counts_);
    stage_in((in_slice(0) + out_slice(0)) * request.element_size);
  }

  Action act(int round, int stage) override {
    const std::size_t size = call().element_size;
    std::byte* const sent = slot(round);
    std::byte* const received = sent + in_slice(round) * size;
    switch (stage) {
      case 0:
        for_parts(in_, round, [&](std::size_t whole, std::size_t packed, std::size_t length) {
          touch_first(in(whole), sent + packed * size, length);
        });
        return {};
      case 1: {
        Remote all = remote(whole_, call().collective, sent, received, slices_.length(round), call().root);
        all.request.counts = of_round(counts_, round);
        all.request.receive_counts = of_round(receive_counts_, round);
        return all;
      }
      default:
        for_parts(out_, round, [&](std::size_t whole, std::size_t packed, std::size_t length) {
          touch_last(received + packed * size, out(whole), length, whole_->size());
        });
        return {};
    }
  }

 private:
  /// Elements of a round's slice in a part: parts may be shorter than the longest one.
  std::size_t length(std::size_t part, int round) const {
    const std::size_t begin = slices_.begin(round);
    return part <= begin ? 0 : std::min(slices_.length(round), part - begin);
  }
  /// Calls f(where a part's slice begins in the buffer, in the slot, its length).
  template <class F>
  void for_parts(const Ends& ends, int round, const F& f) const {
    std::size_t begin = 0, packed = 0;
    for (const std::size_t end : ends) {
      const std::size_t some = length(end - begin, round);
      if (some > 0) f(begin + slices_.begin(round), packed, some);
      packed += some;
      begin = end;
    }
  }
  std::size_t slice(const Ends& ends, int round) const {
    std::size_t all = 0;
    for_parts(ends, round, [&](std::size_t, std::size_t, std::size_t length) { all += length; });
    return all;
  }
  std::size_t in_slice(int round) const { return slice(in_, round); }
  std::size_t out_slice(int round) const { return slice(out_, round); }

  /// The network reads it before the next one is made.
  std::span<const std::size_t> of_round(const std::vector<std::size_t>& counts, int round) {
    std::vector<std::size_t>& table = &counts == &counts_ ? table_ : receive_table_;
    table.clear();
    for (const std::size_t count : counts) table.push_back(length(count, round));
    return table;
  }

  Network* whole_;
  Chunks slices_;
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> receive_counts_;
  Ends in_;
  Ends out_;
  std::vector<std::size_t> table_;
  std::vector<std::size_t> receive_table_;
};

Chunks slices_of(const Request& request, int ranks) {
  constexpr std::size_t everything = std::size_t{1} << 48;  // beyond any count
  if (request.collective == Collective::all_to_all_v) return {everything, everything};
  const bool parts = has_parts_in(request.collective) || has_parts_out(request.collective);
  const std::size_t together = request.element_size * static_cast<std::size_t>(parts ? ranks : 1);
  return chunks_of(longest_part(request), together);
}

}  // namespace

std::unique_ptr<Recipe> whole_network(const Setting& setting, const Request& request) {
  return std::make_unique<Sliced>(setting, request, slices_of(request, setting.hosts.placement.ranks()));
}

}  // namespace tutti::two_level
