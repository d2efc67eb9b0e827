/// @file  A span owns nothing, so it cannot be taken of a container that is about to die.
// rejected: no matching function|cannot bind
#include <vector>

#include "tutti/base/span.hpp"

std::vector<float> kept(8);

#ifdef REJECT
auto span = tutti::on_host(std::vector<float>(8));
#else
auto span = tutti::on_host(kept);
#endif
