/// @file  What a run of the benchmark measures: as it is written on a command line, and as a value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tutti/base/reduce_op.hpp"
#include "tutti/base/types.hpp"

namespace tutti::bench {

/// The texts of a command line; the defaults are what `--help` shows. Lists are separated by commas.
struct BenchText {
  std::string collective;
  std::string min = "8";
  std::string max = "64M";
  std::string factor = "2";
  std::string step{};   ///< bytes added instead of a factor
  std::string sizes{};  ///< these sizes instead of a series
  std::string algorithms = "automatic";
  std::string protocol = "automatic";
  std::string types = "float32";
  std::string operations = "sum";
  std::string in_place = "both";
  std::string buffers = "private";
  std::string engine = "automatic";
  int channels = 0;          ///< of the engine cuda; 0: its own number
  int emulated = 0;          ///< devices of an emulated machine; 0: the real one
  int inside_emulation = 0;  ///< the same, in the program that was started again among emulated libraries
  std::string peer{};
  std::string tuning{};  ///< a file of tutti tune that automatic goes by
  std::string json{};
  std::string csv{};
  std::string plot{};
  int ranks = 0;  ///< threads of this process; 0: whatever launched us
  int root = 0;
  int iterations = 0;  ///< 0: as many as the time allows
  int warm_up = 5;
  int check = 1;
  std::optional<double> seconds{};
  bool dirty = false;
  bool deterministic = false;
  bool quiet = false;
};

/// The caller's own memory, comm.allocate's, or a device's.
enum class BufferKind { own, shared, device };
std::string_view name(BufferKind kind);  ///< "private", "shared", "device"

struct BenchOptions {
  Collective collective = Collective::all_reduce;
  std::vector<std::size_t> sizes;  ///< bytes, as asked for; {0} for a barrier
  std::vector<Algorithm> algorithms;
  bool every_algorithm = false;  ///< those that cannot are left out instead of refused
  Protocol protocol = Protocol::automatic;
  std::vector<DataType> types;
  std::vector<Op> operations;  ///< {none} where nothing is reduced
  std::vector<bool> in_place;  ///< which of the two, out of place first
  std::vector<BufferKind> buffers;
  Backend engine = Backend::automatic;
  int channels = 0;
  int emulated = 0;  ///< devices: times mean nothing
  bool mpi_peer = false;
  int ranks = 0;
  int root = 0;
  int iterations = 0;
  int warm_up = 5;
  bool check = true;
  double seconds = 75;  ///< about how long the whole may take
  bool bounded = true;  ///< that goes before the number of iterations
  bool dirty = false;
  bool deterministic = false;
  bool quiet = false;
  std::string tuning{};               ///< the same
  std::string json{}, csv{}, plot{};  ///< files; empty: none
};

/// Throws invalid_argument naming the option, its value and what there is.
BenchOptions parse(const BenchText& text);

/// Can elements of this type be combined so? nullptr, or what speaks against it.
const char* unsupported(DataType type, Op op);

/// A premultiplied sum is measured with this scale on every rank: a power of two, so that results stay exact.
inline constexpr double bench_scale = 2;

}  // namespace tutti::bench
