/// @file  Keeper: something that lives until its last handle and its last call are gone.
#pragma once

namespace tutti {

/// Counts the calls in progress, so that a call costs no atomic reference count. Whoever uses one takes turns, as all
/// users of one communicator do.
class Keeper {
 public:
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void hold() noexcept { ++works_; }
  /// Ends what `hold` began. May destroy the keeper.
  void let_go() noexcept {
    if (--works_ == 0 && orphaned_) delete this;
  }
  /// The last handle is gone. Destroys the keeper now, or when the last call lets go.
  void orphan() noexcept {
    orphaned_ = true;
    if (works_ == 0) delete this;
  }

 protected:
  Keeper() = default;
  virtual ~Keeper() = default;

 private:
  int works_ = 0;
  bool orphaned_ = false;
};

}  // namespace tutti
