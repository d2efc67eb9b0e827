/// @file  TwoLevelEngine: collectives among the ranks of several hosts, on CPU memory: shared memory in, a network
/// between them.
#pragma once

#include <memory>
#include <vector>

#include "choose/choose.hpp"
#include "run/call_lines.hpp"
#include "run/engine.hpp"
#include "run/host/host_engine.hpp"
#include "run/host/team.hpp"
#include "run/progress_loop.hpp"
#include "run/trouble.hpp"
#include "run/two_level/alarm.hpp"
#include "run/two_level/hosts.hpp"
#include "run/two_level/staging.hpp"

namespace tutti::two_level {

class TwoLevelOperation;

/// Order of calls and consequences of failures are those of the host engine.
class TwoLevelEngine final : public Engine {
 public:
  using Settings = host::HostEngine::Settings;

  /// `here`: the facts of this host's ranks. `store`: that of the communicator.
  TwoLevelEngine(Hosts hosts, host::Team& team, ProgressLoop& loop, const Facts& here, Settings settings,
                 std::shared_ptr<Store> store);
  ~TwoLevelEngine() override;

  Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) override;
  void abort() noexcept override;

 private:
  friend class TwoLevelOperation;

  void give_up() noexcept;
  /// The rank, of all, that gave up first as far as is known here; -1: none.
  int given_up_by();

  Hosts hosts_;
  host::Team& team_;
  ProgressLoop& loop_;
  Facts here_;
  Settings settings_;
  Alarm alarm_;
  Staging staging_;
  CallLines lines_;
  Trouble trouble_;
  std::vector<std::unique_ptr<TwoLevelOperation>> operations_;
  std::vector<TwoLevelOperation*> idle_;
};

}  // namespace tutti::two_level
