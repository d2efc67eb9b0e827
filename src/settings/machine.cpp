#include "settings/machine.hpp"

#include "topology/cpu_list.hpp"
#include "topology/sysfs.hpp"

namespace tutti::settings {

Machine read_machine(const std::filesystem::path& root) {
  Machine machine{.root = root};
  const auto adapters = root / "sys/class/infiniband";
  for (const std::string& name : names_in(adapters)) {
    auto& ports = machine.adapters[name];
    for (const std::string& port : names_in(adapters / name / "ports")) {
      if (const auto number = parse_cpu_list(port); number && number->size() == 1) ports.push_back(number->front());
    }
  }
  machine.interfaces = names_in(root / "sys/class/net");
  std::erase(machine.interfaces, "bonding_masters");
  return machine;
}

}  // namespace tutti::settings
