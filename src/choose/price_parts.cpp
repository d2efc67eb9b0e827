#include "choose/price_parts.hpp"

#include <algorithm>
#include <cmath>

#include "tutti/plan/seat.hpp"

namespace tutti::choose {

namespace {

constexpr double bytes_a_microsecond = 1000;  // of 1 GB/s
/// Of a message in a pattern where everybody sends to everybody: a slot to find, a flag to write.
constexpr double message_us = 0.15;
/// Of 128 bytes, LL128 carries 120.
constexpr double ll128_share = 120.0 / 128;
constexpr double ll_share = 0.5;
/// Without GPUDirect RDMA every message is copied through host memory on both sides.
constexpr double bounce_share = 0.5;
constexpr double bounce_us = 6;

bool gathers(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::reduce_scatter;
}
bool rooted(Collective collective) { return collective == Collective::broadcast || collective == Collective::reduce; }

struct Rates {
  double inside = 0;
  double ring = 0;  ///< between machines
  double tree = 0;
};

double inside_rate(Collective collective, GpuProtocol protocol, const Platform& platform, const Coefficients& all) {
  if (platform.inner != InnerLink::nvlink) {
    const auto& link = all.of(platform.inner);
    double sharers = 1;
    if (platform.inner == InnerLink::pcie_host) {
      // Of a chain, the last one sends nothing.
      const double senders = rooted(collective) ? 1 - 1.0 / platform.ranks() : 1;
      sharers = std::max(1.0, platform.uplink_sharers * senders);
    }
    const double rate = platform.inner_gbs / sharers * link.efficiency;
    return protocol == GpuProtocol::ll ? rate * link.ll_share : rate;
  }
  const auto& gpu = all.of(platform.gpu);
  const double rate = platform.inner_gbs * gpu.link_efficiency;
  switch (protocol) {
    case GpuProtocol::ll:
      return std::min(rate * ll_share, gpu.ll_gbs);
    case GpuProtocol::ll128:
      return std::min(rate * ll128_share, gpu.ll128_gbs);
    case GpuProtocol::simple:
      break;
  }
  return rate;
}

Rates rates(Collective collective, GpuProtocol protocol, const Platform& platform, const Coefficients& all) {
  Rates result;
  result.inside = inside_rate(collective, protocol, platform, all);
  if (platform.nodes == 1) return result;
  const auto& way = all.of(platform.transport);
  const double line = platform.network_gbs() / platform.oversubscription * (platform.gpu_direct ? 1 : bounce_share);
  const double share = protocol == GpuProtocol::ll ? ll_share : protocol == GpuProtocol::ll128 ? ll128_share : 1;
  const bool crowded = platform.queue_pairs == 1 && platform.nodes > 2;
  double spread = crowded ? way.one_queue_pair : 1;
  if (!platform.adaptive_routing && platform.nodes > 2) spread *= way.one_queue_pair;
  result.ring = line * way.efficiency * spread * share;
  result.tree = line * way.tree_efficiency * spread * share;
  return result;
}

/// Is the protocol carried on all links of the platform?
const char* carried(GpuProtocol protocol, const Platform& platform, const Coefficients& all) {
  if (protocol == GpuProtocol::ll128 && platform.inner != InnerLink::nvlink) {
    return "LL128 needs links that keep 128 bytes together: NVLink";
  }
  if (platform.nodes == 1) return nullptr;
  const auto& way = all.of(platform.transport);
  if (protocol == GpuProtocol::ll && !way.ll) return "this transport does not carry LL";
  if (protocol == GpuProtocol::ll128 && !way.ll128) return "this transport does not carry LL128";
  return nullptr;
}

void ring(Parts& p, Collective collective, const Platform& at) {
  const int n = at.ranks();
  const int turns = collective == Collective::all_reduce ? 2 : 1;
  const int hops = turns * (n - 1);
  // Every g-th hop of a chain of consecutive ones leaves a machine.
  p.hops_between = at.nodes == 1 ? 0 : (hops + at.gpus - 1) / at.gpus;
  p.hops_inside = hops - p.hops_between;
  const double share = rooted(collective) ? 1 : static_cast<double>(turns) * (n - 1) / n;
  p.share_inside = at.gpus > 1 ? share : 0;
  p.share_between = at.nodes > 1 ? share : 0;
}

void tree(Parts& p, Collective collective, const Platform& at) {
  const int ways = collective == Collective::all_reduce ? 2 : 1;
  p.hops_inside = ways * (at.gpus - 1);
  p.hops_between = at.nodes == 1 ? 0 : ways * plan::log2_floor(at.nodes);
  p.share_inside = at.gpus == 1 ? 0 : at.gpus == 2 || ways == 1 ? 1 : 2;
  // Each tree carries half; whoever has two children and a parent in one has a parent in the other.
  p.share_between = at.nodes == 1 ? 0 : ways == 1 ? 1 : std::min(at.nodes, 4) / 2.0;
}

void all_to_all_pattern(Parts& p, const Platform& at, double of_each_peer, int shots) {
  const double n = at.ranks();
  const double g = at.gpus;
  const bool far = at.nodes > 1;
  p.hops_between = far ? shots : 0;
  p.hops_inside = far ? 0 : shots;
  p.fixed_us = shots * (n - 1) * message_us;
  p.fixed_for = "messages sent one by one";
  p.share_inside = of_each_peer * (g - 1);
  p.share_between = of_each_peer * g * (n - g);
}

void halving_doubling(Parts& p, const Platform& at) {
  const int n = at.ranks();
  const int power = plan::floor_power(n);
  const int fold = power == n ? 0 : 1;
  const int rounds = plan::log2_floor(n);
  const int near = std::min(rounds, plan::log2_floor(at.gpus));
  p.hops_inside = 2 * (near + fold);
  p.hops_between = at.nodes == 1 ? 0 : 2 * (rounds - near);
  // The far rounds come first and carry most: a rank sends (1 - 1/N) of the vector out of its machine, twice.
  const double far = at.nodes == 1 ? 0 : 1 - 1.0 / (1 << (rounds - near));
  p.share_between = 2 * far * at.gpus;
  p.share_inside = 2 * (1 - far) * (1 - 1.0 / (1 << near)) + fold;
}

void two_level(Parts& p, const Platform& at) {
  const int power = plan::floor_power(at.nodes);
  const bool fold = power != at.nodes;
  p.hops_inside = at.gpus > 1 ? 2 : 0;
  p.hops_between = 2 * plan::log2_floor(at.nodes) + (fold ? 2 : 0);
  p.share_inside = 2.0 * (at.gpus - 1) / at.gpus;
  p.share_between = 2.0 * (power - 1) / power + (fold ? 1 : 0);
}

void multicast(Parts& p, Collective collective, const Platform& at, const Coefficients& all) {
  const auto& gpu = all.of(at.gpu);
  p.fixed_us = gpu.multicast_us;
  p.fixed_for = "through the NVLink switch and back";
  p.share_inside = collective == Collective::all_reduce ? 1 + 1.0 / at.gpus : 1;
  p.inside_gbs = at.inner_gbs * gpu.multicast_efficiency;
}

double overlap_of(Pattern pattern, const Platform& at, const Coefficients& all) {
  switch (pattern) {
    case Pattern::ring:
      return at.nodes == 1 ? all.ring_overlap : all.far_ring_overlap;
    case Pattern::multicast:
    case Pattern::multicast_tree:
    case Pattern::switch_reduction:
      return all.switch_overlap;
    case Pattern::one_shot:
    case Pattern::two_shot:
    case Pattern::halving_doubling:
      return 0;  // each message is sent once, whole
    default:
      return all.tree_overlap;
  }
}

}  // namespace

double Parts::transfer_inside_us(double bytes) const {
  return share_inside == 0 ? 0 : share_inside * bytes / (inside_gbs * bytes_a_microsecond);
}
double Parts::transfer_between_us(double bytes) const {
  return share_between == 0 ? 0 : share_between * bytes / (between_gbs * bytes_a_microsecond);
}

double Parts::total_us(double bytes) const {
  const double latency = latency_us();
  const double transfer = std::max(transfer_inside_us(bytes), transfer_between_us(bytes));
  return std::max(launch_us, start_us + latency + transfer + overlap * std::sqrt(latency * transfer));
}

Parts parts(Collective collective, Pattern pattern, GpuProtocol protocol, const Platform& at, const Coefficients& all) {
  Parts p;
  const auto without = [](const char* reason) {
    Parts none;
    none.excluded = reason;
    return none;
  };
  const int n = at.ranks();
  p.start_us = all.start_us;
  p.launch_us = all.launch_us * at.gpus_per_process;
  p.overlap = overlap_of(pattern, at, all);
  if (n == 1) return p;
  const bool reducing = collective == Collective::all_reduce;
  const bool known = reducing || gathers(collective) || rooted(collective) || collective == Collective::all_to_all;
  if (!known) return without("no price is known for this collective");
  if (const char* reason = carried(protocol, at, all)) return without(reason);

  const Rates rate = rates(collective, protocol, at, all);
  const auto at_protocol = static_cast<std::size_t>(protocol);
  p.inside_gbs = rate.inside;
  p.between_gbs = rate.ring;
  p.hop_inside_us =
      at.inner == InnerLink::nvlink ? all.of(at.gpu).nvlink_us[at_protocol] : all.of(at.inner).hop_us[at_protocol];
  p.hop_between_us =
      at.nodes == 1 ? 0 : all.of(at.transport).hop_us[at_protocol] + at.switch_us + (at.gpu_direct ? 0 : bounce_us);

  switch (pattern) {
    case Pattern::ring:
      if (collective == Collective::all_to_all) return without("what goes to one rank would pass all the others");
      ring(p, collective, at);
      return p;
    case Pattern::tree:
      if (!reducing && !rooted(collective)) return without("every block would pass the top");
      tree(p, collective, at);
      p.between_gbs = rate.tree;
      return p;
    case Pattern::one_shot:
      if (rooted(collective)) return without("the root's link would carry all copies");
      all_to_all_pattern(p, at, reducing ? 1.0 : 1.0 / n, 1);
      return p;
    case Pattern::two_shot:
      if (!reducing) return without("it is done after the first shot: one_shot");
      all_to_all_pattern(p, at, 2.0 / n, 2);
      return p;
    case Pattern::halving_doubling:
      if (!reducing) return without("priced for all_reduce only");
      halving_doubling(p, at);
      return p;
    case Pattern::pat:
      if (!gathers(collective)) return without("it gathers or scatters");
      if (at.gpus != 1) return without("it is for one rank a machine");
      if (protocol != GpuProtocol::simple) return without("it runs on Simple only");
      p.hops_between = plan::log2_ceil(n);
      p.share_between = static_cast<double>(n - 1) / n;
      return p;
    case Pattern::two_level:
      if (!reducing) return without("priced for all_reduce only");
      if (at.nodes == 1) return without("there is one machine");
      two_level(p, at);
      return p;
    case Pattern::multicast:
    case Pattern::multicast_tree:
      if (!at.multicast) return without("no switch in the machine reduces or multicasts");
      if (protocol != GpuProtocol::simple) return without("it runs on Simple only");
      if (pattern == Pattern::multicast) {
        if (at.nodes != 1) return without("there are several machines: multicast_tree");
        if (!reducing && !gathers(collective)) return without("the switch reduces, scatters or gathers");
        multicast(p, collective, at, all);
        return p;
      }
      if (at.nodes == 1) return without("there is one machine: multicast");
      if (!reducing) return without("the switch reduces for all_reduce only");
      multicast(p, collective, at, all);
      p.fixed_us += 2 * plan::log2_floor(at.nodes) * (all.of(at.transport).multicast_us + at.switch_us);
      p.share_between = at.nodes == 2 ? 1 : 2;
      p.between_gbs = rate.tree;
      return p;
    case Pattern::switch_reduction:
      if (!at.switch_reduces) return without("no switch between the machines reduces, or none may");
      if (at.nodes == 1) return without("there is one machine");
      if (!reducing) return without("the switches reduce for all_reduce only");
      if (protocol != GpuProtocol::simple) return without("it runs on Simple only");
      p.hops_inside = at.gpus > 1 ? 2 : 0;
      p.fixed_us = all.switch_reduction_us + at.switch_us;
      p.fixed_for = "up and down the reducing switches";
      p.share_inside = 2.0 * (at.gpus - 1) / at.gpus;
      p.share_between = 1;
      p.between_gbs = at.network_gbs() / at.oversubscription * all.switch_reduction_efficiency;
      return p;
  }
  return without("no such pattern");
}

}  // namespace tutti::choose
