#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/judge_command.hpp"
#include "tutti/base/units.hpp"

namespace tutti::cli {

namespace {

using choose::Pattern;
using choose::Platform;

/// What NCCL has.
choose::Wanted nccl() {
  return {.patterns = {Pattern::ring, Pattern::tree, Pattern::multicast, Pattern::multicast_tree, Pattern::pat,
                       Pattern::switch_reduction}};
}

struct Explanation {
  std::string what;
  Platform platform;
  choose::Wanted wanted = nccl();
};

/// Machines that differ from the one described by one fault, and what to do about it.
std::vector<Explanation> faults_of(const Platform& at) {
  std::vector<Explanation> all;
  const auto with = [&](std::string what, auto change) {
    Platform other = at;
    change(other);
    all.push_back({std::move(what), other});
  };
  if (at.multicast) {
    with("NVLink SHARP not used: NCCL_NVLS_ENABLE, and whether the fabric manager runs",
         [](Platform& p) { p.multicast = false; });
  }
  if (at.inner == choose::InnerLink::nvlink && at.gpus > 1) {
    with("half of the NVLinks: nvidia-smi nvlink --status", [](Platform& p) { p.inner_gbs /= 2; });
    with("PCIe in place of NVLink: NCCL_P2P_DISABLE and NCCL_P2P_LEVEL, nvidia-smi topo -m", [](Platform& p) {
      p.inner = choose::InnerLink::pcie_host;
      p.inner_gbs = 31.5;
      p.multicast = false;
    });
  }
  if (at.nodes > 1) {
    for (int rails = 1; rails < at.rails; ++rails) {
      with(
          fmt::format("{} of {} rails: NCCL_IB_HCA, ibstat on every machine, NCCL_DEBUG=INFO for the adapters it takes",
                      rails, at.rails),
          [&](Platform& p) { p.rails = rails; });
    }
    with("GPUDirect RDMA not used: nvidia-peermem, NCCL_NET_GDR_LEVEL, ACS and IOMMU",
         [](Platform& p) { p.gpu_direct = false; });
    with("an oversubscribed or congested fabric: adaptive routing, NCCL_IB_QPS_PER_CONNECTION, other jobs",
         [](Platform& p) { p.oversubscription *= 2; });
    with("slow hops between machines: a way over more switches, no GPUDirect, or power saving of processors",
         [](Platform& p) { p.switch_us += 20; });
    with("TCP in place of RDMA: NCCL_IB_DISABLE, NCCL_DEBUG=INFO says NET/Socket", [](Platform& p) {
      p.gpu_direct = false;
      p.rails = 1;
      p.rail_gbs = 5;
      p.switch_us += 40;
    });
  }
  if (at.gpus_per_process == 1 && at.gpus > 1) {
    with("one thread that launches for all GPUs of a machine (-g): a process for each",
         [](Platform& p) { p.gpus_per_process = p.gpus; });
  }
  Explanation ring{"NCCL_ALGO=Ring", at};
  ring.wanted.patterns = {Pattern::ring};
  all.push_back(ring);
  Explanation simple{"NCCL_PROTO=Simple, or a transport that carries neither LL nor LL128", at};
  simple.wanted.protocols = {choose::GpuProtocol::simple};
  all.push_back(simple);
  Explanation ll{"NCCL_PROTO=LL", at};
  ll.wanted.protocols = {choose::GpuProtocol::ll};
  all.push_back(ll);
  return all;
}

/// Mean distance of the logarithms.
double distance(const MeasuredTable& table, const Platform& at, const choose::Wanted& wanted) {
  double sum = 0;
  for (const MeasuredRow& row : table.rows) {
    sum += std::abs(std::log(row.us / least_us(table.collective, static_cast<std::size_t>(row.bytes), at, wanted)));
  }
  return sum / static_cast<double>(table.rows.size());
}

void advise(const MeasuredTable& table, Judgement& judgement) {
  const auto low = [](const JudgedRow& row) { return row.grade == "poor" || row.grade == "low"; };
  const auto bad = std::count_if(judgement.rows.begin(), judgement.rows.end(), low);
  if (bad == 0) return;
  const double plain = distance(table, judgement.platform, nccl());
  std::vector<std::pair<double, std::string>> fitting;
  for (const Explanation& fault : faults_of(judgement.platform)) {
    const double with = distance(table, fault.platform, fault.wanted);
    if (with < 0.7 * plain) fitting.emplace_back(with, fault.what);
  }
  std::stable_sort(fitting.begin(), fitting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < fitting.size() && i < 3; ++i) {
    judgement.advice.push_back(fmt::format("looks like {} (that explains all sizes but for {:.0f} %)",
                                           fitting[i].second, 100 * (std::exp(fitting[i].first) - 1)));
  }
  if (!judgement.advice.empty()) return;
  const auto worst = std::min_element(judgement.rows.begin(), judgement.rows.end(),
                                      [](const JudgedRow& a, const JudgedRow& b) { return a.percent < b.percent; });
  judgement.advice.push_back(fmt::format("worst at {}: there {} limits; no single fault explains the whole table",
                                         format_bytes(static_cast<std::size_t>(worst->measured.bytes)),
                                         worst->expected.bottleneck));
}

}  // namespace

Judgement judge(const MeasuredTable& table, const Platform& platform) {
  Judgement judgement;
  judgement.platform = platform;
  for (const MeasuredRow& row : table.rows) {
    JudgedRow judged;
    judged.measured = row;
    judged.expected = prices(table.collective, static_cast<std::size_t>(row.bytes), platform, nccl()).front();
    judged.percent = 100 * judged.expected.us / row.us;
    const double off = std::log(judged.expected.us / row.us) / judged.expected.uncertainty;
    judged.grade = off < -2 ? "poor" : off < -1 ? "low" : off > 2 ? "better" : "good";
    judgement.poor = judgement.poor || judged.grade == "poor";
    judgement.rows.push_back(judged);
  }
  advise(table, judgement);
  return judgement;
}

}  // namespace tutti::cli
