/// @file  The ready-made operators combine numbers; a struct brings its own.
// rejected: the ready-made operators combine numbers
#include "tutti/tutti.hpp"

struct Point {
  double x, y;
};

struct Add {
  Point operator()(const Point& a, const Point& b) const { return {a.x + b.x, a.y + b.y}; }
};

#ifdef REJECT
constexpr auto op = tutti::sum;
#else
constexpr Add op{};
#endif

void add(tutti::Communicator& comm, Point* points) { all_reduce(comm, tutti::on_host(points, 4), op).wait(); }
