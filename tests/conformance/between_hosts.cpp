#include "conformance/between_hosts.hpp"

#include <algorithm>
#include <optional>

#include "tutti/base/error.hpp"

namespace tutti::conformance {

namespace {

/// Nothing: it is refused.
std::optional<Decision> decision_on(const Case& c, const Facts& facts) {
  Request request = arithmetic(c.type, c.op)
                        ->request(c.collective, {}, 0, {.algorithm = c.algorithm, .deterministic = c.deterministic});
  request.root = root_of(c);
  try {
    return decide(request, facts);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Case> between_hosts(const std::vector<Case>& cases, const Facts& facts) {
  std::vector<Case> chosen;
  for (Case c : cases) {
    if (c.ranks != facts.ranks) continue;
    if (c.protocol == Protocol::window) c.protocol = Protocol::automatic;
    const auto decision = decision_on(c, facts);
    if (!decision) c.algorithm = Algorithm::automatic;
    if (!decision || decision->backend == Backend::mpi) c.protocol = Protocol::automatic;
    if (std::find(chosen.begin(), chosen.end(), c) == chosen.end()) chosen.push_back(c);
  }
  return chosen;
}

std::vector<Case> some_between_hosts(const Facts& facts, std::uint64_t seed, std::size_t every) {
  std::vector<Case> cases = between_hosts(exhaustive(facts.ranks, facts.ranks), facts);
  const std::vector<Case> mixed = between_hosts(covering(facts.ranks, facts.ranks, seed).cases, facts);
  cases.insert(cases.end(), mixed.begin(), mixed.end());
  std::vector<Case> some;
  for (std::size_t i = seed % every; i < cases.size(); i += every) some.push_back(cases[i]);
  return some;
}

}  // namespace tutti::conformance
