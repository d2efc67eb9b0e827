#include "cli/top_samples.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "tutti/base/error.hpp"

namespace tutti::cli {

namespace {

std::optional<double> sample_value(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// Takes `name="value",` off the front.
bool take_label(std::string_view& text, Sample& sample) {
  const std::size_t equals = text.find("=\"");
  if (equals == std::string_view::npos) return false;
  const std::string name(text.substr(0, equals));
  text.remove_prefix(equals + 2);
  std::string value;
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\' && text.size() > 1) {
      text.remove_prefix(1);
      value += text.front() == 'n' ? '\n' : text.front();
    } else {
      value += text.front();
    }
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  if (text.starts_with(',')) text.remove_prefix(1);
  sample.labels[name] = std::move(value);
  return true;
}

std::optional<Sample> parse_sample(std::string_view line) {
  Sample sample;
  const std::size_t end = line.find_first_of("{ ");
  if (end == 0 || end == std::string_view::npos) return {};
  sample.name = line.substr(0, end);
  line.remove_prefix(end);
  if (line.starts_with('{')) {
    line.remove_prefix(1);
    while (!line.starts_with('}')) {
      if (!take_label(line, sample)) return {};
    }
    line.remove_prefix(1);
  }
  if (!line.starts_with(' ')) return {};
  line.remove_prefix(1);
  const auto value = sample_value(line.substr(0, line.find(' ')));
  if (!value) return {};
  sample.value = *value;
  return sample;
}

}  // namespace

std::vector<Sample> parse_samples(std::string_view page, const std::string& source) {
  std::vector<Sample> samples;
  for (std::size_t number = 1; !page.empty(); ++number) {
    const std::size_t end = page.find('\n');
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    auto sample = parse_sample(line);
    if (!sample) {
      throw Error(Code::invalid_argument, fmt::format("{}: line {} is no sample of a metric", source, number),
                  {.remedy = "name the port, the address or the folder that TUTTI_METRICS names"});
    }
    samples.push_back(std::move(*sample));
  }
  return samples;
}

void Buckets::add(const Buckets& other, double sign) {
  for (const auto& [bound, values] : other.below) below[bound] += sign * values;
  sum += sign * other.sum;
}

std::optional<double> Buckets::quantile(double q) const {
  const double wanted = q * count();
  if (!(wanted > 0)) return {};
  double from = 0, before = 0;
  for (const auto& [bound, values] : below) {
    if (values >= wanted) {
      if (std::isinf(bound)) return from;
      return from + (bound - from) * (wanted - before) / (values - before);
    }
    from = bound;
    before = values;
  }
  return from;
}

}  // namespace tutti::cli
