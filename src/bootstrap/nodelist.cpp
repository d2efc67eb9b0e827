#include "bootstrap/nodelist.hpp"

namespace tutti {

std::optional<std::string> first_host(std::string_view nodelist) {
  std::string host;
  while (!nodelist.empty() && nodelist.front() != ',') {
    if (nodelist.front() == '[') {
      // "[01-03,07]": the text up to the first '-', ',' or the end is the first of them, zeros and all.
      const auto close = nodelist.find(']');
      if (close == std::string_view::npos) return std::nullopt;
      const auto inside = nodelist.substr(1, close - 1);
      const auto first = inside.substr(0, inside.find_first_of("-,"));
      if (first.empty() || first.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
      host += first;
      nodelist = nodelist.substr(close + 1);
    } else {
      if (nodelist.front() <= ' ' || nodelist.front() == ']') return std::nullopt;
      host += nodelist.front();
      nodelist = nodelist.substr(1);
    }
  }
  if (host.empty()) return std::nullopt;
  return host;
}

}  // namespace tutti
