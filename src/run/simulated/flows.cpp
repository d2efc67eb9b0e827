#include "run/simulated/flows.hpp"

#include <algorithm>

namespace tutti::simulated {

int Flows::add_link(Rate capacity) {
  Link link;
  link.capacity = capacity;
  links_.push_back(std::move(link));
  return static_cast<int>(links_.size()) - 1;
}

void Flows::set_capacity(int link, Rate capacity) {
  links_[at(link)].capacity = capacity;
  touch(link);
}

void Flows::touch(int link) {
  Link& it = links_[at(link)];
  if (it.dirty) return;
  it.dirty = true;
  dirty_.push_back(link);
}

int Flows::begin(std::span<const Hop> way, std::uint64_t bytes, int owner, Time now) {
  int id = 0;
  if (free_.empty()) {
    id = static_cast<int>(flows_.size());
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  Flow& flow = flows_[at(id)];
  flow.left = bytes * work_of_a_byte;
  flow.bytes = bytes;
  flow.since = now;
  flow.rate = -1;
  flow.owner = owner;
  flow.hops = static_cast<std::uint8_t>(way.size());
  for (std::size_t h = 0; h < way.size(); ++h) {
    flow.way[h] = way[h];
    auto& crossing = links_[at(way[h].link)].crossing;
    flow.place[h] = static_cast<int>(crossing.size());
    crossing.push_back({id, static_cast<int>(h)});
    touch(way[h].link);
  }
  return id;
}

void Flows::end(int id) {
  Flow& flow = flows_[at(id)];
  for (std::size_t h = 0; h < flow.hops; ++h) {
    Link& link = links_[at(flow.way[h].link)];
    link.carried += static_cast<double>(flow.bytes) * static_cast<double>(flow.way[h].weight);
    const Crossing last = link.crossing.back();
    link.crossing[at(flow.place[h])] = last;
    flows_[at(last.flow)].place[at(last.hop)] = flow.place[h];
    link.crossing.pop_back();
    touch(flow.way[h].link);
  }
  ++flow.version;
  free_.push_back(id);
}

void Flows::move_on(Flow& flow, Time now) {
  if (flow.rate > 0) {
    const Work done = static_cast<Work>(flow.rate) * static_cast<Work>(now - flow.since);
    flow.left = done >= flow.left ? 0 : flow.left - done;
  }
  flow.since = now;
}

/// The common case: one flow that meets no other.
bool Flows::alone(int link) {
  const auto& crossing = links_[at(link)].crossing;
  if (crossing.size() != 1) return false;
  const int id = crossing.front().flow;
  Flow& flow = flows_[at(id)];
  Rate least = never;
  for (std::size_t h = 0; h < flow.hops; ++h) {
    const Link& on = links_[at(flow.way[h].link)];
    if (on.crossing.size() != 1) return false;
    least = std::min(least, on.capacity / flow.way[h].weight);
  }
  for (std::size_t h = 0; h < flow.hops; ++h) links_[at(flow.way[h].link)].mark = epoch_;
  flow.next_rate = least;
  if (flow.rate != least) changed_.push_back(id);
  return true;
}

/// All links and flows that hang together with a link, then their rates.
void Flows::share(int first) {
  if (alone(first)) return;
  links_now_.assign(1, first);
  flows_now_.clear();
  links_[at(first)].mark = epoch_;
  for (std::size_t next = 0; next < links_now_.size(); ++next) {
    for (const Crossing crossing : links_[at(links_now_[next])].crossing) {
      Flow& flow = flows_[at(crossing.flow)];
      if (flow.mark == epoch_) continue;
      flow.mark = epoch_;
      flows_now_.push_back(crossing.flow);
      for (std::size_t h = 0; h < flow.hops; ++h) {
        Link& link = links_[at(flow.way[h].link)];
        if (link.mark == epoch_) continue;
        link.mark = epoch_;
        links_now_.push_back(flow.way[h].link);
      }
    }
  }
  fill();
}

/// Water filling: the narrowest links give their flows what they have, the others go on with the rest.
void Flows::fill() {
  for (const int id : links_now_) {
    Link& link = links_[at(id)];
    link.left = link.capacity;
    link.open = 0;
  }
  for (const int id : flows_now_) {
    Flow& flow = flows_[at(id)];
    flow.open = true;
    for (std::size_t h = 0; h < flow.hops; ++h) links_[at(flow.way[h].link)].open += flow.way[h].weight;
  }
  std::size_t open = flows_now_.size();
  std::vector<int>& links = links_now_;
  while (open > 0) {
    Rate least = -1;
    for (const int id : links) {
      const Link& link = links_[at(id)];
      if (link.open > 0 && (least < 0 || link.left / link.open < least)) least = link.left / link.open;
    }
    // First find all of the narrowest, then take from the others: which comes first must not matter.
    const auto narrow = std::partition(links.begin(), links.end(), [&](int id) {
      const Link& link = links_[at(id)];
      return link.open == 0 || link.left / link.open != least;
    });
    for (auto each = narrow; each != links.end(); ++each) {
      for (const Crossing crossing : links_[at(*each)].crossing) {
        Flow& flow = flows_[at(crossing.flow)];
        if (!flow.open) continue;
        flow.open = false;
        --open;
        flow.next_rate = least;
        if (flow.rate != least) changed_.push_back(crossing.flow);
        for (std::size_t h = 0; h < flow.hops; ++h) {
          Link& link = links_[at(flow.way[h].link)];
          link.left -= least * flow.way[h].weight;
          link.open -= flow.way[h].weight;
        }
      }
    }
    links.erase(narrow, links.end());
    std::erase_if(links, [&](int id) { return links_[at(id)].open == 0; });
  }
}

}  // namespace tutti::simulated
