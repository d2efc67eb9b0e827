/// @file  Operators of your own: a function object, a struct as element, and one in which the order of ranks matters.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tutti/tutti.hpp"

// [operator]
/// Any small, trivially copyable function object that is associative is an operator.
struct LargerMagnitude {
  float operator()(float a, float b) const { return std::fabs(a) < std::fabs(b) ? b : a; }
};
// [operator]

// [element]
/// Any trivially copyable struct of at most 32 bytes is an element: here mean and variance of a sample.
struct Moments {
  double count, mean, squares;  // squares: the sum of squared distances from the mean
};

/// Two samples become one.
struct Merge {
  Moments operator()(const Moments& a, const Moments& b) const {
    const double count = a.count + b.count;
    if (count == 0) return a;
    const double distance = b.mean - a.mean;
    return {count, a.mean + distance * b.count / count,
            a.squares + b.squares + distance * distance * a.count * b.count / count};
  }
};
// [element]

// [order]
/// x -> slope · x + offset. Putting functions into one another does not commute, and the operator says so.
struct Affine {
  double slope, offset;
};
struct Compose {
  static constexpr bool commutative = false;  // combined in the order of ranks, never in another
  Affine operator()(Affine f, Affine g) const { return {f.slope * g.slope, f.slope * g.offset + f.offset}; }
};
// [order]

int main() {
  bool right = false;
  tutti::in_process(3, [&](tutti::Communicator& comm) {
    const auto rank = static_cast<float>(comm.rank());

    std::vector<float> values{rank, -2 * rank};
    all_reduce(comm, tutti::on_host(values), LargerMagnitude{}).wait();

    std::vector<Moments> moments{{1, rank, 0}};  // of one value: the rank
    all_reduce(comm, tutti::on_host(moments), Merge{}).wait();

    std::vector<Affine> functions{{2, rank}};  // f_r(x) = 2x + r; together f_0(f_1(f_2(x)))
    all_reduce(comm, tutti::on_host(functions), Compose{}).wait();

    if (comm.rank() != 0) return;
    std::printf("largest magnitudes %g and %g\n", values[0], values[1]);
    std::printf("mean %g, variance %g\n", moments[0].mean, moments[0].squares / moments[0].count);
    std::printf("x -> %g x + %g\n", functions[0].slope, functions[0].offset);
    right = values[1] == -4 && std::fabs(moments[0].squares - 2) < 1e-12 && functions[0].offset == 10;
  });
  return right ? 0 : 1;
}
