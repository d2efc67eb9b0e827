/// @file  contains: the matcher for a part of a text, which has another name in each version of Catch2.
#pragma once

#include <string>

#include "catch.hpp"

namespace tutti {

inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Contains(part);
#endif
}

}  // namespace tutti
