#include "run/host/reduce_targets.hpp"

#include "hwy/targets.h"
#include "run/host/reduce_table.hpp"

namespace tutti::host {

int instruction_set_count() {
  hwy::SetSupportedTargetsForTest(0);
  return static_cast<int>(hwy::SupportedAndGeneratedTargets().size());
}

const char* use_instruction_set(int index) {
  forget_loops();
  hwy::SetSupportedTargetsForTest(0);
  if (index < 0) return "best";
  const auto target = hwy::SupportedAndGeneratedTargets().at(static_cast<std::size_t>(index));
  hwy::SetSupportedTargetsForTest(target);
  return hwy::TargetName(target);
}

}  // namespace tutti::host
