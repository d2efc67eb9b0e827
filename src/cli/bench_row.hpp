/// @file  Rows: what was measured, as table, JSON, CSV and plot show it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::bench {

/// A two-way flag exchange between ranks 0 and 1, in microseconds: how near the two processors are. Nothing where these
/// two ranks share no host, or where there is one rank only.
using ProbeTime = std::optional<double>;

/// One way to do one call of one size, in place or not.
struct Row {
  std::string collective;
  std::string engine;     ///< "host", "mpi"
  std::string algorithm;  ///< as asked for: "automatic" stays so
  std::string decision;   ///< what it came to: "two_shot/fifo"; empty for a peer
  std::string protocol;   ///< of the decision; empty for a peer
  std::string buffers;    ///< "private", "shared"
  int ranks = 1;
  std::string type;
  std::string operation;  ///< "none" where nothing is reduced
  int root = -1;          ///< -1: the collective has none
  std::size_t size_bytes = 0;
  std::size_t count = 0;
  bool in_place = false;
  double time_us = 0;
  double p25_us = 0;
  double p75_us = 0;
  double p99_us = 0;
  double algbw_GBs = 0;
  double busbw_GBs = 0;
  std::optional<std::size_t> wrong{};  ///< elements, over all ranks; nothing: not checked
  std::string peer{};                  ///< whose time `ratio` compares with; empty: none
  std::optional<double> ratio{};       ///< the peer's time over this one
  ProbeTime probe_before{};
  ProbeTime probe_after{};
  std::size_t iterations = 0;
  bool cut_short = false;  ///< fewer iterations than planned, or too few to be sure of, for want of time
};

/// Facts about the run that hold for all rows.
struct RunFacts {
  std::string tutti;   ///< version
  std::string peer{};  ///< the peer library's version; empty: none
  int ranks = 1;
  std::string launcher;
  std::vector<std::string> hosts;  ///< of the ranks, each once
  std::string cpu;
  int cpus = 0;  ///< that rank 0 may use
  std::size_t memory_bytes = 0;
  std::string started;  ///< UTC, "2026-01-31T12:00:00Z"
  bool dirty = false;
  bool deterministic = false;
};

struct Report {
  RunFacts facts{};
  std::vector<std::string> notes{};  ///< what was left out, and why
  std::vector<Row> rows{};
};

}  // namespace tutti::bench
