/// @file  Finding: what a checker has to say about one thing, with its evidence and its remedy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace tutti {

/// How bad it is: a note is worth knowing, a warning costs speed or fails sometimes, an error fails.
enum class Severity : int { note, warning, error };

constexpr const char* name(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

struct Finding {
  std::string id{};  ///< stable, for people and machines: "env-misspelt"
  Severity severity = Severity::note;
  std::string place{};     ///< a file, a host, a rank; may be empty
  std::size_t line = 0;    ///< in that file; 0: none
  std::string subject{};   ///< what it is about: "NCCL_IB_TIMOUT", "mlx5_3"
  std::string what{};      ///< one sentence
  std::string evidence{};  ///< what was seen, and where; may be empty
  std::string remedy{};    ///< what to do, exactly; empty: nothing

  bool operator==(const Finding&) const = default;
};

/// The worst first; those that are equally bad keep their order.
inline void sort_by_severity(std::span<Finding> findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

/// 0: notes at most; 2: a warning; 3: an error.
inline int exit_status(std::span<const Finding> findings) {
  Severity worst = Severity::note;
  for (const Finding& finding : findings) worst = std::max(worst, finding.severity);
  return worst == Severity::error ? 3 : worst == Severity::warning ? 2 : 0;
}

}  // namespace tutti
