/// @file  Run: the sweep over types, operations and sizes, as one rank takes part in it.
#pragma once

#include <functional>

#include "cli/bench_call.hpp"
#include "cli/bench_options.hpp"
#include "cli/bench_row.hpp"
#include "tutti/base/error.hpp"

namespace tutti::bench {

/// What the sweep tells while it goes; all empty on every rank but one.
struct Listener {
  std::function<void(const RunFacts& facts, ProbeTime probe)> begins{};
  std::function<void(const std::string& note)> note{};
  std::function<void(std::size_t done, std::size_t all, std::size_t bytes)> progress{};
  std::function<void(const std::vector<Row>& rows)> measured{};  ///< one size
};

/// An error that every rank meets alike, so that one of them may tell it for all.
class Refusal : public Error {
 public:
  using Error::Error;
};

/// Collective. Every rank gets the same rows. `peer` may be null. Throws Refusal for what cannot be with this
/// communicator.
Report run(Communicator& communicator, const BenchOptions& options, Peer* peer, const Listener& listener);

}  // namespace tutti::bench
