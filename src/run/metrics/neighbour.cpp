#include "run/metrics/neighbour.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "run/flight_layout.hpp"
#include "run/flight_read.hpp"
#include "run/ticks.hpp"
#include "tutti/base/unique_fd.hpp"

namespace tutti::metrics {

namespace {

/// A file, looked at in place: its owner goes on writing.
class MappedFile {
 public:
  MappedFile(const std::string& file, std::size_t bytes) : bytes_(bytes) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status {};
    if (!fd || ::fstat(fd.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (static_cast<std::size_t>(status.st_size) < bytes) return;
    void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.fd(), 0);
    if (data != MAP_FAILED) data_ = static_cast<const std::byte*>(data);
  }
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const { return data_; }

 private:
  std::size_t bytes_;
  const std::byte* data_ = nullptr;
};

}  // namespace

std::vector<CallRecord> calls_in_file(const std::string& file) {
  const MappedFile mapped(file, flight::total_bytes);
  if (mapped.data() == nullptr) return {};
  const auto& header = *reinterpret_cast<const flight::Header*>(mapped.data());
  if (header.magic != flight::magic || header.version != flight::version || header.bytes != flight::total_bytes) {
    return {};
  }
  const auto* memberships = reinterpret_cast<const flight::Membership*>(mapped.data() + flight::memberships_offset);
  const auto* slots = reinterpret_cast<const flight::Slot*>(mapped.data() + flight::slots_offset);
  const TickPair first{header.first_ticks, header.first_ns};
  const TickPair last = TickPair::now();  // both processes have the same counter
  std::vector<CallRecord> records;
  for (std::size_t i = 0; i < recorded_calls; ++i) {
    const auto record = flight::read(slots[i], {memberships, flight::most_communicators}, first, last);
    if (record) records.push_back(*record);
  }
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return records;
}

}  // namespace tutti::metrics
