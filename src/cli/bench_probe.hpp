/// @file  Probe: how long two ranks take to see each other's flag. Virtual processors move, and all small times with them.
#pragma once

#include <cstddef>
#include <memory>

#include "cli/bench_row.hpp"
#include "tutti/communicator.hpp"

namespace tutti::bench {

/// Two flags in a page that ranks 0 and 1 share. Making one is collective, and so is `measure`.
class Probe {
 public:
  explicit Probe(Communicator& communicator);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Microseconds of one exchange, the median of several series: both ranks raise their flag, then wait for the other's.
  /// The same on ranks 0 and 1; the others give nothing.
  ProbeTime measure();

 private:
  struct Page;
  Communicator& communicator_;
  Page* page_ = nullptr;  ///< null: no probe here
  long long turn_ = 0;
};

}  // namespace tutti::bench
