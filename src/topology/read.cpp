#include "tutti/topology/read.hpp"

#include "topology/json.hpp"

namespace tutti {

Topology this_machine() { return from_host_facts(this_host_facts()); }

Topology from_text(std::string_view text, const std::string& name) { return from_json(text, name); }

}  // namespace tutti
