/// @file  TwoLevelOperation: one call between hosts: wait for its turn, agree with the others, carry out its recipe.
#pragma once

#include <memory>
#include <vector>

#include "run/host/call_signature.hpp"
#include "run/operation.hpp"
#include "run/two_level/pipeline.hpp"
#include "run/two_level/two_level_engine.hpp"
#include "tutti/base/error.hpp"

namespace tutti::two_level {

class TwoLevelOperation final : public Operation {
 public:
  explicit TwoLevelOperation(TwoLevelEngine& engine) : engine_(engine), pipeline_(engine.team_.size()) {}

  /// A new use. Buffers and tables of the request stay valid until the operation is finished.
  void begin(const Decision& decision, const Request& request, std::unique_ptr<Recipe> recipe,
             TwoLevelEngine::Queue& queue);

  bool advance() override;
  void check_peers() override;
  std::exception_ptr timed_out() override;
  void failed(const std::exception_ptr& error) noexcept override;
  void released(const std::exception_ptr& unseen) noexcept override;

 private:
  enum class Stage : std::uint8_t { queued, checking, playing };

  bool advance_stages();
  void begin_check();
  Context context() const;

  TwoLevelEngine& engine_;
  TwoLevelEngine::Queue* queue_ = nullptr;
  std::uint64_t turn_ = 0;
  Stage stage_ = Stage::queued;
  bool harmless_ = false;  ///< its failure leaves the communicator as it was
  Decision decision_;
  Request request_;
  std::unique_ptr<Recipe> recipe_;  ///< until it plays
  Pipeline pipeline_;
  std::unique_ptr<Transfer> check_;
  std::shared_ptr<std::vector<host::CallSignature>> signatures_;  ///< [1 + size]: mine, then everybody's
};

}  // namespace tutti::two_level
