#include "run/metrics/exporter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "bootstrap/thread.hpp"
#include "run/flight_recorder.hpp"
#include "run/metrics/neighbour.hpp"
#include "tutti/base/error.hpp"

namespace tutti::metrics {

namespace {

using namespace std::chrono_literals;

// Calls are forgotten after 1024 of them: who looks more often misses fewer. The rest is slower to read.
constexpr auto calls_every = 50ms;
constexpr int skew_after = 5;   // looks at the calls
constexpr int host_after = 20;  // and at GPUs, ports and the file

std::string as_file_name(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') c = '_';
  }
  return text.substr(0, 100);
}

/// Pages of jobs that ended long ago, which would be told for ever: a living job writes its own every second.
void remove_old_files(const std::string& folder) {
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::error_code error;
  for (auto each = std::filesystem::directory_iterator(folder, error);
       !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with("tutti-") || !name.ends_with(".prom")) continue;
    std::error_code unknown;
    const auto written = each->last_write_time(unknown);
    if (!unknown && written < old) std::filesystem::remove(each->path(), unknown);
  }
}

}  // namespace

std::shared_ptr<Exporter> Exporter::shared(const std::string& destination, int local_rank) {
  struct Place {
    std::weak_ptr<Exporter> exporter{};
    pid_t taken_by = 0;  ///< until the last one has given back its port; a fork has neither
  };
  static std::mutex mutex;
  static std::condition_variable given_back;
  static std::map<std::string, Place> places;
  const Destination wanted = parse_destination(destination, "metrics");
  std::unique_lock lock(mutex);
  Place& place = places[destination];
  std::shared_ptr<Exporter> exporter;
  given_back.wait(lock, [&] { return place.taken_by != ::getpid() || (exporter = place.exporter.lock()) != nullptr; });
  if (exporter != nullptr) return exporter;
  const auto give_back = [&place, own = InOwnProcess()](Exporter* done) {
    if (!own.is_here()) return;
    own(done);
    {
      const std::lock_guard lock(mutex);
      place.taken_by = 0;
    }
    given_back.notify_all();
  };
  exporter = std::shared_ptr<Exporter>(std::make_unique<Exporter>(wanted, local_rank).release(), give_back);
  place = {exporter, ::getpid()};
  return exporter;
}

Exporter::Exporter(Destination destination, int local_rank) : folder_(std::move(destination.folder)) {
  if (!folder_.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error || ::access(folder_.c_str(), W_OK | X_OK) != 0) {
      throw Error(Code::resource, fmt::format("metrics: no files can be written in {}", folder_),
                  {.remedy = "let TUTTI_METRICS name a folder that can be written"});
    }
  }
  if (!destination.address.empty()) {
    const int port = destination.port == 0 ? 0 : destination.port + local_rank;
    if (port > 65535) {
      throw Error(Code::invalid_argument,
                  fmt::format("metrics: rank {} of the host would have port {}", local_rank, port),
                  {.remedy = "begin with a lower port: each rank of a host has the one after"});
    }
    server_ = std::make_unique<HttpServer>(destination.address, port, [this](Style style) { return page(style); });
  }
  thread_ = quiet_thread("tutti-metrics", [this] { serve(); });
}

Exporter::~Exporter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  server_.reset();
  write_file();
}

void Exporter::add(const Watched& rank) {
  std::unique_lock lock(mutex_);
  RankMetrics& metrics = ranks_[rank.facts.rank];
  metrics.facts = rank.facts;
  if (rank.first_of_host && !std::exchange(tells_of_host_, true)) {
    nvml_ = nvml::library();
    read_host(lock);
  }
  if (!folder_.empty() && file_.empty()) {
    file_ = fmt::format("{}/tutti-{}-rank-{}.prom", folder_, as_file_name(rank.facts.job), rank.facts.rank);
    remove_old_files(folder_);
  }
  sources_.push_back({.watched = rank, .reader = {}, .tally = &metrics.tally});
}

void Exporter::remove(const FlightRecorder* recorder) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [&](const Source& source) { return source.watched.recorder == recorder; });
  if (found == sources_.end()) return;
  try {
    read_calls(*found);
    read_skew();
  } catch (const std::exception&) {  // out of memory: then the last calls are missing
  }
  found->reader.leave(*found->tally);
  sources_.erase(found);
}

