#include "bootstrap/variables.hpp"

#include <fmt/format.h>

#include <charconv>

#include "bootstrap/bytes.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

void refuse_variable(const std::string& name, const std::string& value, const std::string& why,
                     const std::string& remedy) {
  throw Error(Code::invalid_argument, fmt::format("{}={} {}", name, printable(value), why), {.remedy = remedy});
}

std::string Variables::first_of(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    auto value = lookup_(name);
    if (value && !value->empty()) return *value;
  }
  return {};
}

std::optional<int> Variables::number(const std::string& name, int least, int most) const {
  const auto value = lookup_(name);
  if (!value) return std::nullopt;
  int number = 0;
  const char* end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc{} || rest != end) {
    refuse_variable(name, value->empty() ? "(empty)" : *value, "is not a whole number", "set or unset it");
  }
  if (number < least || number > most) {
    refuse_variable(name, *value, fmt::format("is not from {} to {}", least, most), "set or unset it");
  }
  return number;
}

int Variables::required(const std::string& name, int least, int most, const std::string& because) const {
  if (const auto value = number(name, least, most)) return *value;
  throw Error(Code::invalid_argument, fmt::format("{} is set, but {} is not", because, name),
              {.remedy = fmt::format("set {} too, or unset {}", name, because)});
}

}  // namespace tutti
