/// @file  Keeper: lives until its last handle and its last call are gone, whichever goes last.
#include "run/keeper.hpp"

#include <memory>

#include "catch.hpp"

using namespace tutti;

namespace {

struct Kept final : Keeper {
  explicit Kept(bool& gone) : gone_(gone) {}
  ~Kept() override { gone_ = true; }
  bool& gone_;
};

}  // namespace

TEST_CASE("without calls it goes with its last handle") {
  bool gone = false;
  auto* keeper = new Kept(gone);
  keeper->hold();
  keeper->let_go();
  CHECK_FALSE(gone);  // its handle is still there
  keeper->orphan();
  CHECK(gone);
}

TEST_CASE("with calls in progress it goes with the last of them") {
  bool gone = false;
  auto* keeper = new Kept(gone);
  keeper->hold();
  keeper->hold();
  keeper->orphan();
  CHECK_FALSE(gone);
  keeper->let_go();
  CHECK_FALSE(gone);
  keeper->let_go();
  CHECK(gone);
}
