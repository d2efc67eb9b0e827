/// @file  The vocabulary of a call: collectives, algorithms, protocols, engines, element types, and their
/// names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti {

enum class Collective : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  reduce,
  broadcast,
  all_to_all,
  gather,
  scatter,
  all_gather_v,
  reduce_scatter_v,
  all_to_all_v,
  barrier,
  send,
  recv,
};
inline constexpr int collective_count = 14;

/// The patterns a schedule can follow. `automatic` and `direct` are questions, the others are answers:
/// `automatic` asks for the cheapest of all, `direct` for the cheaper of one_shot and two_shot.
enum class Algorithm : std::uint8_t {
  automatic,
  ring,
  tree,  ///< double binary tree
  direct,
  one_shot,          ///< everybody sends everything to everybody
  two_shot,          ///< reduce-scatter, then all-gather, both all-pairs
  halving_doubling,  ///< recursive, any number of ranks
  bruck,
  mpi,  ///< an engine's own: one opaque call of the MPI library
};
inline constexpr int algorithm_count = 9;

/// How bytes travel between two ranks.
enum class Protocol : std::uint8_t {
  automatic,
  packet,  ///< payload and flag in one small slot: lowest latency
  fifo,    ///< large slots with credits: bandwidth through private buffers
  window,  ///< straight between the ranks' own buffers, where these can be reached
};

enum class Backend : std::uint8_t { automatic, host, cuda, nccl, mpi, two_level, simulated };

enum class Memory : std::uint8_t { host, device };

enum class DataType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float8_e4m3,
  float8_e5m2,
  float32,
  float64,
  user,  ///< any trivially copyable type of at most 32 bytes
};
inline constexpr int data_type_count = 15;

/// Bytes of one element; 0 for `user`, whose size the request carries.
constexpr std::size_t size_of(DataType type) {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      return 1;
    case DataType::int16:
    case DataType::uint16:
    case DataType::float16:
    case DataType::bfloat16:
      return 2;
    case DataType::int32:
    case DataType::uint32:
    case DataType::float32:
      return 4;
    case DataType::int64:
    case DataType::uint64:
    case DataType::float64:
      return 8;
    case DataType::user:
      return 0;
  }
  return 0;
}

constexpr bool is_float(DataType type) {
  return type == DataType::float16 || type == DataType::bfloat16 || type == DataType::float8_e4m3 ||
         type == DataType::float8_e5m2 || type == DataType::float32 || type == DataType::float64;
}

/// Does this collective combine the ranks' elements?
constexpr bool reduces(Collective collective) {
  return collective == Collective::all_reduce || collective == Collective::reduce ||
         collective == Collective::reduce_scatter || collective == Collective::reduce_scatter_v;
}

/// Does one rank play a special part in it?
constexpr bool has_root(Collective collective) {
  return collective == Collective::reduce || collective == Collective::broadcast || collective == Collective::gather ||
         collective == Collective::scatter;
}

/// Point to point: two ranks take part, not all.
constexpr bool is_pairwise(Collective collective) {
  return collective == Collective::send || collective == Collective::recv;
}

/// Names as users write them: "all_reduce", "halving_doubling", "float32".
std::string_view name(Collective collective) noexcept;
std::string_view name(Algorithm algorithm) noexcept;
std::string_view name(Protocol protocol) noexcept;
std::string_view name(Backend backend) noexcept;
std::string_view name(DataType type) noexcept;

/// The value of a name; nothing when there is none. Types also by their short and NCCL names ("float",
/// "half", "bf16").
std::optional<Collective> collective_named(std::string_view name) noexcept;
std::optional<Algorithm> algorithm_named(std::string_view name) noexcept;
std::optional<Protocol> protocol_named(std::string_view name) noexcept;
std::optional<Backend> backend_named(std::string_view name) noexcept;
std::optional<DataType> data_type_named(std::string_view name) noexcept;

}  // namespace tutti
