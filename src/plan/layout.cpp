#include "tutti/plan/layout.hpp"

#include <algorithm>
#include <memory>

#include "tutti/base/error.hpp"

namespace tutti::plan {

namespace {

/// The fewest elements, a power of two, that are a whole number of 64-byte lines.
std::size_t elements_per_line(std::size_t element_size) {
  constexpr std::size_t line = 64;
  const std::size_t common = element_size & (~element_size + 1);  // the largest power of two in it
  return common == 0 ? 1 : line / std::min(line, common);
}

/// Writes the sums of the counts before each, and of all, and tells where to go on.
std::size_t* write_sums(std::span<const std::size_t> counts, std::size_t* sums) {
  *sums = 0;
  for (const std::size_t count : counts) {
    sums[1] = sums[0] + count;
    ++sums;
  }
  return sums + 1;
}

std::size_t longest_of(std::span<const std::size_t> counts) {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

}  // namespace

Layout::Layout(const Schedule& schedule, int rank, std::size_t count, std::size_t element_size,
               std::span<const std::size_t> counts, std::span<const std::size_t> receive_counts) {
  scratch_ = needs_scratch(schedule);
  rank_ = rank;
  size_ = schedule.size;
  blocks_ = plan::blocks(schedule);
  count_ = count;
  longest_ = count;
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
      {
        const std::shared_ptr<std::size_t[]> sums(new std::size_t[size + 1]);
        write_sums(counts, sums.get());
        tables_ = sums;
        begins_ = tables_.get();
      }
      break;
    case Collective::all_to_all:
      shape_ = Shape::exchanged;
      break;
    case Collective::all_to_all_v:
      expect(counts.size() == size && receive_counts.size() == size, Code::internal,
             "all_to_all_v needs a count for each rank, of what is sent and of what is received");
      shape_ = Shape::exchanged;
      longest_ = std::max(longest_of(counts), longest_of(receive_counts));
      {
        const std::shared_ptr<std::size_t[]> sums(new std::size_t[2 * (size + 1)]);
        receive_begins_ = write_sums(counts, sums.get());
        write_sums(receive_counts, sums.get() + size + 1);
        tables_ = sums;
        begins_ = tables_.get();
      }
      break;
  }
  if (schedule.algorithm == Algorithm::tree && shape_ == Shape::per_rank) {
    bundles_ = true;
    run_ = binomial::run(seat_of(schedule, rank).number(), size_);
  }
}

std::size_t LayoutView::scratch_elements() const {
  if (!scratch_) return 0;
  if (shape_ == Shape::parts) return count_;
  if (bundles_) return static_cast<std::size_t>(run_) * count_;
  return begins_ == nullptr ? static_cast<std::size_t>(blocks_) * count_ : begins_[size_];
}

bool LayoutView::contiguous(Place place, const Blocks& blocks, std::size_t chunk) const {
  if (blocks.count <= 1) return true;
  if (blocks.bit != 0 || chunk < longest_) return false;
  if (shape_ == Shape::exchanged && place != Place::scratch) {
    return place == Place::input && around(rank_ + blocks.first, size_) + blocks.count <= size_;
  }
  const bool wraps = blocks.circle != 0 && blocks.first + blocks.count > blocks.circle;
  return !wraps || (place == Place::scratch && bundles_);
}

}  // namespace tutti::plan
