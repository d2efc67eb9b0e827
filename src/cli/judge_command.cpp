#include "cli/judge_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cluster_named.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"
#include "tutti/choose/price_cluster.hpp"
#include "tutti/topology/preset_clusters.hpp"

namespace tutti::cli {

namespace {

std::string contents(const std::string& file) {
  if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw Error(Code::invalid_argument, fmt::format("{} cannot be read", file),
                {.remedy = "give a file of nccl-tests or tutti bench, or - for standard input"});
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The usual machine with such GPUs, or a cluster of them.
const char* usual_machine(choose::GpuKind kind, const std::string& model) {
  switch (kind) {
    case choose::GpuKind::ada:
      return model.find("4090") != std::string::npos  ? "8xRTX4090"
             : model.find("L40") != std::string::npos ? "8xL40S"
                                                      : nullptr;
    case choose::GpuKind::volta:
      return "8xV100-roce100";
    case choose::GpuKind::ampere:
      return "8xA100-hdr";
    case choose::GpuKind::hopper:
      return "8xH100-ndr";
    case choose::GpuKind::blackwell:
      return "8xB200-xdr";
    default:
      return nullptr;
  }
}

choose::Platform platform_for(const MeasuredTable& table, const JudgeOptions& options,
                              std::vector<std::string>& notes) {
  const std::int64_t ranks = options.ranks > 0 ? options.ranks : table.ranks;
  choose::Platform at;
  if (!options.topology.empty()) {
    Cluster cluster = cluster_named(options.topology, 0);
    const std::int64_t each = cluster.gpus_of(0);
    // A preset grows to the job.
    if (ranks > cluster.gpu_count() && each > 0 && find_cluster_preset(options.topology) != nullptr) {
      cluster = preset_cluster(options.topology, (ranks + each - 1) / each);
    }
    at = choose::platform_of(cluster, ranks);
  } else {
    const auto kind = choose::gpu_kind_named(table.model);
    const char* usual = kind ? usual_machine(*kind, table.model) : nullptr;
    if (usual == nullptr || ranks < 1) {
      throw Error(Code::invalid_argument,
                  fmt::format("{}: it does not say on which machine it was measured", options.result),
                  {.remedy = "name the machine: --topology dgx-h100, a file, or a preset of a cluster, and --ranks"});
    }
    const std::int64_t nodes = table.hosts > 0 ? table.hosts : std::max<std::int64_t>(1, ranks / 8);
    at = choose::platform_of(preset_cluster(usual, std::max<std::int64_t>(2, nodes)),
                             nodes == 1 ? std::min<std::int64_t>(8, ranks) : 0);
    if (at.ranks() != ranks) {
      at.nodes = static_cast<int>(nodes);
      at.gpus = static_cast<int>(std::max<std::int64_t>(1, ranks / nodes));
    }
    notes.push_back(fmt::format("the machine is taken to be like {}; --topology says otherwise", usual));
  }
  at.gpus_per_process = table.gpus_per_process;
  return at;
}

nlohmann::ordered_json json_of(const MeasuredTable& table, const Judgement& judgement,
                               const std::vector<std::string>& notes) {
  nlohmann::ordered_json json;
  json["form"] = table.form;
  json["collective"] = name(table.collective);
  json["platform"] = judgement.platform.name;
  json["ranks"] = judgement.platform.ranks();
  json["notes"] = notes;
  json["advice"] = judgement.advice;
  json["rows"] = nlohmann::ordered_json::array();
  for (const JudgedRow& row : judgement.rows) {
    json["rows"].push_back({{"size_bytes", row.measured.bytes},
                            {"time_us", row.measured.us},
                            {"expected_us", row.expected.us},
                            {"uncertainty", row.expected.uncertainty},
                            {"percent", row.percent},
                            {"grade", row.grade},
                            {"by", fmt::format("{} {}", name(row.expected.pattern), name(row.expected.protocol))},
                            {"limited_by", row.expected.bottleneck}});
  }
  return json;
}

}  // namespace

int judge_command(const JudgeOptions& options, std::ostream& out) {
  const MeasuredTable table = read_result(contents(options.result), options.result);
  std::vector<std::string> notes;
  const choose::Platform platform = platform_for(table, options, notes);
  const Judgement judgement = judge(table, platform);
  if (options.json) {
    out << json_of(table, judgement, notes).dump(2) << '\n';
    return judgement.poor ? 1 : 0;
  }
  out << fmt::format("{} of {} ranks on {} ({}x {} {})\n\n", name(table.collective), platform.ranks(), platform.name,
                     platform.nodes, platform.gpus, name(platform.gpu));
  out << fmt::format("{:>10} {:>12} {:>12} {:>10} {:>10} {:>6}  {:<7} {}\n", "size", "time us", "expected us", "busbw",
                     "expected", "%", "grade", "limited by");
  const double factor = choose::bus_factor(table.collective, platform.ranks());
  for (const JudgedRow& row : judgement.rows) {
    const double scale = row.measured.bytes / 1e3 * factor;
    out << fmt::format("{:>10} {:>12.2f} {:>12.2f} {:>10.2f} {:>10.2f} {:>6.0f}  {:<7} {}\n",
                       format_bytes(static_cast<std::size_t>(row.measured.bytes)), row.measured.us, row.expected.us,
                       scale / row.measured.us, scale / row.expected.us, row.percent, row.grade,
                       row.expected.bottleneck);
  }
  out << '\n';
  for (const std::string& note : notes) out << "note: " << note << '\n';
  if (judgement.advice.empty()) out << "nothing is amiss\n";
  for (const std::string& line : judgement.advice) out << "next: " << line << '\n';
  return judgement.poor ? 1 : 0;
}

void add_judge_command(CLI::App& app, int& status) {
  const auto given = std::make_shared<JudgeOptions>();
  CLI::App* command = app.add_subcommand("judge", "Is a measured number good? Exit status 1 when a size is poor");
  command
      ->add_option("RESULT", given->result, "Output of nccl-tests, its JSON, or that of tutti bench; -: standard input")
      ->required();
  command->add_option("--topology", given->topology,
                      "The machine or cluster: a preset, or a file; default: as the result says");
  command->add_option("--ranks", given->ranks, "Where the result does not say how many")->capture_default_str();
  command->add_flag("--json", given->json, "The judgement as JSON");
  command->callback([given, &status] { status = judge_command(*given, std::cout); });
}

}  // namespace tutti::cli
