#include "tutti/run/call_record.hpp"

#include <fmt/format.h>

#include "tutti/base/request.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

std::string_view name(CallState state) noexcept {
  switch (state) {
    case CallState::queued:
      return "queued";
    case CallState::running:
      return "running";
    case CallState::done:
      return "done";
    case CallState::failed:
      return "failed";
  }
  return "unknown";
}

std::string describe(const CallRecord& record) {
  if (record.collective == Collective::barrier) return "barrier";
  const std::string size = format_bytes(static_cast<std::size_t>(record.bytes()));
  std::string text = fmt::format("{} of {} {}", name(record.collective), size, name(record.type));
  if (record.op != Op::none) text += fmt::format(" ({})", name(record.op));
  if (record.collective == Collective::send) return text + fmt::format(" to rank {}", record.root);
  if (record.collective == Collective::recv) return text + fmt::format(" from rank {}", record.root);
  if (record.root >= 0) text += fmt::format(", root {}", record.root);
  return text;
}

}  // namespace tutti
