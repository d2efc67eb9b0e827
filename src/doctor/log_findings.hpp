/// @file  What an NCCL log says went wrong: the first cause on top, each with its rank and its remedies in order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "doctor/log_facts.hpp"

namespace tutti::doctor {

struct LogReport {
  std::vector<std::string> story{};  ///< what was used, in sentences
  std::vector<Finding> findings{};   ///< the first cause first, then the worst
  bool failed = false;               ///< is the first finding what ended the job?
  bool any_line = false;             ///< is a line of NCCL's in it at all?
};

/// `name` is the file's, for places. Never throws for content.
LogReport read_log(std::string_view text, const std::string& name);

/// What facts alone give away: sockets in place of InfiniBand, GPUDirect off, wrong interfaces, ranks that never came.
std::vector<Finding> findings_of_facts(const LogFacts& facts);

/// "a packet to 10.0.0.2 …": a better sentence where a line tells more. Nothing when it does not.
std::optional<std::string> decode_ib_error(std::string_view line, const LogFacts& facts);

}  // namespace tutti::doctor
