#include "conformance/covering.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "conformance/random.hpp"

namespace tutti::conformance {

namespace {

/// Which pairs are still to be covered: a square of bits over all values of all axes.
class Pairs {
 public:
  explicit Pairs(const std::vector<int>& axes) : axes_(axes) {
    for (const int values : axes) {
      begins_.push_back(total_);
      total_ += static_cast<std::size_t>(values);
    }
    open_.assign(total_ * total_, false);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (int x = 0; x < axes[a]; ++x) {
          for (int y = 0; y < axes[b]; ++y) open_[at(a, x, b, y)] = true;
        }
      }
    }
  }

  /// Axes in any order.
  bool open(std::size_t a, int x, std::size_t b, int y) const { return open_[a > b ? at(a, x, b, y) : at(b, y, a, x)]; }
  void close(std::size_t a, int x, std::size_t b, int y) { open_[a > b ? at(a, x, b, y) : at(b, y, a, x)] = false; }

  /// Pairs that a row would close.
  std::size_t gain(const Row& row) const {
    std::size_t gain = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) gain += open_[at(a, row[a], b, row[b])] ? 1 : 0;
    }
    return gain;
  }

 private:
  std::size_t at(std::size_t a, int x, std::size_t b, int y) const {
    return (begins_[a] + static_cast<std::size_t>(x)) * total_ + begins_[b] + static_cast<std::size_t>(y);
  }
  const std::vector<int>& axes_;
  std::vector<std::size_t> begins_;
  std::size_t total_ = 0;
  std::vector<bool> open_;
};

class Generator {
 public:
  Generator(const std::vector<int>& axes, const std::function<bool(const Row&)>& valid, std::uint64_t seed)
      : axes_(axes), valid_(valid), random_(seed), pairs_(axes) {}

  Covering run() {
    Covering result;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (int x = 0; x < axes_[a]; ++x) {
          for (int y = 0; y < axes_[b]; ++y) {
            if (!pairs_.open(a, x, b, y)) continue;
            const Row row = best_row(a, x, b, y);
            if (row.empty()) {
              ++result.impossible;
              pairs_.close(a, x, b, y);
              continue;
            }
            result.pairs += pairs_.gain(row);
            close(row);
            result.rows.push_back(row);
          }
        }
      }
    }
    return result;
  }

 private:
  /// Of several valid rows with that pair the one that covers most; empty when none was found.
  Row best_row(std::size_t a, int x, std::size_t b, int y) {
    Row best;
    std::size_t best_gain = 0;
    int found = 0;
    for (int attempt = 0; attempt < 400 && found < 12; ++attempt) {
      Row row(axes_.size(), -1);
      row[a] = x;
      row[b] = y;
      for (const std::size_t axis : shuffled()) {
        if (row[axis] < 0) row[axis] = attempt % 2 == 0 ? wanted(row, axis) : any(axis);
      }
      if (!valid_(row)) continue;
      ++found;
      const std::size_t gain = pairs_.gain(row);
      if (gain > best_gain) {
        best = row;
        best_gain = gain;
      }
    }
    return best;
  }

  int any(std::size_t axis) { return static_cast<int>(random_.below(static_cast<std::size_t>(axes_[axis]))); }

  /// The value of an axis that closes most pairs with the axes that have one.
  int wanted(const Row& row, std::size_t axis) {
    int best = any(axis);
    int best_gain = 0;
    for (int i = 0, value = any(axis); i < axes_[axis]; ++i, value = (value + 1) % axes_[axis]) {
      int gain = 0;
      for (std::size_t other = 0; other < row.size(); ++other) {
        if (row[other] >= 0) gain += pairs_.open(axis, value, other, row[other]) ? 1 : 0;
      }
      if (gain > best_gain) {
        best = value;
        best_gain = gain;
      }
    }
    return best;
  }

  std::vector<std::size_t> shuffled() {
    std::vector<std::size_t> order(axes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    return order;
  }

  void close(const Row& row) {
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) pairs_.close(a, row[a], b, row[b]);
    }
  }

  const std::vector<int>& axes_;
  const std::function<bool(const Row&)>& valid_;
  Random random_;
  Pairs pairs_;
};

}  // namespace

Covering cover_pairs(const std::vector<int>& axes, const std::function<bool(const Row&)>& valid, std::uint64_t seed) {
  return Generator(axes, valid, seed).run();
}

}  // namespace tutti::conformance
