/// @file  Findings as text for people, JSON for programs, SARIF for code hosts.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"

namespace tutti::cli {

enum class ReportFormat { text, json, sarif };

/// "text", "json", "sarif"; nothing for other words.
std::optional<ReportFormat> report_format_named(std::string_view name);

struct ReportOptions {
  ReportFormat format = ReportFormat::text;
  bool quiet = false;                ///< no notes
  std::string page{};                ///< where the ids are explained: "docs/env.md"
  std::vector<std::string> story{};  ///< sentences before the findings
  std::string headline{};            ///< right before them
  std::string nothing{};             ///< what the text says when there is no finding
};

/// Writes the findings, and in text a line of totals.
void write_report(std::span<const Finding> findings, const ReportOptions& options, std::ostream& out);

/// Throws Error(invalid_argument) unless the name is a form.
ReportFormat parse_report_format(const std::string& name);

}  // namespace tutti::cli
