#include "topology/hwloc_objects.hpp"

#include <algorithm>
#include <charconv>

#include "topology/cpu_list.hpp"

namespace tutti::hwloc_xml {

OsDevice os_device(Node object, int version) {
  const long type = number(object, "osdev_type", -1);
  if (version >= 3) {
    if (type & 1 << 5) return OsDevice::infiniband;
    if (type & 1 << 4) return OsDevice::network;
    if (type & (1 << 2 | 1 << 3)) return OsDevice::gpu;
    return type & 1 ? OsDevice::storage : OsDevice::other;
  }
  switch (type) {
    case 0:
      return OsDevice::storage;
    case 1:
    case 5:
      return OsDevice::gpu;
    case 2:
      return OsDevice::network;
    case 3:
      return OsDevice::infiniband;
    default:
      return OsDevice::other;
  }
}

bool is(Node object, std::string_view type) {
  return std::string_view(object.name()) == "object" && type == object.attribute("type").value();
}

std::string info(Node object, std::string_view name) {
  for (const Node entry : object.children("info")) {
    if (name == entry.attribute("name").value()) {
      std::string value = entry.attribute("value").value();
      value.erase(value.find_last_not_of(' ') + 1);
      return value;
    }
  }
  return {};
}

std::optional<PciType> pci_type(Node object) {
  std::string_view text = object.attribute("pci_type").value();
  const auto hex = [&](std::string_view before) -> std::optional<unsigned> {
    if (!text.starts_with(before)) return {};
    text.remove_prefix(before.size());
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || value > 0xffff) return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
  };
  const auto base = hex("");
  const auto vendor = hex(" [");
  const auto device = hex(":");
  const auto sub_vendor = hex("] [");
  const auto sub_device = hex(":");
  const auto revision = hex("] ");
  const auto interface = hex(" ");
  if (!base || !vendor || !device || !sub_vendor || !sub_device || !revision) return {};
  return PciType{.function = {.pci_class = *base << 8 | (interface.value_or(0) & 0xff),
                              .vendor = static_cast<std::uint16_t>(*vendor),
                              .device = static_cast<std::uint16_t>(*device)},
                 .sub_vendor = static_cast<int>(*sub_vendor),
                 .sub_device = static_cast<int>(*sub_device)};
}

std::vector<int> numbers_of(Node object, const char* set) {
  std::string_view text = object.attribute(set).value();
  if (text.starts_with("0xf...f")) text.remove_prefix(std::min(text.size(), std::size_t{8}));  // "and all above"
  return parse_cpu_mask(text).value_or(std::vector<int>{});
}

long number(Node object, const char* key, long fallback) {
  const std::string_view text = object.attribute(key).value();
  long value = fallback;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : fallback;
}

int number_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return -1;
  name.remove_prefix(prefix.size());
  int value = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc{} && end == name.data() + name.size() ? value : -1;
}

}  // namespace tutti::hwloc_xml
