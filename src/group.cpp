#include "tutti/group.hpp"

#include <utility>

namespace tutti {

Work Group::launch() {
  const std::vector<Request> requests = std::exchange(requests_, {});
  for (const Request& request : requests) communicator_.decide(request);  // whatever is wrong is said before it begins
  std::vector<Work> parts;
  parts.reserve(requests.size());
  for (const Request& request : requests) parts.push_back(communicator_.submit(request));
  return Work(std::move(parts));
}

}  // namespace tutti
