/// @file  Library: the NCCL that was found at run time: its calls, its version, and what that version can.
#pragma once

#include <string>

#include "run/nccl/nccl_api.hpp"
#include "tutti/base/error.hpp"

namespace tutti::nccl {

/// The number of a version, as NCCL counts: 2.9.9 is 20909, 2.28.9 is 22809.
constexpr int version_number(int major, int minor, int patch) { return 10000 * major + 100 * minor + patch; }
inline constexpr int oldest_version = version_number(2, 9, 9);
inline constexpr int layout_version = version_number(2, 28, 0);  ///< the newest that nccl_api.hpp declares
std::string version_text(int version);

struct Library {
  Calls calls{};
  int version = 0;
  std::string trouble{};  ///< why it cannot be used; empty: it can
  std::string remedy{};

  bool has(int minor) const { return version >= version_number(2, minor, 0); }
  bool non_blocking() const { return has(14) && calls.CommInitRankConfig != nullptr; }
  bool native_all_to_all() const {
    return has(28) && calls.AlltoAll != nullptr && calls.Gather != nullptr && calls.Scatter != nullptr;
  }
  bool can_split() const { return has(18) && calls.CommSplit != nullptr; }
  bool can_shrink() const { return has(27) && calls.CommShrink != nullptr; }
  bool premultiplied() const { return has(11) && calls.RedOpCreatePreMulSum != nullptr; }
  bool windows() const { return has(27) && calls.CommWindowRegister != nullptr; }
  bool registration() const { return has(19) && calls.CommRegister != nullptr; }

  /// Throws for a result that is neither success nor in progress: cause, NCCL's own words, remedy.
  void check(Result result, const char* call, Comm comm = nullptr, const Context& context = {}) const;
};

/// Loads it when first asked for under this name (empty: libnccl.so.2). Never throws; kept until the process ends.
const Library& library(const std::string& name = {});

}  // namespace tutti::nccl
