#include "run/simulated/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tutti/base/error.hpp"

namespace tutti::simulated {

namespace {
/// Bytes a second that the kernels of one GPU read and write while they combine. Rings bring 370 GB/s over an H100's
/// NVLink in published tables, which takes three times as much of its memory: it is no less than that, and a bit
/// less than half of HBM3's 3.35 TB/s.
constexpr Rate combining = 1500LL * 1000 * 1000 * 1000;
}  // namespace

void Run::at(Time time, What what, std::size_t id, std::uint32_t version) {
  queue_.push_back({time, static_cast<std::uint32_t>(id), version, what});
  std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
}

Run::Event Run::take() {
  std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
  const Event event = queue_.back();
  queue_.pop_back();
  return event;
}

void Run::look_at(int actor) {
  Actor& a = actors_[static_cast<std::size_t>(actor)];
  if (a.waiting || a.busy) return;
  a.waiting = true;
  ready_.push_back(actor);
}

/// Of the first lane that is at work: all go forward together, more or less.
double Run::done() const {
  const Actor& a = actors_.front();
  const double steps = std::max(1, a.steps);
  return (a.round + a.index / steps) / plan_.chunks;
}

void Run::begin() {
  for (std::size_t a = 0; a < actors_.size(); ++a) {
    if (actors_[a].from > 0) {
      at(actors_[a].from, What::wakes, a);
    } else {
      look_at(static_cast<int>(a));
    }
  }
}

void Run::take_steps() {
  while (!ready_.empty()) {
    const int actor = ready_.back();
    ready_.pop_back();
    actors_[static_cast<std::size_t>(actor)].waiting = false;
    try_step(actor);
  }
}

void Run::go_to(Time time) {
  now_ = time;
  if (unfinished_ > 0) end_ = time;
  while (!queue_.empty() && queue_.front().time == now_) {
    ++events_;
    happen(take());
  }
}

void Run::flow_ends(int flow, std::uint32_t version, Time time) {
  at(time, What::left, static_cast<std::size_t>(flow), version);
}

void Run::happen(const Event& event) {
  switch (event.what) {
    case What::left: {
      const int flow = static_cast<int>(event.id);
      if (flows_.version(flow) != event.version) return;
      const int id = flows_.owner(flow) & wire_of_owner;
      flows_.end(flow);
      const Wire& wire = wires_[static_cast<std::size_t>(id)];
      at(now_ + wire.latency, What::arrives, static_cast<std::size_t>(id));
      finish_part(wire.writer);
      return;
    }
    case What::arrives: {
      Wire& wire = wires_[event.id];
      ++wire.arrived;
      if (wire.reader >= 0) look_at(wire.reader);
      return;
    }
    case What::done:
      finish_part(static_cast<int>(event.id));
      return;
    case What::wakes:
      look_at(static_cast<int>(event.id));
      return;
    default:
      link_event(event);
  }
}

void Run::link_event(const Event& event) {
  const LinkFailure& failure = scenario_.failures[event.id];
  const Rate rate = machine_.adapter_rate(failure.rail);
  for (const int link : machine_.adapter_links(place_of(failure.node), failure.rail)) {
    flows_.set_capacity(link, event.what == What::link_fails ? 0 : event.what == What::link_back ? rate : rate / 2);
  }
  if (event.what != What::link_moves) return;
  // Two rails' traffic over one: each has half.
  const int next = (failure.rail + 1) % machine_.rails();
  for (const int link : machine_.adapter_links(place_of(failure.node), next))
    flows_.set_capacity(link, machine_.adapter_rate(next) / 2);
}

/// Does this chunk have what the phase before makes of it?
bool Run::phase_ready(const Actor& a) const {
  if (a.index > 0 || a.phase == 0 || a.is_switch) return true;
  const std::size_t phase = static_cast<unsigned char>(a.phase);
  const auto before = first_of_phase_[phase - 1];
  const auto own = first_of_phase_[phase];
  const auto self = &a - actors_.data();
  const auto base = self - a.lane - own;
  for (auto other = base + before; other < base + own; ++other) {
    if (actors_[static_cast<std::size_t>(other)].round <= a.round) return false;
  }
  return true;
}

void Run::try_step(int actor) {
  Actor& a = actors_[static_cast<std::size_t>(actor)];
  if (a.busy || now_ < a.from || a.round == plan_.chunks || !phase_ready(a)) return;
  if (a.steps == 0) {
    a.index = -1;
    finish_step(actor);
    return;
  }
  const plan::Step step = step_of(a);
  std::int32_t in = step.from.count > 1 ? several : -1;
  for (int i = 0; i < step.from.count; ++i) {
    const int id = wire_in(actor, a, step.from[i], step.from_wire);
    const Wire& wire = wires_[static_cast<std::size_t>(id)];
    if (wire.arrived == wire.taken) return;
    if (in != several) in = id;
  }
  for (int i = 0; i < step.to.count; ++i) {
    const Wire& wire = wires_[static_cast<std::size_t>(wire_out(actor, a, step.to[i], step.to_wire))];
    if (wire.sent - wire.taken >= scenario_.slots) return;
  }
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(step.blocks.count) * plan_.phases[static_cast<std::size_t>(a.phase)].block;
  a.busy = true;
  a.begun = now_;
  a.in = in;
  a.open = 1;
  if (step.combine && bytes > 0) {
    const auto read = static_cast<std::uint64_t>(step.from.count) + (step.own != plan::Place::none ? 1 : 0);
    const Time combined = duration((read + 1) * bytes * work_of_a_byte, combining);
    // What leaves takes longer in any case, more often than not.
    const Time leaves = step.to.count > 0 ? duration(bytes * work_of_a_byte, machine_.fastest()) : 0;
    if (combined > leaves) {
      ++a.open;
      at(now_ + combined, What::done, static_cast<std::size_t>(actor));
    }
  }
  for (int i = 0; i < step.to.count; ++i) {
    const int id = wire_out(actor, a, step.to[i], step.to_wire);
    Wire& wire = wires_[static_cast<std::size_t>(id)];
    ++wire.sent;
    ++messages_;
    if (bytes == 0) {
      at(now_ + wire.latency, What::arrives, static_cast<std::size_t>(id));
      continue;
    }
    ++a.open;
    flows_.begin({hops_.data() + wire.first_hop, static_cast<std::size_t>(wire.hops)}, bytes, number_ << run_shift | id,
                 now_);
  }
  finish_part(actor);
}

void Run::finish_part(int actor) {
  if (--actors_[static_cast<std::size_t>(actor)].open == 0) finish_step(actor);
}

void Run::finish_step(int actor) {
  Actor& a = actors_[static_cast<std::size_t>(actor)];
  if (a.index >= 0 && (a.in == several || scenario_.traced_ranks > 0)) {
    const plan::Step step = step_of(a);
    if (scenario_.traced_ranks > 0) trace(a, step);
    for (int i = 0; i < step.from.count; ++i) take_from(wire_in(actor, a, step.from[i], step.from_wire));
  } else if (a.index >= 0 && a.in >= 0) {
    take_from(a.in);
  }
  a.busy = false;
  if (++a.index >= a.steps) {
    a.index = 0;
    if (++a.round == plan_.chunks) --unfinished_;
    const auto next = static_cast<std::size_t>(a.phase) + 1;
    if (next < plan_.phases.size() && !a.is_switch) {
      const auto base = actor - a.lane - first_of_phase_[next - 1];
      for (auto other = base + first_of_phase_[next]; other < base + first_of_phase_[next + 1]; ++other) look_at(other);
    }
  }
  look_at(actor);
}

void Run::take_from(int id) {
  Wire& wire = wires_[static_cast<std::size_t>(id)];
  // Only a full wire has somebody waiting for room.
  if (wire.sent - wire.taken++ >= scenario_.slots && wire.writer >= 0) look_at(wire.writer);
}

int Run::wire_in(int actor, Actor& a, int peer, int number) {
  const int name = peer * plan::max_wires + number;
  if (a.last_in_peer == name) return a.last_in;
  const Gpu self{a.node, a.local};
  const Gpu other = plan_.phases[static_cast<std::size_t>(a.phase)].gpu_of(peer, self, gpus_, shift_of(a));
  // Seen from the sender: where the move that takes it to machine 0 puts this one.
  const Symmetry& moves = plan_.symmetry;
  const bool moved = moves.any() && !machine_.is_switch(self) && !machine_.is_switch(other);
  const Gpu sender{moved ? 0 : other.node, other.local};
  const Gpu receiver{moved ? moves.seen_from(other.node, self.node) : self.node, self.local};
  const int id = wire(a, number, sender, receiver);
  wires_[static_cast<std::size_t>(id)].reader = actor;
  a.last_in = id;
  a.last_in_peer = name;
  return id;
}

int Run::wire_out(int actor, Actor& a, int peer, int number) {
  const int name = peer * plan::max_wires + number;
  if (a.last_out_peer == name) return a.last_out;
  const Gpu self{a.node, a.local};
  const Gpu other = plan_.phases[static_cast<std::size_t>(a.phase)].gpu_of(peer, self, gpus_, shift_of(a));
  const Symmetry& moves = plan_.symmetry;
  const bool moved = moves.any() && !machine_.is_switch(self) && !machine_.is_switch(other);
  const Gpu sender{moved ? 0 : self.node, self.local};
  const Gpu receiver{moved ? moves.seen_from(self.node, other.node) : other.node, other.local};
  const int id = wire(a, number, sender, receiver);
  Wire& it = wires_[static_cast<std::size_t>(id)];
  if (it.writer < 0) {
    it.writer = actor;
    make_way(it, sender, receiver);
  }
  a.last_out = id;
  a.last_out_peer = name;
  return id;
}

int Run::wire(const Actor& a, int number, const Gpu& sender, const Gpu& receiver) {
  static_assert(plan::max_wires <= 4);
  const auto u = [](auto value) { return static_cast<std::uint64_t>(value); };
  // Each machine has its GPUs and a switch; between machines there is one for each number of a GPU.
  const std::uint64_t wide = u(gpus_) + 1;
  const std::uint64_t places = (u(machine_.nodes()) + 1) * wide;
  const auto place = [&](const Gpu& gpu) { return u(gpu.node) * wide + u(gpu.local); };
  const std::uint64_t key =
      (place(sender) * places + place(receiver)) << 10 | u(a.channel) << 4 | u(a.phase) << 2 | u(number);
  const auto [found, fresh] = wire_ids_.try_emplace(key, static_cast<std::int32_t>(wires_.size()));
  if (fresh) wires_.emplace_back();
  return found->second;
}

void Run::make_way(Wire& wire, const Gpu& from, const Gpu& to) {
  const Way way = machine_.way({place_of(from.node), from.local}, {place_of(to.node), to.local});
  wire.latency = way.latency;
  wire.first_hop = static_cast<std::int32_t>(hops_.size());
  wire.hops = static_cast<std::int32_t>(way.hops.size());
  hops_.insert(hops_.end(), way.hops.begin(), way.hops.end());
}

void Run::trace(const Actor& a, const plan::Step& step) {
  const std::int64_t rank = static_cast<std::int64_t>(a.node) * gpus_ + a.local;
  if (a.is_switch || rank >= scenario_.traced_ranks) return;
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(step.blocks.count) * plan_.phases[static_cast<std::size_t>(a.phase)].block;
  trace_.push_back({rank, a.channel, a.phase, a.lane, a.index, a.round, a.begun, now_, bytes,
                    step.from.count + (step.own != plan::Place::none ? 1 : 0), step.to.count});
}

void Run::stuck() const {
  for (const Actor& a : actors_) {
    if (a.round == plan_.chunks) continue;
    throw Error(Code::peer_lost,
                fmt::format("the simulated {} never ends: GPU {} of machine {} waits in step {} of {}",
                            name(scenario_.collective), a.local, a.node, a.index, a.steps),
                {.remedy = "a link that fails for good needs a time after which its traffic moves (failover)"});
  }
  throw Error(Code::internal, "a simulated run ended with nobody waiting");
}

}  // namespace tutti::simulated
