#include "tutti/plan/closed_form.hpp"

#include <algorithm>

namespace tutti::plan {

namespace {

constexpr const char* ring_source = "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009";
constexpr const char* tree_source = "Sanders, Speck, Traeff: Two-tree algorithms, 2009";
constexpr const char* halving_source = "Thakur, Rabenseifner, Gropp: Optimization of collectives in MPICH, 2005";
constexpr const char* bruck_source = "Bruck, Ho, Kipnis, Upfal, Weathersby: all-to-all in multiport systems, 1997";
constexpr const char* dissemination_source =
    "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988";
constexpr const char* binomial_source = "binomial trees: Thakur, Rabenseifner, Gropp, 2005";
constexpr const char* direct_source = "counted: every part goes straight to its receivers";

/// Powers and rests of a rank count.
struct Sizes {
  explicit Sizes(int ranks)
      : n(ranks), k(log2_floor(ranks)), up(log2_ceil(ranks)), power(floor_power(ranks)), extra(n - power) {}
  int n;
  int k;
  int up;  ///< log2, rounded up
  int power;
  int extra;
  int fold() const { return extra > 0 ? 1 : 0; }
};

ClosedForm ring_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  switch (collective) {
    case Collective::all_reduce:
      return {{2 * (n - 1), 0, 2 * (n - 1), 2 * (n - 1), 2 * n * (n - 1)}, "2(n-1)", "2(n-1) of n", ring_source};
    case Collective::broadcast:
    case Collective::reduce:
      return {{n - 1, 0, 1, 1, n - 1}, "n-1", "1 of 1", "a chain, pipelined by chunks"};
    case Collective::barrier: {
      const int most = n > 2 ? 2 : 1;
      return {{2 * (n - 1), 0, most, most, 2 * (n - 1)}, "2(n-1)", "2 tokens", "a token, around twice"};
    }
    default:
      return {{n - 1, 0, n - 1, n - 1, n * (n - 1)}, "n-1", "n-1 of n", ring_source};
  }
}

/// Sum of the runs below the root of a binomial tree: blocks that travel, a hop each.
int binomial_blocks(int n) {
  int sum = 0;
  for (int number = 1; number < n; ++number) sum += binomial::run(number, n);
  return sum;
}

ClosedForm tree_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  const int edges = n - 1;
  switch (collective) {
    case Collective::all_reduce: {
      const int most = std::min(n, 4);
      return {{2 * s.k, 0, most, most, 4 * edges}, "2k", "min(n,4) of 2", tree_source};
    }
    case Collective::barrier: {
      const int most = n == 2 ? 1 : n == 3 ? 2 : 3;
      return {{2 * s.k, 0, most, most, 2 * edges}, "2k", "min(n-1,3) tokens", tree_source};
    }
    case Collective::broadcast:
      return {{s.up, 0, 2, 2, 2 * edges}, "ceil(log2 n)", "2 of 2", tree_source};
    case Collective::reduce:
      return {{s.up, 0, 2, 2, 2 * edges}, "ceil(log2 n)", "2 of 2", tree_source};
    case Collective::gather:
      return {{s.k, 0, 1, std::max(s.power / 2, s.extra), binomial_blocks(n)}, "k", "max(P/2,e) of n", binomial_source};
    default:
      return {{s.k, 0, s.up, n - 1, binomial_blocks(n)}, "k", "n-1 of n", binomial_source};
  }
}

ClosedForm one_shot_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  const auto form = [&](int most, int all, const char* blocks) {
    return ClosedForm{{1, 0, most, most, all}, "1", blocks, direct_source};
  };
  switch (collective) {
    case Collective::all_reduce:
      return form(n - 1, n * (n - 1), "n-1 of 1");
    case Collective::barrier:
      return form(n - 1, n * (n - 1), "n-1 tokens");
    case Collective::broadcast:
      return form(n - 1, n - 1, "n-1 of 1");
    case Collective::reduce:
      return form(1, n - 1, "1 of 1");
    case Collective::gather:
      return form(1, n - 1, "1 of n");
    case Collective::scatter:
      return form(n - 1, n - 1, "n-1 of n");
    case Collective::send:
    case Collective::recv:
      return form(1, 1, "1 of 1");
    default:
      return form(n - 1, n * (n - 1), "n-1 of n");
  }
}

ClosedForm two_shot_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  switch (collective) {
    case Collective::all_reduce:
      return {{2, 0, 2 * (n - 1), 2 * (n - 1), 2 * n * (n - 1)}, "2", "2(n-1) of n", direct_source};
    case Collective::reduce:
      return {{2, 0, n, n, (n + 1) * (n - 1)}, "2", "n of n", direct_source};
    default:
      return {{n > 2 ? 2 : 1, 0, n - 1, n - 1, (n - 1) * (n - 1)}, "min(n-1,2)", "n-1 of n-1", direct_source};
  }
}

