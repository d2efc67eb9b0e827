/// @file  Fits coefficients to tables: weighted errors of logarithms, and a pull towards what is published.
#pragma once

#include <vector>

#include "price_tables.hpp"

namespace tutti::bench {

/// Percent, over the rows of a table.
double mean_absolute_error(const PriceTable& table, const choose::Coefficients& coefficients);

/// The coefficients that fit `tables` best, without table `left_out` (-1: all). Begins at what is published, so that
/// nothing of a table that is left out gets in. Deterministic for a seed. `effort` is the number of random trials.
choose::Coefficients fit(const std::vector<PriceTable>& tables, int left_out, int effort, unsigned seed);

}  // namespace tutti::bench
