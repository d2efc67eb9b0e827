/// @file  HostPreparation: a schedule made concrete for one rank and one size: its steps in a row, and the chunks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "run/engine.hpp"
#include "run/host/reduce.hpp"
#include "run/host/team.hpp"
#include "tutti/base/request.hpp"
#include "tutti/plan/layout.hpp"
#include "tutti/plan/schedule.hpp"

namespace tutti::host {

/// Reads nothing but its arguments and is not changed by the runs that use it. The steps are those of plan/, asked for
/// once instead of at every call.
class HostPreparation final : public Preparation {
 public:
  HostPreparation(const Decision& decision, const Request& request, const Team& team);
  /// Of `count` bytes to each rank by one_shot packets: for what the ranks must agree on before a call.
  HostPreparation(Collective collective, std::size_t bytes, const Team& team);

  struct Lane {
    int first = 0;  ///< in `steps`
    int steps = 0;
  };

  plan::Schedule schedule;
  plan::Layout layout;
  Protocol protocol;
  std::size_t element_size;
  std::size_t in_bytes;  ///< of the buffers
  std::size_t out_bytes;
  std::size_t chunk = 1;  ///< elements
  std::size_t rounds = 0;
  std::size_t scratch_bytes = 0;
  Loop loop = nullptr;  ///< null: the collective does not reduce
  int lane_count = 0;
  Lane lanes[plan::max_lanes];
  std::vector<plan::Step> steps;

  /// The same call by messages, for when not every buffer can be reached; made when first needed.
  std::unique_ptr<HostPreparation> without_window;

 private:
  void lay_out(const Team& team);
};

}  // namespace tutti::host