ClosedForm halving_doubling_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  const int k = s.k;
  const int power = s.power;
  const int fold = s.fold();
  const int handed = s.extra * power;  // by helpers to cores, or back
  // From a helper to its core, once through the cores, and to a helper again, if two cores of all different bits have one.
  const int through = k + fold + (2 * s.extra > power ? 1 : 0);
  const int along_tree = k * power / 2;
  // What core 0 holds before each doubling: d blocks, and those of its helpers.
  int held = power - 1;
  for (int distance = 1; distance < power; distance *= 2) held += std::min(distance, s.extra);
  switch (collective) {
    case Collective::all_reduce:
      return {{2 * (k + fold), 0, 2 * k + fold, 2 * (power - 1) + fold * power, 2 * power * (power - 1) + 2 * handed},
              "2k, +2 if e",
              "2(P-1), +P if e, of P",
              halving_source};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return {{through, 0, k + fold, n - 1 + fold, power * (n - 1) + s.extra * n},
              "k, +1 if e, +1 if 2e > P",
              "n-1, +1 if e, of n",
              halving_source};
    case Collective::all_gather:
    case Collective::all_gather_v:
      return {{through, 0, k + fold, held + fold * n, n * (power - 1) + s.extra * (n + 1)},
              "k, +1 if e, +1 if 2e > P",
              "P-1, +n+sum(min(d,e)) if e, of n",
              halving_source};
    case Collective::reduce:
      return {{2 * k + fold, 0, k + 1, power - 1 + power / 2, power * (power - 1) + along_tree + handed},
              "2k, +1 if e",
              "P-1+P/2 of P",
              halving_source};
    default:
      return {
          {2 * k + fold, 0, 2 * k + fold, 2 * (power - 1) + fold * power, power * (power - 1) + along_tree + handed},
          "2k, +1 if e",
          "2(P-1), +P if e, of P",
          halving_source};
  }
}

ClosedForm bruck_form(Collective collective, const Sizes& s) {
  const int n = s.n;
  if (collective == Collective::barrier) {
    return {{s.up, 0, s.up, s.up, n * s.up}, "ceil(log2 n)", "ceil(log2 n) tokens", dissemination_source};
  }
  if (collective != Collective::all_to_all) {
    return {{s.up, 0, s.up, n - 1, n * (n - 1)}, "ceil(log2 n)", "n-1 of n", bruck_source};
  }
  int jumps = 0;  // one for each bit of each distance
  for (int distance = 1; distance < n; distance *= 2) jumps += bruck::with_bit(distance, n);
  return {{s.up, 0, s.up, jumps, n * jumps}, "ceil(log2 n)", "sum of bits of 1..n-1, of n", bruck_source};
}

ClosedForm window_form(Collective collective, Algorithm algorithm, const Sizes& s) {
  const int n = s.n;
  const auto form = [&](int most, int all, const char* blocks) {
    return ClosedForm{{0, 2, 0, most, all}, "0", blocks, direct_source};
  };
  const bool twice = algorithm == Algorithm::two_shot;
  switch (collective) {
    case Collective::barrier:
      return {{0, 1, 0, 0, 0}, "0", "0", direct_source};
    case Collective::all_reduce:
      if (twice) return form(2 * (n - 1), 2 * n * (n - 1), "2(n-1) of n");
      return form(n - 1, n * (n - 1), "n-1 of 1");
    case Collective::reduce:
      if (twice) return form(n, (n + 1) * (n - 1), "n of n");
      return form(n - 1, n - 1, "n-1 of 1");
    case Collective::broadcast:
      return form(1, n - 1, "1 of 1");
    case Collective::gather:
    case Collective::scatter:
      return form(1, n - 1, "1 of n");
    default:
      return form(n - 1, n * (n - 1), "n-1 of n");
  }
}

}  // namespace

std::optional<ClosedForm> closed_form(const Schedule& schedule) {
  if (unsupported(schedule) != nullptr) return std::nullopt;
  const Sizes sizes(schedule.size);
  const Collective collective = schedule.collective;
  const auto form = [&]() -> std::optional<ClosedForm> {
    if (schedule.window) return window_form(collective, schedule.algorithm, sizes);
    switch (schedule.algorithm) {
      case Algorithm::ring:
        return ring_form(collective, sizes);
      case Algorithm::tree:
        return tree_form(collective, sizes);
      case Algorithm::one_shot:
        return one_shot_form(collective, sizes);
      case Algorithm::two_shot:
        return two_shot_form(collective, sizes);
      case Algorithm::halving_doubling:
        return halving_doubling_form(collective, sizes);
      case Algorithm::bruck:
        return bruck_form(collective, sizes);
      default:
        return std::nullopt;
    }
  }();
  if (!form || schedule.size > 1) return form;
  ClosedForm alone = *form;
  alone.cost = {};
  return alone;
}

}  // namespace tutti::plan
