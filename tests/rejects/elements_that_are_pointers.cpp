/// @file  A pointer means nothing to another rank.
// rejected: trivially copyable elements of at most 32 bytes, no bool and no pointer
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

#ifdef REJECT
using Element = float*;
#else
using Element = float;
#endif

tutti::Work call(tutti::Communicator& communicator, Element* data) {
  return broadcast(communicator, tutti::on_host(data, 8), 0);
}
