/// @file  TraceWriter: writes the calls of one rank to its trace file, as they end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "run/own_process.hpp"
#include "run/trace/rank_trace.hpp"
#include "tutti/run/call_record.hpp"

namespace tutti::trace {

/// To be owned with InOwnProcess: a fork of the process has no thread that writes. A call costs a copy of its record; a thread writes. When it cannot keep up, calls are left out and counted.
class TraceWriter final : public CallObserver {
 public:
  /// Makes the folder and, in it, the rank's file. Throws Error(resource) naming them.
  TraceWriter(const std::string& folder, const TraceHead& head);
  ~TraceWriter() override;  ///< writes what is left; nobody may tell it of calls any more

  void ended(const CallRecord& record) noexcept override;
  void missed(std::uint64_t number) noexcept override;
  const std::string& file() const noexcept { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void serve();
  bool write(const std::string& text);

  const InOwnProcess own_;
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::mutex mutex_;  ///< guards what follows, to thread_
  std::condition_variable wake_;
  std::vector<CallRecord> calls_;
  std::uint64_t lost_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tutti::trace
