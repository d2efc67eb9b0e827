/// @file  What is alike in all versions of hwloc XML: attributes of objects, kinds of OS devices, sets.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "topology/pci_class.hpp"

namespace tutti::hwloc_xml {

using Node = pugi::xml_node;

enum class OsDevice { storage, gpu, network, infiniband, other };

/// From osdev_type: a number in versions 1 and 2, a bit set in version 3.
OsDevice os_device(Node object, int version);

bool is(Node object, std::string_view type);

/// The value of the <info> of that name; empty when there is none.
std::string info(Node object, std::string_view name);

/// "0302 [10de:1db8] [10de:131d] a1", with the programming interface after it from version 3 on.
struct PciType {
  PciFunction function{};
  int sub_vendor = 0;
  int sub_device = 0;
};
std::optional<PciType> pci_type(Node object);

/// "0x0000ffff,,0x1" → the numbers; none when it is absent or no set.
std::vector<int> numbers_of(Node object, const char* set);

/// A whole number attribute; `fallback` when it is absent or none.
long number(Node object, const char* key, long fallback);

/// "nvml12" → 12 for the prefix "nvml"; −1 otherwise.
int number_after(std::string_view name, std::string_view prefix);

}  // namespace tutti::hwloc_xml
