#include "tutti/group.hpp"

#include <utility>

namespace tutti {

Work Group::launch() {
  const std::vector<Request> requests = std::exchange(requests_, {});
  for (const Request& request : requests) communicator_.decide(request);  // whatever is wrong is said before it begins
  return communicator_.submit_together(requests);
}

}  // namespace tutti
