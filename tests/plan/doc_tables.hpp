/// @file  The tables of docs/algorithms.md, line by line, as the code has them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/plan/closed_form.hpp"

namespace tutti::plan {

inline std::string cell(const Schedule& schedule) {
  if (unsupported(schedule) != nullptr) return "-";
  Schedule reaching = schedule;
  reaching.window = true;
  return unsupported(reaching) == nullptr ? "yes, window" : "yes";
}

/// collective × algorithm: is there a schedule, and is there one for windows?
inline std::vector<std::string> support_lines() {
  std::vector<std::string> lines;
  for (int c = 0; c < collective_count; ++c) {
    const auto collective = static_cast<Collective>(c);
    std::string line = "| " + std::string(name(collective)) + " |";
    for (const Algorithm algorithm : patterns) line += " " + cell({collective, algorithm, false, 2, 0}) + " |";
    lines.push_back(line);
  }
  return lines;
}

/// Why there is none; algorithms with the same reason share a line.
inline std::vector<std::string> reason_lines() {
  std::vector<std::string> lines;
  for (int c = 0; c < collective_count; ++c) {
    const auto collective = static_cast<Collective>(c);
    std::vector<std::pair<std::string, std::string>> reasons;  // reason, algorithms
    for (const Algorithm algorithm : patterns) {
      const char* reason = unsupported({collective, algorithm, false, 2, 0});
      if (reason == nullptr) continue;
      auto known = reasons.begin();
      while (known != reasons.end() && known->first != reason) ++known;
      if (known == reasons.end()) {
        reasons.emplace_back(reason, name(algorithm));
      } else {
        known->second += ", " + std::string(name(algorithm));
      }
    }
    for (const auto& [reason, algorithms] : reasons) {
      lines.push_back("| " + std::string(name(collective)) + " | " + algorithms + " | " + reason + " |");
    }
  }
  return lines;
}

/// Hops and blocks of every schedule.
inline std::vector<std::string> cost_lines() {
  std::vector<std::string> lines;
  for (int c = 0; c < collective_count; ++c) {
    for (const Algorithm algorithm : patterns) {
      for (const bool window : {false, true}) {
        const auto form = closed_form({static_cast<Collective>(c), algorithm, window, 2, 0});
        if (!form) continue;
        const std::string hops = !window                    ? form->hops
                                 : form->cost.barriers == 1 ? "1 barrier"
                                                            : std::to_string(form->cost.barriers) + " barriers";
        lines.push_back("| " + std::string(name(static_cast<Collective>(c))) + " | " + std::string(name(algorithm)) +
                        (window ? ", window" : "") + " | " + hops + " | " + form->blocks + " |");
      }
    }
  }
  return lines;
}

}  // namespace tutti::plan
