/// @file  Definition: which elements of whose inputs each rank's output consists of, collective by collective.
#pragma once

#include <cstddef>
#include <vector>

#include "conformance/case.hpp"

namespace tutti::conformance {

/// `count` elements of rank `rank`'s input, from `begin` on.
struct Source {
  int rank;
  std::size_t begin;
};

/// A stretch of an output: one source copied, or one of every rank combined.
struct Part {
  std::size_t begin;
  std::size_t count;
  std::vector<Source> sources;
};

/// Elements that a rank's input and output have; 0 where it does not use one.
std::size_t in_elements(const Case& c, int rank);
std::size_t out_elements(const Case& c, int rank);

/// In place, where the smaller buffer begins within the larger one.
std::size_t own_part_begin(const Case& c, int rank);

/// The tables of counts that `rank` gives.
std::vector<std::size_t> counts_of(const Case& c, int rank);
std::vector<std::size_t> receive_counts_of(const Case& c, int rank);

/// The whole output of `rank`.
std::vector<Part> definition(const Case& c, int rank);

}  // namespace tutti::conformance
