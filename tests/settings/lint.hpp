/// @file  Short ways to lint a text and to look for findings.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "settings/lint.hpp"
#include "settings/read.hpp"

namespace tutti::settings {

inline std::vector<Finding> findings_of(const std::string& text, LintOptions options = {}) {
  return lint(read_settings(text, "job.sh"), options);
}

/// The first finding with this id; one without an id when there is none.
inline Finding finding(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.id == id; });
  return found == findings.end() ? Finding{} : *found;
}

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace tutti::settings
