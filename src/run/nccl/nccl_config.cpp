#include "run/nccl/nccl_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace tutti::nccl {

namespace {

/// Since which version the configuration has so many bytes.
struct Layout {
  int version;
  std::size_t bytes;
};
constexpr std::array<Layout, 6> layouts{{{version_number(2, 28, 0), sizeof(Config)},
                                         {version_number(2, 27, 0), offsetof(Config, channels_per_net_peer)},
                                         {version_number(2, 26, 0), 48},
                                         {version_number(2, 18, 0), 48},
                                         {version_number(2, 17, 0), 40},
                                         {version_number(2, 14, 0), 24}}};

[[noreturn]] void refuse_value(const char* name, int value, int low, int high) {
  throw Error(Code::invalid_argument, fmt::format("NcclSettings::{} is {}", name, value),
              {.remedy = fmt::format("use {} to {}", low, high)});
}

/// One setting with its range and the minor version that brought it.
class Setter {
 public:
  explicit Setter(int version) : version_(version) {}

  void put(const char* name, const std::optional<int>& value, int low, int high, int since_minor, int& field) const {
    if (!value) return;
    expect_version(name, since_minor);
    if (*value < low || *value > high) refuse_value(name, *value, low, high);
    field = *value;
  }
  void put(const char* name, const std::optional<bool>& value, int since_minor, int& field) const {
    if (!value) return;
    expect_version(name, since_minor);
    field = *value ? 1 : 0;
  }
  void expect_version(const char* name, int since_minor) const {
    if (version_ >= version_number(2, since_minor, 0)) return;
    throw Error(
        Code::unsupported,
        fmt::format("NCCL {} has no NcclSettings::{}; 2.{} brought it", version_text(version_), name, since_minor),
        {.remedy = "leave it out, or install a newer NCCL"});
  }

 private:
  int version_;
};

}  // namespace

Config config_for(const NcclSettings& settings, int version) {
  Config config;
  config.version = static_cast<unsigned>(std::min(version, layout_version));
  for (const Layout& layout : layouts) {
    if (version < layout.version) continue;
    config.size = layout.bytes;
    break;
  }
  config.blocking = 0;
  const Setter set(version);
  set.put("cga_cluster", settings.cga_cluster, 0, 8, 17, config.cga_cluster);
  set.put("min_ctas", settings.min_ctas, 1, 64, 17, config.min_ctas);
  set.put("max_ctas", settings.max_ctas, 1, 64, 17, config.max_ctas);
  if (settings.min_ctas && settings.max_ctas && *settings.min_ctas > *settings.max_ctas) {
    refuse_value("min_ctas", *settings.min_ctas, 1, *settings.max_ctas);
  }
  if (!settings.network.empty()) {
    set.expect_version("network", 17);
    config.network = settings.network.c_str();
  }
  set.put("split_share", settings.split_share, 18, config.split_share);
  set.put("traffic_class", settings.traffic_class, 0, 255, 26, config.traffic_class);
  set.put("collnet", settings.collnet, 27, config.collnet);
  set.put("cta_policy", settings.cta_policy, 0, 2, 27, config.cta_policy);
  set.put("nvls_ctas", settings.nvls_ctas, 1, 64, 27, config.nvls_ctas);
  set.put("channels_per_net_peer", settings.channels_per_net_peer, 1, 64, 28, config.channels_per_net_peer);
  set.put("nvlink_centric", settings.nvlink_centric, 28, config.nvlink_centric);
  return config;
}

std::map<std::string, std::string> variables_of_communicator(const NcclSettings& settings) {
  std::map<std::string, std::string> variables;
  if (!settings.algorithms.empty()) variables["NCCL_ALGO"] = settings.algorithms;
  if (!settings.protocols.empty()) variables["NCCL_PROTO"] = settings.protocols;
  return variables;
}

void apply_to_process(const NetworkSettings& fabric) {
  static std::mutex mutex;
  static std::optional<NetworkSettings> applied;
  const std::lock_guard lock(mutex);
  if (applied) {
    if (*applied == fabric) return;
    throw Error(
        Code::invalid_argument, "NCCL has read its network's settings in this process before, and keeps them",
        {.remedy = fmt::format("give all communicators the same NcclSettings::fabric (\"{}\")", to_string(*applied))});
  }
  tutti::check(fabric, "NcclSettings::fabric");
  for (const auto& [name, value] : to_nccl_variables(fabric)) setenv(name.c_str(), value.c_str(), 1);
  applied = fabric;
}

namespace {

/// The variables that are held now, and what they were before.
struct Held {
  std::mutex mutex;
  std::condition_variable changed;
  WithVariables::Variables now;
  WithVariables::Variables before;  ///< empty: it was not set
  int holders = 0;
};
Held& held() {
  static Held all;
  return all;
}

}  // namespace

WithVariables::WithVariables(const Variables& variables, std::chrono::steady_clock::time_point deadline) {
  Held& all = held();
  std::unique_lock lock(all.mutex);
  if (!all.changed.wait_until(lock, deadline, [&] { return all.holders == 0 || all.now == variables; })) {
    throw Error(Code::timeout, "other communicators of this process are being made with other limits of algorithms",
                {.remedy = "make communicators one after another, or with the same NcclSettings"});
  }
  if (all.holders++ > 0) return;
  all.now = variables;
  all.before.clear();
  for (const auto& [name, value] : variables) {
    const char* before = std::getenv(name.c_str());
    all.before[name] = before != nullptr ? before : "";
    setenv(name.c_str(), value.c_str(), 1);
  }
}

WithVariables::~WithVariables() {
  Held& all = held();
  const std::lock_guard lock(all.mutex);
  if (--all.holders > 0) return;
  for (const auto& [name, value] : all.before) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  all.changed.notify_all();
}

}  // namespace tutti::nccl
