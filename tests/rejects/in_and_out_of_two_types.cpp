/// @file  What goes in and what comes out have one element type.
// rejected: no matching function|could not convert
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

#ifdef REJECT
using Element = double;
#else
using Element = float;
#endif

tutti::Work call(tutti::Communicator& communicator, const Element* in, float* out) {
  return all_reduce(communicator, tutti::on_host(in, 8), tutti::on_host(out, 8), tutti::sum);
}
