#include "run/flight_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "run/flight_layout.hpp"
#include "run/flight_read.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr int most_ranks = 1 << 20;  // that a job has

/// Aligned as the mapping is.
struct Image {
  alignas(flight::Slot) std::byte bytes[flight::total_bytes];
};

template <std::size_t Size>
std::string text(const char (&field)[Size]) {
  std::string found(field, strnlen(field, Size));
  for (char& c : found) {
    if (c < ' ' || c > '~') c = '?';  // it goes to terminals
  }
  return found;
}

}  // namespace

FlightFile read_flight_file(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&](const std::string& what, const char* remedy) {
    throw Error(Code::invalid_argument, fmt::format("{}: {}", name, what), {.remedy = remedy});
  };
  const char* const ours = "give the files that ranks of tutti leave: see TUTTI_FLIGHT_RECORDER";
  std::uint64_t magic = 0;
  if (bytes.size() >= sizeof magic) std::memcpy(&magic, bytes.data(), sizeof magic);
  if (magic != flight::magic) refuse("this is no file of a flight recorder", ours);
  if (bytes.size() < sizeof(flight::Header)) refuse("it ends within its header", "copy it again, whole");
  std::uint32_t version = 0;
  std::memcpy(&version, bytes.data() + sizeof magic, sizeof version);
  if (version != flight::version) {
    refuse(fmt::format("it has version {} of the format, not {}", version, flight::version),
           "use the tutti of the version that wrote it");
  }
  if (bytes.size() != flight::total_bytes) {
    refuse(fmt::format("it has {} bytes, not {}", bytes.size(), flight::total_bytes), "copy it again, whole");
  }

  const auto image = std::make_unique<Image>();
  std::memcpy(image->bytes, bytes.data(), bytes.size());
  const auto* header = reinterpret_cast<const flight::Header*>(image->bytes);
  const std::span memberships(reinterpret_cast<const flight::Membership*>(image->bytes + flight::memberships_offset),
                              flight::most_communicators);
  const std::span slots(reinterpret_cast<const flight::Slot*>(image->bytes + flight::slots_offset), recorded_calls);
  if (header->size < 1 || header->size > most_ranks || header->rank < 0 || header->rank >= header->size ||
      header->memberships > flight::most_communicators) {
    refuse(fmt::format("it is damaged: rank {} of {} in {} communicators", header->rank, header->size,
                       header->memberships),
           "copy it again");
  }

  FlightFile file{.name = name, .family = header->family, .rank = header->rank, .size = header->size};
  file.process = static_cast<long>(header->process);
  file.pid_namespace = header->pid_namespace;
  file.host = text(header->host);
  file.host_id = text(header->host_id);
  file.job = text(header->job);
  file.library = text(header->library);
  file.began = header->began;
  file.finished = header->finished.load(std::memory_order_relaxed) != 0;
  const TickPair first{header->first_ticks, header->first_ns};
  const TickPair last{header->last_ticks.load(std::memory_order_relaxed),
                      header->last_ns.load(std::memory_order_relaxed)};
  file.seen = nanoseconds(last.ticks, first, last);
  for (const flight::Membership& each : memberships.first(header->memberships)) {
    const std::int32_t rank = each.rank, size = each.size;
    if (size < 1 || size > header->size || rank < 0 || rank >= size) {
      refuse(fmt::format("it is damaged: a communicator has rank {} of {}", rank, size), "copy it again");
    }
    file.communicators.push_back({each.id, each.parent, rank, size, each.gone != 0});
  }
  for (const flight::Slot& slot : slots) {
    const auto call = flight::read(slot, memberships.first(header->memberships), first, last);
    if (!call) continue;
    file.seen = std::max({file.seen, call->entered, call->ended, call->looked});
    file.calls.push_back(*call);
  }
  std::sort(file.calls.begin(), file.calls.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return file;
}

}  // namespace tutti
