/// @file  HostEngine: collectives among the ranks of one host, on CPU memory.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "choose/choose.hpp"
#include "run/call_lines.hpp"
#include "run/engine.hpp"
#include "run/host/host_preparation.hpp"
#include "run/host/team.hpp"
#include "run/progress_loop.hpp"
#include "run/trouble.hpp"

namespace tutti::host {

class HostOperation;

/// Runs the schedules of plan/ over a Team.
///
/// Collectives of one engine run in the order they were submitted, which must be the same on all ranks; sends
/// and receives go beside them, in order for each peer and direction.
class HostEngine final : public Engine {
 public:
  struct Settings {
    std::chrono::milliseconds timeout{};
    bool check_across_ranks = false;
    FlightRecorder* recorder = nullptr;  ///< null: nobody takes notes
    std::uint16_t recorded_as = 0;       ///< FlightRecorder::join
  };
  HostEngine(Team& team, ProgressLoop& loop, Facts facts, Settings settings);
  ~HostEngine() override;

  Operation& run(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory) override;

  void abort() noexcept override;
  void set_facts(const Facts& facts) override { facts_ = facts; }

 private:
  friend class HostOperation;

  void throw_trouble();
  /// Whoever gave up has said over whose loss: that rank is what everybody is to be told of. `more` is said of it.
  void throw_if_lost(const std::string& more, const Context& where) const;
  HostPreparation& prepare(const Decision& decision, const Request& request, std::unique_ptr<Preparation>* memory);
  void add_operation();
  /// Is this collective to be compared across the ranks before it begins? Every one when the settings say so; else
  /// one of many, as that costs a call as long as a small one.
  bool compares(std::uint64_t turn) const {
    return settings_.check_across_ranks || turn % compared_one_in == compared_one_in - 1;
  }
  static constexpr std::uint64_t compared_one_in = 64;

  Team& team_;
  ProgressLoop& loop_;
  Facts facts_;
  Settings settings_;
  CallLines lines_;
  Trouble trouble_;
  std::uint64_t history_ = 0;                          ///< of the collectives begun
  std::unique_ptr<HostPreparation> check_plan_;        ///< for comparing calls; made when needed
  std::unique_ptr<HostPreparation> table_check_plan_;  ///< for comparing the tables of all_to_all_v; made when needed
  std::vector<std::unique_ptr<HostOperation>> operations_;
  HostOperation* idle_ = nullptr;  ///< the first of those that can be used, which knows the next
};

}  // namespace tutti::host
