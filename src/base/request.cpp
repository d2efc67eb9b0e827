#include "tutti/base/request.hpp"

#include <fmt/format.h>

#include "tutti/base/units.hpp"

namespace tutti {

std::string describe(const Request& request) {
  const std::string_view type = name(request.type);
  switch (request.collective) {
    case Collective::barrier:
      return "barrier";
    case Collective::send:
      return fmt::format("send of {} {} to rank {}", format_bytes(request.count * request.element_size), type,
                         request.root);
    case Collective::recv:
      return fmt::format("recv of {} {} from rank {}", format_bytes(request.count * request.element_size), type,
                         request.root);
    case Collective::all_gather_v:
    case Collective::reduce_scatter_v:
    case Collective::all_to_all_v: {
      std::size_t total = 0;
      for (const std::size_t count : request.counts) total += count;
      return fmt::format("{} of {} {}", name(request.collective), format_bytes(total * request.element_size), type);
    }
    default:
      return fmt::format("{} of {} {}", name(request.collective), format_bytes(request.count * request.element_size),
                         type);
  }
}

}  // namespace tutti
