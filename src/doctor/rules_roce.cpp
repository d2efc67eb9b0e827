/// @file  RoCE: addresses (GIDs), packet sizes, traffic class.
#include <fmt/format.h>

#include <algorithm>

#include "doctor/rule.hpp"
#include "doctor/view.hpp"
#include "settings/value.hpp"

namespace tutti::doctor {

namespace {

constexpr std::string_view no_address = "0000:0000:0000:0000:0000:0000:0000:0000";

std::string_view gid(const Snapshot& snapshot, const Port& port, const std::string& index) {
  return snapshot.text(port.folder + "/gids/" + index).value_or("");
}

bool is_v2(const Snapshot& snapshot, const Port& port, const std::string& index) {
  const auto address = gid(snapshot, port, index);
  const auto type = snapshot.text(port.folder + "/gid_attrs/types/" + index).value_or("");
  return !address.empty() && address != no_address && type.find("v2") != std::string_view::npos;
}

/// An address of the interface, not only the one every link has by itself.
bool is_routable(std::string_view address) { return !address.starts_with("fe80"); }

void look_at_addresses(const Snapshot& snapshot, const Port& port, Report& report) {
  bool any = false;
  bool routable = false;
  for (const std::string& index : children(snapshot, port.folder + "/gids")) {
    if (!is_v2(snapshot, port, index)) continue;
    any = true;
    routable = routable || is_routable(gid(snapshot, port, index));
  }
  if (!any || !routable) {
    Finding& finding =
        report.found("roce-no-v2-address", port.name(),
                     any ? "only link-local addresses (fe80::)" : "no entry of its GID table is RoCE v2");
    if (any) finding.severity = Severity::warning;
  }
  const auto wanted = snapshot.environment.find("NCCL_IB_GID_INDEX");
  if (wanted == snapshot.environment.end() || settings::whole_number(wanted->second).value_or(-1) < 0) return;
  if (!is_v2(snapshot, port, wanted->second)) {
    const auto type = snapshot.text(port.folder + "/gid_attrs/types/" + wanted->second).value_or("");
    report.found("roce-gid-index", port.name(),
                 fmt::format("index {} is {} ({})", wanted->second, gid(snapshot, port, wanted->second),
                             type.empty() ? "no type" : type));
  }
}

void look_at_packets(const Snapshot& snapshot, const Port& port, Report& report) {
  for (const std::string& index : children(snapshot, port.folder + "/gid_attrs/ndevs")) {
    const std::string interface(snapshot.text(port.folder + "/gid_attrs/ndevs/" + index).value_or(""));
    const auto mtu = snapshot.number("sys/class/net/" + interface + "/mtu");
    if (!mtu) continue;
    if (*mtu < 4200) {
      Finding& finding = report.found("roce-mtu", port.name(), fmt::format("{} has MTU {}", interface, *mtu));
      finding.remedy = fmt::format("ip link set {} mtu 9000, and the same on the switches", interface);
    }
    return;
  }
}

bool has_class(const Snapshot& snapshot, const Port& port) {
  if (snapshot.environment.count("NCCL_IB_TC") > 0) return true;
  const auto text =
      snapshot.text("sys/class/infiniband/" + port.adapter + "/tc/" + port.number + "/traffic_class").value_or("");
  return text.find_first_of("123456789") != std::string_view::npos;
}

}  // namespace

void look_at_roce(const Snapshot& snapshot, Report& report) {
  for (const Port& port : ports(snapshot)) {
    if (!is_roce(snapshot, port) || state_of(snapshot, port) != "ACTIVE") continue;
    look_at_addresses(snapshot, port, report);
    look_at_packets(snapshot, port, report);
    if (!has_class(snapshot, port))
      report.found("roce-no-class", port.name(), "NCCL_IB_TC is not set, nor the adapter's traffic_class");
  }
}

}  // namespace tutti::doctor