void Exporter::read_calls(Source& source) {
  source.reader.read(source.watched.recorder->recent(source.reader.since()), *source.tally);
}

void Exporter::read_skew() {
  if (!tells_of_host_) return;
  std::vector<std::vector<CallRecord>> records;
  std::vector<int> ranks;
  CallTally* tally = nullptr;
  const auto here = [&](int rank) {
    return std::any_of(sources_.begin(), sources_.end(),
                       [rank](const Source& source) { return source.watched.facts.rank == rank; });
  };
  for (const Source& source : sources_) {
    records.push_back(source.watched.recorder->recent());
    ranks.push_back(source.watched.facts.rank);
    if (!source.watched.first_of_host) continue;
    tally = source.tally;
    for (const auto& [rank, file] : source.watched.neighbours) {
      if (here(rank)) continue;
      records.push_back(calls_in_file(file));
      ranks.push_back(rank);
    }
  }
  if (tally == nullptr) return;
  for (const Arrivals& call : skew_.compare(records)) {
    tally->add_skew(call.collective, call.bytes, call.late[call.last]);
    for (std::size_t i = 0; i < call.ranks.size(); ++i) {
      Lateness& late = late_[ranks[call.ranks[i]]];
      late.seconds += call.late[i];
      late.last += i == call.last ? 1U : 0U;
    }
  }
}

/// A driver may take its time: meanwhile `lock` is open.
void Exporter::read_host(std::unique_lock<std::mutex>& lock) {
  if (!tells_of_host_) return;
  const std::shared_ptr<const nvml::Functions> nvml = nvml_;
  lock.unlock();
  std::vector<GpuReading> gpus;
  std::vector<PortReading> ports;
  try {
    if (nvml != nullptr) gpus = read_gpus(*nvml);
    ports = read_ports("");
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
  gpus_ = std::move(gpus);
  ports_ = std::move(ports);
}

Snapshot Exporter::counted() {
  Snapshot snapshot;
  const std::lock_guard lock(mutex_);
  for (Source& source : sources_) read_calls(source);
  for (const auto& [rank, metrics] : ranks_) snapshot.ranks.push_back(metrics);
  snapshot.late = late_;
  snapshot.gpus = gpus_;
  snapshot.ports = ports_;
  return snapshot;
}

/// A reader finds the old file or the new one. The files of several jobs are one page to whoever collects them: "run" tells
/// their samples apart.
void Exporter::write_file() noexcept {
  try {
    if (file_.empty()) return;
    const Snapshot snapshot = counted();
    const std::string text =
        page_of(snapshot, Style::prometheus, {{"run", snapshot.ranks.empty() ? "" : snapshot.ranks.front().facts.job}});
    const std::string temporary = file_ + ".new";
    std::FILE* file = std::fopen(temporary.c_str(), "we");
    if (file == nullptr) return;
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written || std::rename(temporary.c_str(), file_.c_str()) != 0) {
      ::unlink(temporary.c_str());  // a full disk: the old page stays
    }
  } catch (const std::exception&) {  // out of memory: the old page stays
  }
}

void Exporter::serve() {
  std::unique_lock lock(mutex_);
  for (int look = 1; !stop_; ++look) {
    wake_.wait_for(lock, calls_every, [this] { return stop_; });
    if (stop_) return;
    try {
      for (Source& source : sources_) read_calls(source);
      if (look % skew_after == 0) read_skew();
      if (look % host_after == 0) {
        read_host(lock);
        lock.unlock();
        write_file();
        lock.lock();
      }
    } catch (const std::exception&) {  // out of memory: this look is left out
    }
  }
}

Watching::Watching(std::shared_ptr<Exporter> exporter, const Watched& rank)
    : exporter_(std::move(exporter)), recorder_(rank.recorder) {
  exporter_->add(rank);
}

Watching::~Watching() {
  if (exporter_ != nullptr && own_.is_here()) exporter_->remove(recorder_);
}

}  // namespace tutti::metrics
