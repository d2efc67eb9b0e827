#include "run/trace/trace_writer.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bootstrap/thread.hpp"
#include "tutti/base/error.hpp"

namespace tutti::trace {

namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 18;  // calls; some 50 MB
constexpr auto written_every = std::chrono::milliseconds(100);

}  // namespace

TraceWriter::TraceWriter(const std::string& folder, const TraceHead& head)
    : path_(fmt::format("{}/rank-{:05}-{:016x}.trace", folder, head.rank, head.family)) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // where that fails, fopen does, and says why
  file_.reset(std::fopen(path_.c_str(), "we"));
  if (file_ == nullptr) {
    throw_errno(Code::resource, fmt::format("cannot write the trace {}", path_),
                "let TUTTI_TRACE name a folder that can be written");
  }
  calls_.reserve(4096);
  if (!write(head_line(head)) || std::fflush(file_.get()) != 0) {
    throw_errno(Code::resource, fmt::format("cannot write the trace {}", path_),
                "let TUTTI_TRACE name a folder on a disk that has room");
  }
  thread_ = quiet_thread("tutti-trace", [this] { serve(); });
}

TraceWriter::~TraceWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  write(end_line(lost_));
}

void TraceWriter::ended(const CallRecord& record) noexcept {
  if (!own_.is_here()) return;
  const std::lock_guard lock(mutex_);
  try {
    if (calls_.size() < most_waiting) {
      calls_.push_back(record);
      return;
    }
  } catch (const std::bad_alloc&) {  // left out, as below
  }
  ++lost_;
}

void TraceWriter::missed(std::uint64_t) noexcept {
  if (!own_.is_here()) return;
  const std::lock_guard lock(mutex_);
  ++lost_;
}

bool TraceWriter::write(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
}

void TraceWriter::serve() {
  std::vector<CallRecord> calls;
  std::string text;
  for (bool stop = false; !stop;) {
    calls.clear();
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, written_every, [this] { return stop_; });
      stop = stop_;
      calls.swap(calls_);
    }
    std::uint64_t failed = 0;
    for (const CallRecord& call : calls) {
      try {
        text = failed > 0 ? "\n" : "";  // a line that was cut off ends here
        text += call_line(call);
        if (!write(text)) ++failed;
      } catch (const std::exception&) {  // out of memory
        ++failed;
      }
    }
    if (std::fflush(file_.get()) != 0) failed = calls.size();
    if (failed > 0) {
      const std::lock_guard lock(mutex_);
      lost_ += failed;
    }
  }
}

}  // namespace tutti::trace
