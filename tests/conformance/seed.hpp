/// @file  The seed of this run: a constant, unless Catch2 is given one with --rng-seed.
#pragma once

#include "catch.hpp"
#include "conformance/suite.hpp"

namespace tutti::conformance {

inline std::uint64_t seed_of_run() {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::getSeed();  // version 3 draws one itself when none is given; it prints it
#else
  return Catch::rngSeed() == 0 ? default_seed : Catch::rngSeed();
#endif
}

}  // namespace tutti::conformance
