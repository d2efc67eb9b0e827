#include "conformance/between_hosts.hpp"

#include "tutti/base/error.hpp"

namespace tutti::conformance {

namespace {

bool can_be_chosen(const Case& c, const Facts& facts) {
  Request request = arithmetic(c.type, c.op)
                        ->request(c.collective, {}, 0, {.algorithm = c.algorithm, .deterministic = c.deterministic});
  request.root = root_of(c);
  try {
    choose(request, facts);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<Case> between_hosts(const std::vector<Case>& cases, const Facts& facts) {
  std::vector<Case> chosen;
  for (Case c : cases) {
    if (c.ranks != facts.ranks) continue;
    if (c.protocol == Protocol::window) c.protocol = Protocol::automatic;
    if (!can_be_chosen(c, facts)) c.algorithm = Algorithm::automatic;
    chosen.push_back(c);
  }
  return chosen;
}

}  // namespace tutti::conformance
