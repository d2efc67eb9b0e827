#include "topology/sysfs.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "tutti/base/unique_fd.hpp"

namespace tutti {

std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t limit) {
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return {};
  std::string text;
  for (;;) {
    const std::size_t had = text.size();
    const std::size_t want = std::min<std::size_t>(limit - had, 4096);
    if (want == 0) break;
    text.resize(had + want);
    const ssize_t got = ::read(file.fd(), text.data() + had, want);
    text.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got < 0) return {};
    if (got == 0) break;
  }
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::optional<long> read_number(const std::filesystem::path& path) {
  const auto text = read_small_file(path, 64);
  if (!text) return {};
  std::string_view digits = *text;
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  long value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return value;
}

std::optional<std::size_t> parse_kernel_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > (std::size_t{1} << 44)) return {};
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  if (unit == "K") return value << 10;
  if (unit == "M") return value << 20;
  if (unit == "G" && value <= (std::size_t{1} << 24)) return value << 30;
  return {};
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tutti
