#include "plan/proof/meaning.hpp"

namespace tutti::plan {

Meaning::Meaning(const Schedule& schedule) : schedule_(schedule), reduces_(tutti::reduces(schedule.collective)) {
  if (is_pairwise(schedule.collective)) pair_ = pair_of(schedule);
}

bool Meaning::holds(int rank, Place place, int block) const {
  if (place == Place::scratch) return true;
  const bool input = place == Place::input;
  switch (schedule_.collective) {
    case Collective::reduce:
      return input || rank == schedule_.root;
    case Collective::broadcast:
      return !input || rank == schedule_.root;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
      return input || block == rank;
    case Collective::all_gather:
    case Collective::all_gather_v:
      return !input || block == rank;
    case Collective::gather:
      return input ? block == rank : rank == schedule_.root;
    case Collective::scatter:
      return input ? rank == schedule_.root : block == rank;
    case Collective::send:
    case Collective::recv:
      return rank == (input ? pair_.sender : pair_.receiver);
    case Collective::all_reduce:
    case Collective::all_to_all:
    case Collective::all_to_all_v:
    case Collective::barrier:
      return true;
  }
  return false;
}

Ranks Meaning::parts(int rank, int block) const {
  switch (schedule_.collective) {
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::gather:
      return only(block);
    case Collective::broadcast:
    case Collective::scatter:
      return only(schedule_.root);
    case Collective::all_to_all:
    case Collective::all_to_all_v:
      return only(around(rank - block, schedule_.size));
    case Collective::send:
    case Collective::recv:
      return only(pair_.sender);
    default:
      return all();
  }
}

int Meaning::twin(int block) const {
  const bool exchanged =
      schedule_.collective == Collective::all_to_all || schedule_.collective == Collective::all_to_all_v;
  return exchanged && block != 0 ? schedule_.size - block : block;
}

}  // namespace tutti::plan
