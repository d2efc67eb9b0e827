/// @file  Lists of ranks as people write them: "rank 3", "ranks 3, 5-7".
#pragma once

#include <string>
#include <vector>

namespace tutti {

/// `ranks` in ascending order. After 20 ranges the rest is counted only.
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace tutti
