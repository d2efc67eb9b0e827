#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/autopsy_command.hpp"

namespace tutti::cli {

namespace {

using nlohmann::json;

json call_json(const CallRecord& call) {
  json value{{"number", call.number},
             {"communicator", fmt::format("{:016x}", call.communicator)},
             {"rank", call.rank},
             {"turn", call.turn},
             {"collective", name(call.collective)},
             {"type", name(call.type)},
             {"count", call.count},
             {"bytes", call.bytes()},
             {"operator", name(call.op)},
             {"engine", name(call.engine)},
             {"algorithm", name(call.algorithm)},
             {"protocol", name(call.protocol)},
             {"in_place", call.in_place},
             {"state", name(call.state)},
             {"entered_ns", call.entered},
             {"started_ns", call.started},
             {"ended_ns", call.ended}};
  if (call.root >= 0) value["root"] = call.root;
  if (call.state == CallState::failed) value["error"] = name(call.code);
  if (call.looked != 0) {
    value["waiting"] = {{"seen_ns", call.looked}, {"for", call.awaited}, {"step", call.step}, {"steps", call.steps}};
  }
  return value;
}

}  // namespace

void write_text(const Autopsy& autopsy, std::ostream& out) {
  out << fmt::format("job {}: {} of {} ranks left a file\n\n", autopsy.job, autopsy.ranks.size(), autopsy.size);
  constexpr std::size_t most = 64;
  for (std::size_t i = 0; i < autopsy.ranks.size() && i < most; ++i) {
    const RankReport& rank = autopsy.ranks[i];
    const char* process = rank.finished && rank.process != Process::running ? "ended" : name(rank.process);
    out << fmt::format("rank {:<4} {}, process {} {:<8} {}\n", rank.rank, rank.host, rank.pid, process, rank.state);
  }
  if (autopsy.ranks.size() > most) out << fmt::format("… and {} more\n", autopsy.ranks.size() - most);
  bool titled = false;
  for (const CommunicatorReport& each : autopsy.communicators) {
    if (autopsy.communicators.size() < 2) break;
    if (!titled) out << '\n';
    titled = true;
    out << fmt::format(
        "communicator {}: {}\n", each.name,
        each.parent == 0 ? std::string("all ranks") : fmt::format("ranks {}", fmt::join(each.ranks, ", ")));
  }
  out << '\n';
  if (autopsy.findings.empty()) out << "Nobody is waited for.\n";
  for (const Finding& finding : autopsy.findings) {
    out << fmt::format("{}: {} {} [{}]\n", name(finding.severity), finding.subject, finding.what, finding.id);
    if (!finding.evidence.empty()) out << fmt::format("    seen: {}\n", finding.evidence);
    if (!finding.remedy.empty()) out << fmt::format("    do: {}\n", finding.remedy);
  }
}

void write_json(const Autopsy& autopsy, std::ostream& out) {
  json report{{"job", autopsy.job},
              {"size", autopsy.size},
              {"ranks", json::array()},
              {"communicators", json::array()},
              {"findings", json::array()}};
  for (const RankReport& rank : autopsy.ranks) {
    json value{{"rank", rank.rank},         {"host", rank.host},  {"pid", rank.pid}, {"process", name(rank.process)},
               {"finished", rank.finished}, {"state", rank.state}};
    if (rank.call) value["call"] = call_json(*rank.call);
    report["ranks"].push_back(std::move(value));
  }
  for (const CommunicatorReport& each : autopsy.communicators) {
    report["communicators"].push_back({{"id", fmt::format("{:016x}", each.id)},
                                       {"parent", fmt::format("{:016x}", each.parent)},
                                       {"size", each.size},
                                       {"ranks", each.ranks}});
  }
  for (const Finding& finding : autopsy.findings) {
    report["findings"].push_back({{"id", finding.id},
                                  {"severity", name(finding.severity)},
                                  {"subject", finding.subject},
                                  {"what", finding.what},
                                  {"evidence", finding.evidence},
                                  {"remedy", finding.remedy}});
  }
  out << report.dump(2) << '\n';
}

}  // namespace tutti::cli
