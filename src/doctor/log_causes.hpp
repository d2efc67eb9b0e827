/// @file  Causes: lines of an NCCL log that tell what went wrong, what it means, and what to do, in order.
#pragma once

#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace tutti::doctor {

/// Which lines a cause may stand in.
enum class Where { warning, nccl, anywhere };

struct Cause {
  std::string_view id{};
  Severity severity = Severity::error;
  bool consequence = false;  ///< of something that went wrong elsewhere
  Where where = Where::nccl;
  std::string_view signs{};  ///< small letters; `|` between alternatives, `&` between what must stand in one line
  std::string_view what{};
  std::string_view remedies{};  ///< `|` in between, the likeliest first
};

/// The more specific first: a line has the first cause whose sign it bears.
std::span<const Cause> log_causes();

/// Does a line, in small letters, bear one of the signs?
bool bears_sign(std::string_view line, std::string_view signs);

}  // namespace tutti::doctor
