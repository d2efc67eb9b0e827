/// @file  What goes in and what comes out lie in one kind of memory.
// rejected: no matching function|could not convert
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

tutti::Work call(tutti::Communicator& communicator, const float* in, float* out) {
#ifdef REJECT
  return all_gather(communicator, tutti::on_device(in, 8), tutti::on_host(out, 32));
#else
  return all_gather(communicator, tutti::on_host(in, 8), tutti::on_host(out, 32));
#endif
}
