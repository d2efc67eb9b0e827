#include "tutti/plan/layout.hpp"

#include "tutti/base/error.hpp"

namespace tutti::plan {

namespace {

/// The fewest elements, a power of two, that are a whole number of 64-byte lines.
std::size_t elements_per_line(std::size_t element_size) {
  constexpr std::size_t line = 64;
  const std::size_t common = element_size & (~element_size + 1);  // the largest power of two in it
  return common == 0 ? 1 : line / std::min(line, common);
}

std::vector<std::size_t> prefix_sums(std::span<const std::size_t> counts) {
  std::vector<std::size_t> begins(counts.size() + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) begins[i + 1] = begins[i] + counts[i];
  return begins;
}

std::size_t longest_of(std::span<const std::size_t> counts) {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace

Layout::Layout(const Schedule& schedule, int rank, std::size_t count, std::size_t element_size,
               std::span<const std::size_t> counts, std::span<const std::size_t> receive_counts)
    : scratch_(needs_scratch(schedule)),
      rank_(rank),
      size_(schedule.size),
      blocks_(plan::blocks(schedule)),
      count_(count),
      longest_(count) {
  const auto size = static_cast<std::size_t>(size_);
  switch (schedule.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
      part_ = count;
      if (blocks_ > 1) {
        const auto parts = static_cast<std::size_t>(blocks_);
        const std::size_t line = elements_per_line(element_size);
        part_ = (count / parts + (count % parts != 0 ? 1 : 0) + line - 1) & ~(line - 1);
      }
      longest_ = std::min(part_, count);
      break;
    case Collective::barrier:
      count_ = part_ = longest_ = 1;
      break;
    case Collective::send:
    case Collective::recv:
      part_ = count;
      break;
    case Collective::reduce_scatter:
    case Collective::scatter:
      shape_ = Shape::per_rank;
      many_in_ = true;
      break;
    case Collective::all_gather:
    case Collective::gather:
      shape_ = Shape::per_rank;
      break;
    case Collective::reduce_scatter_v:
    case Collective::all_gather_v:
      expect(counts.size() == size, Code::internal, "an uneven layout needs a count for each rank");
      shape_ = Shape::per_rank;
      many_in_ = schedule.collective == Collective::reduce_scatter_v;
      longest_ = longest_of(counts);
      begins_ = prefix_sums(counts);
      break;
    case Collective::all_to_all:
      shape_ = Shape::exchanged;
      break;
    case Collective::all_to_all_v:
      expect(counts.size() == size && receive_counts.size() == size, Code::internal,
             "all_to_all_v needs a count for each rank, of what is sent and of what is received");
      shape_ = Shape::exchanged;
      longest_ = std::max(longest_of(counts), longest_of(receive_counts));
      begins_ = prefix_sums(counts);
      receive_begins_ = prefix_sums(receive_counts);
      break;
  }
  if (schedule.algorithm == Algorithm::tree && shape_ == Shape::per_rank) {
    bundles_ = true;
    run_ = binomial::run(seat_of(schedule, rank).number(), size_);
  }
}

std::size_t Layout::scratch_elements() const {
  if (!scratch_) return 0;
  if (shape_ == Shape::parts) return count_;
  if (bundles_) return static_cast<std::size_t>(run_) * count_;
  return begins_.empty() ? static_cast<std::size_t>(blocks_) * count_ : begins_.back();
}

bool Layout::contiguous(Place place, const Blocks& blocks, std::size_t chunk) const {
  if (blocks.count <= 1) return true;
  if (blocks.bit != 0 || chunk < longest_) return false;
  if (shape_ == Shape::exchanged && place != Place::scratch) {
    return place == Place::input && around(rank_ + blocks.first, size_) + blocks.count <= size_;
  }
  const bool wraps = blocks.circle != 0 && blocks.first + blocks.count > blocks.circle;
  return !wraps || (place == Place::scratch && bundles_);
}

}  // namespace tutti::plan
