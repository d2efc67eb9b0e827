/// @file  Which patterns suit which collectives, and what speaks against the others.
#include "tutti/plan/schedule.hpp"

namespace tutti::plan {

namespace {

/// Column by column as Algorithm lists them, without the questions: ring, tree, one_shot, two_shot,
/// halving_doubling, bruck. nullptr: there is such a schedule.
struct Row {
  const char* ring;
  const char* tree;
  const char* one_shot;
  const char* two_shot;
  const char* halving_doubling;
  const char* bruck;
};

constexpr const char* yes = nullptr;
constexpr const char* only_pairwise = "one message from one rank to another has no pattern: one_shot is it";
constexpr const char* no_second_shot = "it is done after the first shot: one_shot";
constexpr const char* root_is_the_limit = "all data passes the root's links anyway: one_shot, or tree for few bytes";
constexpr const char* bundles_meet = "halving the distance is what the binomial tree does: tree";
constexpr const char* bruck_copies = "Bruck copies, it does not combine: halving_doubling";
constexpr const char* bruck_has_no_root = "Bruck has no root: tree";
constexpr const char* every_block_at_top = "every block would pass the top: halving_doubling takes as few hops";
constexpr const char* blocks_go_their_way = "every block has its own way: one_shot, or bruck for few bytes";
constexpr const char* counts_unknown = "ranks in between cannot know the counts of others: one_shot";

constexpr Row row(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return {yes, yes, yes, yes, yes, bruck_copies};
    case Collective::reduce:
      return {yes, yes, yes, yes, yes, bruck_copies};
    case Collective::broadcast:
      return {yes, yes, yes, yes, yes, bruck_has_no_root};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return {yes, every_block_at_top, yes, no_second_shot, yes, bruck_copies};
    case Collective::all_gather:
    case Collective::all_gather_v:
      return {yes, every_block_at_top, yes, no_second_shot, yes, yes};
    case Collective::gather:
    case Collective::scatter:
      return {root_is_the_limit, yes, yes, no_second_shot, bundles_meet, bruck_has_no_root};
    case Collective::all_to_all:
      return {blocks_go_their_way, blocks_go_their_way, yes, no_second_shot, blocks_go_their_way, yes};
    case Collective::all_to_all_v:
      return {counts_unknown, counts_unknown, yes, no_second_shot, counts_unknown, counts_unknown};
    case Collective::barrier:
      return {yes, yes, yes, no_second_shot, "Bruck's dissemination takes as few hops, without helpers: bruck", yes};
    case Collective::send:
    case Collective::recv:
      return {only_pairwise, only_pairwise, yes, only_pairwise, only_pairwise, only_pairwise};
  }
  return {};
}

const char* reason(Collective collective, Algorithm algorithm) {
  const Row reasons = row(collective);
  switch (algorithm) {
    case Algorithm::ring:
      return reasons.ring;
    case Algorithm::tree:
      return reasons.tree;
    case Algorithm::one_shot:
      return reasons.one_shot;
    case Algorithm::two_shot:
      return reasons.two_shot;
    case Algorithm::halving_doubling:
      return reasons.halving_doubling;
    case Algorithm::bruck:
      return reasons.bruck;
    case Algorithm::automatic:
    case Algorithm::direct:
      return "a question, not a pattern: choose answers it";
    case Algorithm::mpi:
      return "an engine's own call, not a pattern";
  }
  return "no such algorithm";
}

}  // namespace

const char* unsupported(const Schedule& schedule) {
  const Collective collective = schedule.collective;
  if (schedule.size < 1) return "a schedule needs at least one rank";
  const bool names_rank = has_root(collective) || is_pairwise(collective);
  if (names_rank && (schedule.root < 0 || schedule.root >= schedule.size)) return "the root or peer is not a rank";
  if (is_pairwise(collective) && schedule.size == 1) return "a rank alone has nobody to send to";
  if (const char* why = reason(collective, schedule.algorithm)) return why;
  if (!schedule.window || window::exists(collective, schedule.algorithm)) return nullptr;
  if (collective == Collective::all_to_all_v) return "a rank does not know where in its peers' inputs its part begins";
  if (is_pairwise(collective)) return "a message must not wait for all ranks at a barrier";
  return "between windows one or two shots do it: one_shot, two_shot";
}

}  // namespace tutti::plan
