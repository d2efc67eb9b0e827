#include "conformance/case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/host/arena.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::conformance {

std::string describe(const Case& c) {
  std::string text = fmt::format("{} by {} over {}, {}, {} elements, {} ranks", name(c.collective), name(c.algorithm),
                                 name(c.protocol), arithmetic(c.type, c.op)->name(), count_of(c), c.ranks);
  if (has_root(c.collective)) text += fmt::format(", root {}", root_of(c));
  if (c.in_place) text += ", in place";
  if (c.deterministic) text += ", deterministic";
  if (c.home == Home::allocated) text += ", allocated";
  if (c.misaligned != 0) text += fmt::format(", misaligned by {}", c.misaligned);
  if (c.style == Style::outstanding) text += ", outstanding";
  if (c.style == Style::grouped) text += ", grouped";
  if (c.check_across_ranks) text += ", checked";
  if (c.progress_thread) text += ", progress thread";
  return text;
}

const char* unsupported(const Case& c) {
  if (reduces(c.collective) == (c.op == Operator::none)) return "operators are for collectives that reduce";
  const Arithmetic* const kind = arithmetic(c.type, c.op);
  if (kind == nullptr) return "the type has no such operator";
  if (!has_root(c.collective) && c.root != Root::first) return "no root";
  if (is_pairwise(c.collective) && c.ranks == 1) return "nobody to send to";
  if (c.in_place && (is_pairwise(c.collective) || c.collective == Collective::all_to_all_v)) return "two buffers only";

  const auto schedule = [&](Algorithm algorithm, bool window) {
    return plan::Schedule{c.collective, algorithm, window, c.ranks, root_of(c)};
  };
  const bool window = c.protocol == Protocol::window;
  if (window && c.op == Operator::premultiplied_sum) return "a peer does not know the factor";
  if (window && (c.collective == Collective::all_to_all_v || is_pairwise(c.collective))) return "no window";
  if (c.algorithm == Algorithm::automatic || c.algorithm == Algorithm::direct) return nullptr;
  if (const char* reason = plan::unsupported(schedule(c.algorithm, window))) return reason;
  const bool ordered = c.deterministic || c.op == Operator::own_ordered;
  if (reduces(c.collective) && ordered && !plan::in_rank_order(schedule(c.algorithm, window)))
    return "not in rank order";
  return nullptr;
}

int root_of(const Case& c) {
  if (!has_root(c.collective)) return 0;
  switch (c.root) {
    case Root::middle:
      return c.ranks / 2;
    case Root::last:
      return c.ranks - 1;
    default:
      return 0;
  }
}

std::size_t count_of(const Case& c) {
  const auto ranks = static_cast<std::size_t>(c.ranks);
  const host::ArenaShape arena = host::ArenaShape::for_ranks(c.ranks);
  const std::size_t slot =
      std::max<std::size_t>(2, arena.slots(c.protocol).capacity / arithmetic(c.type, c.op)->size());
  switch (c.count) {
    case Count::zero:
      return 0;
    case Count::one:
      return 1;
    case Count::two:
      return 2;
    case Count::three:
      return 3;
    case Count::ranks_less_one:
      return ranks - 1;
    case Count::ranks:
      return ranks;
    case Count::ranks_and_one:
      return ranks + 1;
    case Count::seventeen:
      return 17;
    case Count::sixty_three:
      return 63;
    case Count::sixty_four:
      return 64;
    case Count::sixty_five:
      return 65;
    case Count::thousand:
      return 1000;
    case Count::slot_less_one:
      return slot - 1;
    case Count::slot:
      return slot;
    case Count::slot_and_one:
      return slot + 1;
    case Count::several_slots: {  // of a vector that is divided, every block has several; more of them than a wire has
      const std::size_t several = c.protocol == Protocol::packet ? slot * 17 / 2 : slot * 5 / 2;
      return (c.collective == Collective::all_reduce ? several * ranks : several) + 3;
    }
  }
  return 0;
}

std::size_t uneven_count(const Case& c, int from, int to) {
  const std::size_t base = count_of(c);
  switch ((3 * from + to) % 4) {  // some nothing, some little, some twice as much
    case 0:
      return base;
    case 1:
      return base / 2;
    case 2:
      return (from + to) % 3 == 0 ? 0 : base + 1;
    default:
      return from == to ? base : 2 * base;
  }
}

}  // namespace tutti::conformance
