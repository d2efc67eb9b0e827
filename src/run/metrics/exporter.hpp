/// @file  Exporter: reads the recorders of a process's ranks now and then, and lets everybody read what it counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "run/metrics/call_reader.hpp"
#include "run/metrics/destination.hpp"
#include "run/metrics/http_server.hpp"
#include "run/metrics/page.hpp"
#include "run/metrics/skew.hpp"
#include "run/own_process.hpp"

namespace tutti {
class FlightRecorder;
}

namespace tutti::metrics {

/// One rank as the exporter sees it.
struct Watched {
  RankFacts facts{};
  const FlightRecorder* recorder = nullptr;
  bool first_of_host = false;               ///< tells of the host: GPUs, ports, who was late
  std::map<int, std::string> neighbours{};  ///< of it: the recorder files of the host's other ranks, by rank
};

/// One for a process and destination; a fork of the process leaves it alone. It has a thread, and the server another one; calls are not held up by it.
class Exporter {
 public:
  /// That of this process for such a destination; made by the first rank, once an earlier one is gone. Throws what HttpServer throws, and
  /// Error(resource) for a folder that cannot be written.
  static std::shared_ptr<Exporter> shared(const std::string& destination, int local_rank);

  Exporter(Destination destination, int local_rank);
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  /// From now on the recorder is read, until `remove`, which reads it for the last time.
  void add(const Watched& rank);
  void remove(const FlightRecorder* recorder) noexcept;

  /// The page as it is now.
  std::string page(Style style) { return page_of(counted(), style); }
  /// -1: there is no server.
  int port() const noexcept { return server_ != nullptr ? server_->port() : -1; }

 private:
  struct Source {
    Watched watched{};
    CallReader reader{};
    CallTally* tally = nullptr;
  };

  void serve();
  Snapshot counted();
  void read_calls(Source& source);
  void read_skew();
  void read_host(std::unique_lock<std::mutex>& lock);
  void write_file() noexcept;

  // Guarded by mutex_, but for what the constructor sets.
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::vector<Source> sources_;
  std::map<int, RankMetrics> ranks_;  ///< of this process; they stay when a communicator goes
  std::map<int, Lateness> late_;
  SkewFinder skew_;
  std::shared_ptr<const nvml::Functions> nvml_;
  bool tells_of_host_ = false;
  std::vector<GpuReading> gpus_;
  std::vector<PortReading> ports_;
  std::string folder_;
  std::string file_;  ///< empty: none, or the first rank has not come
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

/// A recorder's place in an exporter. Goes before the recorder does.
class Watching {
 public:
  Watching() = default;
  Watching(std::shared_ptr<Exporter> exporter, const Watched& rank);
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  const std::shared_ptr<Exporter>& exporter() const { return exporter_; }

 private:
  std::shared_ptr<Exporter> exporter_;
  const FlightRecorder* recorder_ = nullptr;
  InOwnProcess own_;
};

}  // namespace tutti::metrics
