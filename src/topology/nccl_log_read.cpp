/// @file  The machines that an NCCL log tells of: what it draws of them, and what its lines say of each rank.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "topology/cpu_list.hpp"
#include "topology/nccl_log.hpp"
#include "topology/pasted.hpp"
#include "topology/pci_id.hpp"
#include "topology/reader.hpp"
#include "topology/text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr std::size_t max_hosts_of_log = 4096;
constexpr int max_index = 1 << 20;
constexpr int max_gpus_of_host = 4096;

std::string_view word_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  const auto rest = text.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(" \t,"));
}

int index_after(std::string_view text, std::string_view key) {
  auto word = word_after(text, key);
  const int number = take_number(word);
  return word.empty() && number < max_index ? number : -1;
}

class LogReading {
 public:
  LogReading(std::string_view text, const std::string& name) : text_(text), name_(name), lines_(nccl_log_lines(text)) {}

  Topology read() {
    for (LoggedHost& host : logged_systems(lines_, text_)) {
      order_.push_back(host.name);
      hosts_.emplace(host.name, std::move(host));
    }
    for (const NcclLogLine& line : lines_) {
      if (line.host.empty()) {
        device_of_rank(line);
      } else {
        said(line);
      }
    }
    const auto channels = logged_channels(lines_);
    use_starts();
    use_models();
    const bool measured = channels.best_bus_bandwidth > 0;
    if (hosts_.empty() && channels.rings.empty() && channels.trees.empty() && !measured) {
      throw Error(
          Code::invalid_argument,
          fmt::format("{}: expected lines about ranks, rings or the system in this log of NCCL, found none", name_),
          {.remedy = "run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,GRAPH"});
    }
    return put_together(channels);
  }

 private:
  LoggedHost& host(std::string_view name) {
    const auto known = hosts_.find(name);
    if (known != hosts_.end()) return known->second;
    if (hosts_.size() >= max_hosts_of_log) {
      throw Error(Code::invalid_argument, fmt::format("{}: more than {} hosts", name_, max_hosts_of_log));
    }
    LoggedHost fresh{.name = std::string(name)};
    fresh.parts.hosts.push_back({.host = fresh.name});
    order_.push_back(fresh.name);
    return hosts_.emplace(fresh.name, std::move(fresh)).first->second;
  }

  void said(const NcclLogLine& line) {
    const auto text = line.text;
    if (text.find(" rank ") != std::string_view::npos && text.find(" cudaDev ") != std::string_view::npos) {
      init(line);
    } else if (text.starts_with("NET/") && text.find(": Using ") != std::string_view::npos) {
      adapters(line);
    } else if (text.starts_with("Channel ")) {
      adapter_in_use(line);
    } else if (text.starts_with("Setting affinity for GPU ")) {
      affinity(line, text.substr(25), " to ", true);
    } else if (const auto at = text.find("Affinity for GPU "); at != std::string_view::npos) {
      affinity(line, text.substr(at + 17), " is ", false);
    }
  }

  /// "… rank 2 nranks 16 cudaDev 2 nvmlDev 2 busId 201c0 …". Only the first communicator of a process counts.
  void init(const NcclLogLine& line) {
    const int rank = index_after(line.text, " rank ");
    int index = index_after(line.text, " nvmlDev ");
    const int cuda = index_after(line.text, " cudaDev ");
    if (index < 0) index = cuda;
    if (rank < 0 || index < 0 || index >= max_gpus_of_host || !processes_.insert({line.host, line.pid, cuda}).second)
      return;
    starts_.push_back({&line, rank, index, cuda});
  }

