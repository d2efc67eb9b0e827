/// @file  Variables: reading numbers and texts out of an Environment, with errors that name the variable.
#pragma once

#include <optional>
#include <string>

#include "tutti/base/environment.hpp"

namespace tutti {

class Variables {
 public:
  explicit Variables(const Environment& lookup) : lookup_(lookup) {}

  bool has(const std::string& name) const { return lookup_(name).has_value(); }
  std::optional<std::string> text(const std::string& name) const { return lookup_(name); }
  std::string text_or(const std::string& name, std::string otherwise) const {
    return lookup_(name).value_or(std::move(otherwise));
  }

  /// The first of the names that is set and not empty; "" when none is.
  std::string first_of(std::initializer_list<const char*> names) const;

  /// A whole number within bounds. Throws Error(invalid_argument) when it is not one; nothing when it is not set.
  std::optional<int> number(const std::string& name, int least, int most) const;

  /// The same, required: `because` says which variable makes it so.
  int required(const std::string& name, int least, int most, const std::string& because) const;

 private:
  const Environment& lookup_;
};

/// "NAME=value makes no sense: why; remedy".
[[noreturn]] void refuse_variable(const std::string& name, const std::string& value, const std::string& why,
                                  const std::string& remedy);

}  // namespace tutti
