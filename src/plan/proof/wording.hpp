/// @file  Wording: steps, blocks, sets of ranks and configurations in the words of a counter-example.
#pragma once

#include <string>

#include "plan/proof/meaning.hpp"
#include "tutti/plan/proof.hpp"

namespace tutti::plan {

/// A step of a rank, in a chunk.
struct Spot {
  int rank = 0;
  int lane = 0;
  int index = 0;
  int chunk = 0;
};

std::string to_string(const Spot& spot);          ///< "rank 1 lane 0 step 2 chunk 0"
std::string to_string(Place place);               ///< "input"
std::string to_string(const Blocks& blocks);      ///< "block 3", "blocks 3 … 5", "blocks 3 0 1"
std::string to_string(const Step& step);          ///< "combines own input with messages from 0 and 2; stores output"
std::string to_string(const Schedule& schedule);  ///< "reduce by ring, 3 ranks, root 1"
std::string to_string(const Conditions& conditions);  ///< "1 chunk, 2 slots, in place"

/// "{0,1,1,3}": those in `twice` named twice.
std::string members(Ranks ranks, Ranks twice = 0);
/// "contribution of rank 1 twice, of rank 2 never, of rank 5 uncalled for"
std::string difference(Ranks ranks, Ranks twice, Ranks expected);

}  // namespace tutti::plan
