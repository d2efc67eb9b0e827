/// @file  HostOperation: one call on the host engine: wait for its turn, agree with the others, play the
/// schedule.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "run/host/call_signature.hpp"
#include "run/host/host_engine.hpp"
#include "run/host/peer_watch.hpp"
#include "run/host/schedule_run.hpp"
#include "run/operation.hpp"
#include "tutti/base/error.hpp"

namespace tutti::host {

class HostOperation final : public Operation {
 public:
  explicit HostOperation(HostEngine& engine) : engine_(engine), run_(engine.team_.size()) {}

  /// A new use. The request's buffers stay valid until the operation is finished; of the request itself is kept what the
  /// plan does not know.
  void begin(const Request& request, HostPreparation& plan, CallLine& line) {
    in_ = request.in;
    out_ = request.out;
    op_ = &plan.request.op;
    if (request.op.kind == Op::premultiplied_sum || request.op.kind == Op::user) [[unlikely]] {
      own_op_ = request.op;
      op_ = &own_op_;
    }
    plan_ = &plan;
    ++plan.users;
    line_ = &line;
    turn_ = line.issued++;
    stage_ = Stage::queued;
    harmless_ = false;
    known_to_all_ = false;
    queued_long_ = false;
    peer_watch_.start();
    timeout_ = request.options.timeout.count() < 0 ? engine_.settings_.timeout : request.options.timeout;
    start(engine_.loop_, timeout_, engine_.settings_.recorder,
          engine_.settings_.recorder->enter(request, plan.decision, turn_, engine_.settings_.recorded_as));
  }
  /// The plan is for this use alone.
  void keep(std::unique_ptr<HostPreparation> plan) { own_plan_ = std::move(plan); }

  bool advance() override;
  void check_peers() override;
  std::exception_ptr timed_out() override;
  Waiting waiting() const override;
  void failed(const std::exception_ptr& error) noexcept override;
  void released(const std::exception_ptr& unseen) noexcept override;

 private:
  enum class Stage : std::uint8_t { queued, checking, checking_tables, playing };

  friend class HostEngine;  // for `next_idle_`

  bool comes_to_play();
  /// Its turn has come: the others may see which call it is. True when the ranks are to compare their calls first.
  bool show();
  void compare_shown() const;
  void begin_check();
  void begin_table_check();
  template <class Check>
  void compare(const Check& check);
  void play(HostPreparation& plan) {
    stage_ = Stage::playing;
    run_.begin(plan, in_, out_, *op_, engine_.team_);
  }
  void released_rarely(const std::exception_ptr& unseen) noexcept;
  void play_without_window();
  Request request() const;
  Context context() const;

  HostEngine& engine_;
  HostOperation* next_idle_ = nullptr;
  CallLine* line_ = nullptr;
  std::uint64_t turn_ = 0;
  Stage stage_ = Stage::queued;
  bool harmless_ = false;      ///< its failure leaves the communicator as it was
  bool known_to_all_ = false;  ///< all ranks find its failure by themselves
  bool queued_long_ = false;   ///< its turn had not come when it was made
  const void* in_ = nullptr;
  void* out_ = nullptr;
  std::chrono::milliseconds timeout_{};
  ReduceOp own_op_;               ///< an operator that is not the same in all calls like this one
  const ReduceOp* op_ = nullptr;  ///< that, or the plan's
  HostPreparation* plan_ = nullptr;
  std::unique_ptr<HostPreparation> own_plan_;
  ScheduleRun run_;
  std::vector<CallSignature> signatures_;  ///< [1 + size]: mine, then everybody's; empty when nobody checks
  std::vector<std::uint64_t> tables_;      ///< [1 + size][2 * size]: the counts of an all_to_all_v, likewise
  PeerWatch peer_watch_;
};

}  // namespace tutti::host
