/// @file  A Work is waited for by one owner: it moves, it is not copied.
// rejected: deleted
#include <utility>

#include "tutti/run/work.hpp"

tutti::Work kept;

#ifdef REJECT
tutti::Work copy = kept;
#else
tutti::Work moved = std::move(kept);
#endif
