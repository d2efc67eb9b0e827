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

  /// `here`: the facts of this host's ranks. `stores`: that of the communicator, then those of the ones it was split from.
  TwoLevelEngine(Hosts hosts, host::Team& team, ProgressLoop& loop, const Facts& here, Settings settings,
                 std::vector<std::shared_ptr<Store>> stores);
  ~TwoLevelEngine() override;

  Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) override;
  void abort() noexcept override;

 private:
  friend class TwoLevelOperation;

  void give_up() noexcept;
  /// Who gave up first, as far as is known here: a rank of all, or of a communicator that this one was split from.
  Alarm::Rung given_up();
  /// The rank of all that has this number on this host.
  int rank_here(int local) const { return hosts_.placement.on(hosts_.here())[static_cast<std::size_t>(local)]; }

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
