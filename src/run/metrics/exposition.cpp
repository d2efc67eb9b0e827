#include "run/metrics/exposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tutti::metrics {

namespace {

/// Backslash, quote and line break are the only ones that mean something in a label or a help text.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view kind_word(Kind kind, Style style) {
  switch (kind) {
    case Kind::counter:
      return "counter";
    case Kind::histogram:
      return "histogram";
    case Kind::info:
      return style == Style::openmetrics ? "info" : "gauge";
    case Kind::gauge:
      break;
  }
  return "gauge";
}

std::string_view sample_suffix(Kind kind) {
  if (kind == Kind::counter) return "_total";
  return kind == Kind::info ? "_info" : "";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

std::string_view Exposition::content_type(Style style) {
  return style == Style::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                     : "text/plain; version=0.0.4; charset=utf-8";
}

void Exposition::family(std::string_view name, Kind kind, std::string_view unit, std::string_view help) {
  name_ = name;
  kind_ = kind;
  auto out = std::back_inserter(text_);
  // The older format names what its samples are called.
  const std::string_view suffix = style_ == Style::prometheus ? sample_suffix(kind) : "";
  fmt::format_to(out, "# HELP {}{} {}\n# TYPE {}{} {}\n", name, suffix, escaped(help), name, suffix,
                 kind_word(kind, style_));
  if (!unit.empty() && style_ == Style::openmetrics) fmt::format_to(out, "# UNIT {} {}\n", name, unit);
}

void Exposition::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  const auto add = [&](std::string_view name, const std::string& text) {
    fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", before, name, escaped(text));
    before = ',';
  };
  for (const auto& [name, text] : labels) add(name, text);
  for (const auto& [name, text] : everywhere_) {
    const auto same = [name = name](const auto& each) { return each.first == name; };
    if (std::none_of(labels.begin(), labels.end(), same)) add(name, text);
  }
  if (before == ',') text_ += '}';
  text_ += ' ';
  text_ += value;
  text_ += '\n';
}

void Exposition::sample(const Labels& labels, std::uint64_t value) {
  line(sample_suffix(kind_), labels, fmt::format("{}", value));
}

void Exposition::sample(const Labels& labels, double value) { line(sample_suffix(kind_), labels, number(value)); }

void Exposition::sample(const Labels& labels, const Histogram& histogram) {
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    below += histogram.in_bucket(i);
    with_bound.back().second = number(histogram.bounds()[i]);
    line("_bucket", with_bound, fmt::format("{}", below));
  }
  with_bound.back().second = "+Inf";
  line("_bucket", with_bound, fmt::format("{}", histogram.count()));
  line("_sum", labels, number(histogram.sum()));
  line("_count", labels, fmt::format("{}", histogram.count()));
}

std::string Exposition::finish() && {
  text_ += "# EOF\n";
  return std::move(text_);
}

}  // namespace tutti::metrics
