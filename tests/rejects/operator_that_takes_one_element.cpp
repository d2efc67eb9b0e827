/// @file  An operator combines two elements.
// rejected: T op\(T, T\)
#include "tutti/collectives.hpp"
#include "tutti/communicator.hpp"

struct Largest {
#ifdef REJECT
  float operator()(float a) const { return a; }
#else
  float operator()(float a, float b) const { return a < b ? b : a; }
#endif
};

tutti::Work call(tutti::Communicator& communicator, float* data) {
  return all_reduce(communicator, tutti::on_host(data, 8), Largest{});
}