  /// Ranks start in any order; machines are told in the order of ranks.
  void use_starts() {
    std::stable_sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.rank < b.rank; });
    for (const Start& start : starts_) {
      LoggedHost& at = host(start.line->host);
      Device& gpu = gpu_of(at, bus_of_number(word_after(start.line->text, " busId ")), start.index);
      if (gpu.rank >= 0 && gpu.rank != start.rank) {
        note(*start.line, fmt::format("{} of {} has rank {} here and {} elsewhere; that one counts", gpu.name, at.name,
                                      start.rank, gpu.rank));
        continue;
      }
      gpu.rank = start.rank;
      cuda_[{at.name, start.cuda}] = gpu.id;
    }
  }

  /// "Channel 03 : 7[a01d0] -> 14[a01c0] [send] via NET/AWS Libfabric/2/GDRDMA": this host has an adapter 2.
  void adapter_in_use(const NcclLogLine& line) {
    auto text = line.text;
    const auto at = text.find(" via NET/");
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 9);
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return;
    text.remove_prefix(slash + 1);
    const int index = take_number(text);
    if (index < 0 || index > 4095) return;
    Device& nic = nic_of(host(line.host), index);
    if (nic.name.empty()) nic.name = fmt::format("net{}", index);
  }

  /// By bus id, else by number; a new one when there is none.
  static Device& gpu_of(LoggedHost& host, const std::string& bus, int index) {
    Device* found = nullptr;
    for (Device& device : host.parts.devices) {
      if (device.kind != DeviceKind::gpu) continue;
      const bool same = !bus.empty() && !device.pci.empty() ? device.pci == bus : device.index == index;
      if (same && !found) found = &device;
    }
    if (!found) {
      const int id = host.parts.add(Device{.kind = DeviceKind::gpu, .pci = bus});
      found = &host.parts.devices[static_cast<std::size_t>(id)];
    }
    found->index = index;
    found->name = fmt::format("gpu{}", index);
    return *found;
  }

  /// "NET/IB : Using [0]mlx5_2:1/IB/SHARP [1]mlx5_0:1/RoCE [RO]; OOB ib0:10.0.0.1<0>"
  void adapters(const NcclLogLine& line) {
    LoggedHost& at = host(line.host);
    auto text = line.text;
    text = text.substr(0, text.find(';'));
    while (true) {
      const auto open = text.find('[');
      if (open == std::string_view::npos) return;
      text.remove_prefix(open + 1);
      const int index = take_number(text);
      if (index < 0 || index > 4095 || !take(text, "]")) continue;
      const auto name = text.substr(0, text.find_first_of(":/< \t["));
      if (name.empty()) continue;
      Device& nic = nic_of(at, index);
      nic.name = name;
      auto rest = text.substr(name.size(), text.find_first_of(" \t") - name.size());
      if (take(rest, ":")) {
        if (const int port = take_number(rest); port >= 0 && rest.starts_with("/")) {
          nic.attributes.emplace("port", fmt::format("{}", port));
          nic.attributes.emplace("link_layer", rest.substr(1));
        }
      }
    }
  }

  static Device& nic_of(LoggedHost& host, int index) {
    for (Device& device : host.parts.devices) {
      if (device.kind == DeviceKind::nic && device.index == index) return device;
    }
    const int id = host.parts.add(Device{.kind = DeviceKind::nic, .index = index});
    return host.parts.devices[static_cast<std::size_t>(id)];
  }

  /// "1 to ff,ffff0000,00ffffff" as a mask, "1 is 0-31,64-95. (GPU …" as a list.
  void affinity(const NcclLogLine& line, std::string_view text, std::string_view word, bool mask) {
    const int cuda = take_number(text);
    if (cuda < 0 || !take(text, word)) return;
    auto value = text.substr(0, text.find_first_of(" \t"));
    while (value.ends_with('.') || value.ends_with(',')) value.remove_suffix(1);
    const auto cpus = mask ? parse_cpu_mask(value) : parse_cpu_list(value);
    if (cpus && !cpus->empty()) affinities_[{std::string(line.host), cuda}] = format_cpu_list(*cpus);
  }

  /// "#  Rank  0 Group  0 Pid  23654 on      gpu34 device  0 [0000:07:00] NVIDIA A100-SXM4-80GB", from nccl-tests.
  void device_of_rank(const NcclLogLine& line) {
    auto text = line.text;
    take(text, "#");
    text = trim(text);
    if (!take(text, "Rank ")) return;
    text = trim(text);
    const int rank = take_number(text);
    const auto on = text.find(" on ");
    const auto open = text.find('[');
    const auto close = text.find(']');
    if (rank < 0 || on == std::string_view::npos || close == std::string_view::npos || open > close) return;
    auto where = words(text.substr(on + 4, open - on - 4));
    if (where.size() != 3 || where[1] != "device") return;
    const int index = take_number(where[2]);
    if (index < 0 || index >= max_gpus_of_host) return;
    models_[rank] = {std::string(where[0]), index, std::string(text.substr(open + 1, close - open - 1)),
                     std::string(trim(text.substr(close + 1)))};
  }

  void note(const NcclLogLine& line, const std::string& what) {
    if (notes_.size() < 100) notes_.push_back(fmt::format("line {}: {}", line.number, what));
  }

  /// Where a rank's GPUs are, looked up once for all.
  struct Seat {
    LoggedHost* host = nullptr;
    int device = 0;
  };
  std::multimap<int, Seat> seats() {
    std::multimap<int, Seat> found;
    for (auto& [name, host] : hosts_) {
      for (const Device& device : host.parts.devices) {
        if (device.rank >= 0) found.emplace(device.rank, Seat{&host, device.id});
      }
    }
    return found;
  }

  void use_models() {
    // The table may name hosts in another way than the log does; then it adds none.
    const bool same_names = hosts_.empty() || std::any_of(models_.begin(), models_.end(), [&](const auto& model) {
                              return hosts_.contains(model.second.host);
                            });
    auto ranks = seats();
    for (const auto& [rank, said] : models_) {
      if (same_names && hosts_.size() < max_hosts_of_log && !ranks.contains(rank)) {
        LoggedHost& at = host(said.host);
        Device& gpu = gpu_of(at, {}, said.index);
        if (gpu.rank >= 0) continue;  // two lines for one GPU
        gpu.rank = rank;
        ranks.emplace(rank, Seat{&at, gpu.id});
      }
      const auto [first, last] = ranks.equal_range(rank);
      for (auto seat = first; seat != last; ++seat) {
        Device& device = seat->second.host->parts.devices[static_cast<std::size_t>(seat->second.device)];
        if (device.kind != DeviceKind::gpu || device.rank != rank) continue;
        device.model = said.model;
        if (device.pci.empty() && said.bus.find(':') != std::string::npos && pci_number(said.bus)) {
          device.pci = normal_pci(said.bus + (said.bus.find('.') == std::string::npos ? ".0" : ""));
        }
      }
    }
  }

  void use_affinities() {
    for (const auto& [key, cpus] : affinities_) {
      const auto gpu = cuda_.find(key);
      const auto host = hosts_.find(key.first);
      if (gpu == cuda_.end() || host == hosts_.end()) continue;
      host->second.parts.devices[static_cast<std::size_t>(gpu->second)].attributes.emplace("cpu_affinity", cpus);
    }
  }

  Topology put_together(const LoggedChannels& channels) {
    use_affinities();
    const auto first_rank = [&](const std::string& name) {
      int first = max_index;
      for (const Device& device : hosts_.at(name).parts.devices) {
        if (device.rank >= 0) first = std::min(first, device.rank);
      }
      return first;
    };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](const auto& a, const auto& b) { return first_rank(a) < first_rank(b); });
    std::vector<Topology> machines;
    for (const std::string& name : order_) machines.emplace_back(std::move(hosts_.at(name).parts));
    TopologyParts parts = machines.size() == 1 ? machines.front().parts() : merge(machines).parts();
    parts.name = name_;
    parts.source = nccl_log_reader.kind;
    parts.notes.insert(parts.notes.end(), notes_.begin(), notes_.end());
    parts.notes.insert(parts.notes.end(), channels.notes.begin(), channels.notes.end());
    if (!channels.rings.empty() || !channels.trees.empty()) {
      parts.notes.push_back(fmt::format("NCCL{}{} made {} rings and {} trees over {} ranks",
                                        channels.version.empty() ? "" : " ", channels.version, channels.rings.size(),
                                        channels.trees.size(), channels.ranks));
    }
    for (const bool rings : {true, false}) {
      const double planned = channels.planned_bandwidth(rings);
      if (planned > 0)
        parts.notes.push_back(
            fmt::format("NCCL plans its {} with {:g} GB/s on a host", rings ? "rings" : "trees", planned));
    }
    if (channels.best_bus_bandwidth > 0) {
      parts.notes.push_back(
          fmt::format("the best bus bandwidth measured in this log is {:g} GB/s", channels.best_bus_bandwidth));
    }
    return Topology(std::move(parts));
  }

  struct Start {
    const NcclLogLine* line = nullptr;
    int rank = 0;
    int index = 0;
    int cuda = 0;
  };
  struct Model {
    std::string host{};
    int index = 0;
    std::string bus{};
    std::string model{};
  };

  std::string_view text_;
  const std::string& name_;
  const std::vector<NcclLogLine> lines_;
  std::map<std::string, LoggedHost, std::less<>> hosts_;
  std::vector<std::string> order_;  ///< of hosts, as the log first names them
  std::set<std::tuple<std::string_view, long, int>> processes_;
  std::map<std::pair<std::string, int>, int> cuda_;  ///< a host's GPU by CUDA's number
  std::map<std::pair<std::string, int>, std::string> affinities_;
  std::vector<Start> starts_;
  std::map<int, Model> models_;
  std::vector<std::string> notes_;
};

bool is_nccl_log(std::string_view text) {
  text = text.substr(0, std::size_t{4} << 20);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  return has(" NCCL INFO ") || (has("algbw") && has("busbw"));
}

}  // namespace

const Reader nccl_log_reader{
    .kind = "nccl-log",
    .what = "a log with NCCL_DEBUG=INFO or of nccl-tests",
    .recognises = is_nccl_log,
    .read = [](std::string_view text, const std::string& name) { return LogReading(text, name).read(); }};

}  // namespace tutti
