#include "cli/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/bench_collective.hpp"
#include "cli/name_list.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti::bench {

namespace {

constexpr int most_ranks = 1024;  ///< as threads of one process
constexpr std::size_t most_sizes = 10'000;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy, Where where = Where::here()) {
  throw Error(Code::invalid_argument, what, {.operation = "bench", .remedy = remedy}, where);
}

const std::vector<Algorithm> every_algorithm{
    Algorithm::ring,     Algorithm::tree,     Algorithm::direct,           Algorithm::automatic,
    Algorithm::one_shot, Algorithm::two_shot, Algorithm::halving_doubling, Algorithm::bruck};

std::vector<DataType> every_type() {
  std::vector<DataType> types;
  for (int t = 0; t < data_type_count; ++t) {
    if (static_cast<DataType>(t) != DataType::user) types.push_back(static_cast<DataType>(t));
  }
  return types;
}

std::vector<Op> every_op() {
  std::vector<Op> ops;
  for (int op = 0; op < op_count; ++op) {
    if (static_cast<Op>(op) != Op::none && static_cast<Op>(op) != Op::user) ops.push_back(static_cast<Op>(op));
  }
  return ops;
}

/// nccl-tests calls the premultiplied sum "mulsum".
std::optional<Op> operation_named(std::string_view text) {
  return text == "mulsum" ? Op::premultiplied_sum : op_named(text);
}

std::size_t size_of_text(std::string_view option, std::string_view text) {
  try {
    return parse_bytes(text);
  } catch (const Error& error) {
    refuse(fmt::format("{} '{}' is not a size", option, text), "write it like 8, 64K, 1M or 1G");
  }
}

double factor_of_text(const std::string& text) {
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc{} || end != text.data() + text.size() || !(factor > 1) || factor > 1e6) {
    refuse(fmt::format("--factor '{}' does not make sizes grow", text), "give a number above 1, such as 2");
  }
  return factor;
}

std::vector<std::size_t> series(const BenchText& text) {
  if (!text.sizes.empty()) {
    std::vector<std::size_t> sizes;
    for (const std::string_view part : cli::split(text.sizes)) sizes.push_back(size_of_text("--sizes", part));
    return sizes;
  }
  const std::size_t min = size_of_text("--min", text.min);
  const std::size_t max = size_of_text("--max", text.max);
  if (min > max) {
    refuse(fmt::format("--min {} is more than --max {}", text.min, text.max), "give the smaller size to --min");
  }
  std::vector<std::size_t> sizes;
  const bool adds = !text.step.empty();
  const std::size_t step = adds ? size_of_text("--step", text.step) : 0;
  if (adds && step == 0) refuse("--step 0 does not make sizes grow", "give a size above 0");
  const double factor = adds ? 0 : factor_of_text(text.factor);
  if (!adds && min == 0) refuse("--min 0 does not grow by a factor", "give --step, or a --min above 0");
  for (std::size_t size = min; size <= max;) {
    sizes.push_back(size);
    if (sizes.size() > most_sizes) {
      refuse(fmt::format("more than {} sizes between --min {} and --max {}", most_sizes, text.min, text.max),
             "take larger steps");
    }
    size = adds ? size + step : std::max(size + 1, static_cast<std::size_t>(static_cast<double>(size) * factor));
  }
  return sizes;
}

std::vector<bool> places(const std::string& text) {
  if (text == "0") return {false};
  if (text == "1") return {true};
  if (text == "both") return {false, true};
  refuse(fmt::format("--in-place '{}'", text), "use 0, 1 or both");
}

void check_ranges(const BenchText& text) {
  if (text.ranks < 0 || text.ranks > most_ranks) {
    refuse(fmt::format("--ranks {}: ranks are threads of this process, 1 to {} of them", text.ranks, most_ranks),
           "use more processes, by mpirun, for more ranks");
  }
  if (text.iterations < 0) refuse(fmt::format("-n {} iterations", text.iterations), "use 1 or more, or leave it out");
  if (text.warm_up < 0) refuse(fmt::format("-w {} warm-up iterations", text.warm_up), "use 0 or more");
  if (text.check != 0 && text.check != 1) refuse(fmt::format("-c {}", text.check), "use 0 or 1");
  if (text.seconds && (!(*text.seconds > 0) || *text.seconds > 1e6)) {
    refuse(fmt::format("--seconds {}", *text.seconds), "use 1 or more");
  }
  if (!text.peer.empty() && text.peer != "mpi") {
    refuse(fmt::format("there is no peer '{}' to compare with", text.peer), "use --peer mpi");
  }
  if (!text.plot.empty() && !text.plot.ends_with(".svg") && !text.plot.ends_with(".png")) {
    refuse(fmt::format("--plot '{}' is neither an SVG nor a PNG file", text.plot), "end its name in .svg or .png");
  }
}

}  // namespace

