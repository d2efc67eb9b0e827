/// @file  A call in place writes its buffer, so the buffer is not const.
// rejected: no matching function
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

#ifdef REJECT
using Element = const float;
#else
using Element = float;
#endif

tutti::Work call(tutti::Communicator& communicator, Element* data) {
  return all_reduce(communicator, tutti::on_host(data, 8), tutti::sum);
}
