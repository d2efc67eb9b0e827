/// @file  TwoLevelOperation: one call between hosts: wait for its turn, agree with the others, carry out its recipe.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "run/host/call_signature.hpp"
#include "run/host/peer_watch.hpp"
#include "run/operation.hpp"
#include "run/two_level/pipeline.hpp"
#include "run/two_level/two_level_engine.hpp"

namespace tutti::two_level {

class TwoLevelOperation final : public Operation {
 public:
  explicit TwoLevelOperation(TwoLevelEngine& engine)
      : Operation(true), engine_(engine), pipeline_(engine.team_.size()) {}

  /// A new use. `recipe` is the engine's, or `own` when it cannot be kept for other calls.
  void begin(const Decision& decision, const Request& request, Recipe& recipe, std::unique_ptr<Recipe> own,
             CallLine& line);

  bool advance() override;
  void check_peers() override;
  std::exception_ptr timed_out() override;
  Waiting waiting() const override;
  void failed(const std::exception_ptr& error) noexcept override;
  void released(const std::exception_ptr& unseen) noexcept override;

 private:
  enum class Stage : std::uint8_t { queued, checking, checking_tables, playing };

  bool advance_stages();
  template <class Check>
  void compare(const Check& check);
  void begin_check();
  void begin_table_check();
  void play();
  Context context() const;

  TwoLevelEngine& engine_;
  Stage stage_ = Stage::queued;
  CallLine* line_ = nullptr;
  std::uint64_t turn_ = 0;
  bool harmless_ = false;     ///< its failure leaves the communicator as it was
  bool queued_long_ = false;  ///< its turn had not come when it was made
  std::chrono::milliseconds timeout_{};
  Decision decision_;
  Request request_;
  Recipe* recipe_ = nullptr;
  std::unique_ptr<Recipe> own_;
  Pipeline pipeline_;
  std::unique_ptr<Transfer> check_;
  std::shared_ptr<std::vector<host::CallSignature>> signatures_;  ///< [1 + size]: mine, then everybody's
  std::shared_ptr<std::vector<std::uint64_t>>
      tables_;  ///< [1 + size][2 * size]: the counts of an all_to_all_v, likewise
  host::PeerWatch peer_watch_;
};

}  // namespace tutti::two_level