std::string_view name(BufferKind kind) {
  return kind == BufferKind::own ? "private" : kind == BufferKind::shared ? "shared" : "device";
}

const char* unsupported(DataType type, Op op) {
  const bool bitwise = op == Op::bitwise_and || op == Op::bitwise_or || op == Op::bitwise_xor;
  return bitwise && is_float(type) ? "bitwise operations need integers" : nullptr;
}

BenchOptions parse(const BenchText& text) {
  BenchOptions options;
  const std::optional<Collective> collective = bench_collective_named(text.collective);
  if (!collective) cli::unknown_name("collective", text.collective, collective_names());
  options.collective = *collective;
  check_ranges(text);

  options.sizes = options.collective == Collective::barrier ? std::vector<std::size_t>{0} : series(text);
  options.algorithms = cli::values_of_list("algorithm", text.algorithms, every_algorithm,
                                           cli::names_of(every_algorithm), [](std::string_view part) {
                                             const auto value = algorithm_named(part);
                                             return value == Algorithm::mpi ? std::nullopt : value;
                                           });
  const std::vector<std::string_view> algorithms = cli::split(text.algorithms);
  options.every_algorithm = std::find(algorithms.begin(), algorithms.end(), "all") != algorithms.end();
  const std::optional<Protocol> protocol = protocol_named(text.protocol);
  if (!protocol) cli::unknown_name("protocol", text.protocol, {"automatic", "packet", "fifo", "window"});
  options.protocol = *protocol;
  const auto type_named = [](std::string_view part) {
    const auto type = data_type_named(part);
    return type == DataType::user ? std::nullopt : type;
  };
  options.types = cli::values_of_list("type", text.types, every_type(), cli::names_of(every_type()), type_named);
  options.operations =
      cli::values_of_list("operation", text.operations, every_op(), cli::names_of(every_op()), operation_named);
  if (!reduces(options.collective)) options.operations = {Op::none};
  for (const DataType type : options.types) {
    for (const Op op : options.operations) {
      const char* why = unsupported(type, op);
      if (why != nullptr && text.types != "all" && text.operations != "all") {
        refuse(fmt::format("{} of {}: {}", name(op), name(type), why), "choose an integer type, or another operation");
      }
    }
  }

  options.in_place = places(text.in_place);
  if (!works_in_place(options.collective)) {
    if (text.in_place == "1") {
      refuse(fmt::format("{} does not work in place", bench_name(options.collective)), "use --in-place 0");
    }
    options.in_place = {false};
  }
  for (const std::string_view part : cli::split(text.buffers)) {
    if (part != "private" && part != "shared") cli::unknown_name("kind of buffers", part, {"private", "shared"});
    const BufferKind kind = part == "shared" ? BufferKind::shared : BufferKind::own;
    if (std::find(options.buffers.begin(), options.buffers.end(), kind) == options.buffers.end()) {
      options.buffers.push_back(kind);
    }
  }
  if (text.engine == "nccl" || text.engine == "cuda") {
    const std::string engine = "--engine " + text.engine;
    if (text.buffers != "private") refuse(engine + " with --buffers", "leave --buffers out: they are the device's");
    if (options.collective == Collective::barrier) {
      refuse("a barrier has no buffers, so none on a device", "choose another collective");
    }
    if (!text.peer.empty()) refuse(engine + " with --peer mpi", "leave one of them out");
    options.engine = text.engine == "nccl" ? Backend::nccl : Backend::cuda;
    options.buffers = {BufferKind::device};
  } else if (text.engine != "automatic") {
    cli::unknown_name("engine", text.engine, {"automatic", "cuda", "nccl"});
  }
  if (text.channels != 0 && options.engine != Backend::cuda) {
    refuse("--channels without --engine cuda", "NCCL's are NcclSettings::max_ctas, and the host engine has none");
  }
  if (text.inside_emulation != 0 && options.engine == Backend::automatic) {
    refuse("--emulated without --engine cuda or nccl", "name the engine, or leave it out");
  }
  options.channels = text.channels;
  options.emulated = text.inside_emulation;
  options.mpi_peer = !text.peer.empty();
  options.ranks = text.ranks;
  options.root = text.root;
  options.iterations = text.iterations;
  options.warm_up = text.warm_up;
  options.check = text.check == 1;
  options.seconds = text.seconds.value_or(options.seconds);
  options.bounded = text.seconds.has_value() || text.iterations == 0;
  options.dirty = text.dirty;
  options.deterministic = text.deterministic;
  options.quiet = text.quiet;
  options.tuning = text.tuning;
  options.json = text.json;
  options.csv = text.csv;
  options.plot = text.plot;
  return options;
}

}  // namespace tutti::bench
