#include "topology/cpu_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "topology/text.hpp"

namespace tutti {

namespace {

std::string_view cut(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto word = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return trim(word);
}

std::optional<int> cpu_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > max_cpu) return {};
  return value;
}

}  // namespace

std::optional<std::vector<int>> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  bool ascends = true;
  for (auto rest = trim(text); !rest.empty();) {
    auto range = cut(rest, ',');
    const bool is_range = range.find('-') != std::string_view::npos;
    const auto first = cpu_number(cut(range, '-'));
    const auto last = is_range ? cpu_number(trim(range)) : first;
    if (!first || !last || *last < *first) return {};
    ascends = ascends && (cpus.empty() || cpus.back() < *first);
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (cpus.size() > 16 * max_cpu) return {};  // "0-65535,0-65535,…"
  }
  if (!ascends) {
    std::sort(cpus.begin(), cpus.end());
    cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  }
  return cpus;
}

std::optional<std::vector<int>> parse_cpu_mask(std::string_view text) {
  std::vector<std::uint32_t> words;  // highest first
  for (auto rest = trim(text); !rest.empty();) {
    const bool more = rest.find(',') != std::string_view::npos;
    auto word = cut(rest, ',');
    if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
    std::uint32_t bits = 0;
    if (!word.empty()) {
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
      if (error != std::errc{} || end != word.data() + word.size()) return {};
    }
    words.push_back(bits);
    if (more && rest.empty()) words.push_back(0);  // "ff," ends with an empty word
    if (words.size() > (max_cpu + 1) / 32) return {};
  }
  std::vector<int> cpus;
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      if (words[words.size() - 1 - word] >> bit & 1U) cpus.push_back(static_cast<int>(word) * 32 + bit);
    }
  }
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string format_cpu_mask(const std::vector<int>& cpus) {
  std::vector<std::uint32_t> words(cpus.empty() ? 1 : static_cast<std::size_t>(cpus.back()) / 32 + 1);
  for (const int cpu : cpus) words[static_cast<std::size_t>(cpu) / 32] |= 1U << (cpu % 32);
  std::string text;
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    if (!text.empty()) text += ',';
    text += fmt::format("{:08x}", *word);
  }
  return text;
}

}  // namespace tutti
