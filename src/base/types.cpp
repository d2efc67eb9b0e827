#include "tutti/base/types.hpp"

#include <array>
#include <utility>

namespace tutti {

namespace {

template <class T>
using Name = std::pair<T, std::string_view>;

// The first name of a value is the one printed; later ones are accepted too.

constexpr std::array collectives{
    Name<Collective>{Collective::all_reduce, "all_reduce"},
    Name<Collective>{Collective::reduce_scatter, "reduce_scatter"},
    Name<Collective>{Collective::all_gather, "all_gather"},
    Name<Collective>{Collective::reduce, "reduce"},
    Name<Collective>{Collective::broadcast, "broadcast"},
    Name<Collective>{Collective::all_to_all, "all_to_all"},
    Name<Collective>{Collective::gather, "gather"},
    Name<Collective>{Collective::scatter, "scatter"},
    Name<Collective>{Collective::all_gather_v, "all_gather_v"},
    Name<Collective>{Collective::reduce_scatter_v, "reduce_scatter_v"},
    Name<Collective>{Collective::all_to_all_v, "all_to_all_v"},
    Name<Collective>{Collective::barrier, "barrier"},
    Name<Collective>{Collective::send, "send"},
    Name<Collective>{Collective::recv, "recv"},
};

constexpr std::array algorithms{
    Name<Algorithm>{Algorithm::automatic, "automatic"},
    Name<Algorithm>{Algorithm::automatic, "auto"},
    Name<Algorithm>{Algorithm::ring, "ring"},
    Name<Algorithm>{Algorithm::tree, "tree"},
    Name<Algorithm>{Algorithm::direct, "direct"},
    Name<Algorithm>{Algorithm::one_shot, "one_shot"},
    Name<Algorithm>{Algorithm::two_shot, "two_shot"},
    Name<Algorithm>{Algorithm::halving_doubling, "halving_doubling"},
    Name<Algorithm>{Algorithm::bruck, "bruck"},
    Name<Algorithm>{Algorithm::mpi, "mpi"},
};

constexpr std::array protocols{
    Name<Protocol>{Protocol::automatic, "automatic"}, Name<Protocol>{Protocol::automatic, "auto"},
    Name<Protocol>{Protocol::packet, "packet"},       Name<Protocol>{Protocol::fifo, "fifo"},
    Name<Protocol>{Protocol::window, "window"},
};

constexpr std::array backends{
    Name<Backend>{Backend::automatic, "automatic"}, Name<Backend>{Backend::automatic, "auto"},
    Name<Backend>{Backend::host, "host"},           Name<Backend>{Backend::cuda, "cuda"},
    Name<Backend>{Backend::nccl, "nccl"},           Name<Backend>{Backend::mpi, "mpi"},
    Name<Backend>{Backend::two_level, "two_level"}, Name<Backend>{Backend::simulated, "simulated"},
};

constexpr std::array data_types{
    Name<DataType>{DataType::int8, "int8"},          Name<DataType>{DataType::int8, "char"},
    Name<DataType>{DataType::uint8, "uint8"},        Name<DataType>{DataType::int16, "int16"},
    Name<DataType>{DataType::uint16, "uint16"},      Name<DataType>{DataType::int32, "int32"},
    Name<DataType>{DataType::int32, "int"},          Name<DataType>{DataType::uint32, "uint32"},
    Name<DataType>{DataType::int64, "int64"},        Name<DataType>{DataType::uint64, "uint64"},
    Name<DataType>{DataType::float16, "float16"},    Name<DataType>{DataType::float16, "half"},
    Name<DataType>{DataType::float16, "fp16"},       Name<DataType>{DataType::bfloat16, "bfloat16"},
    Name<DataType>{DataType::bfloat16, "bf16"},      Name<DataType>{DataType::float8_e4m3, "float8_e4m3"},
    Name<DataType>{DataType::float8_e4m3, "f8e4m3"}, Name<DataType>{DataType::float8_e5m2, "float8_e5m2"},
    Name<DataType>{DataType::float8_e5m2, "f8e5m2"}, Name<DataType>{DataType::float32, "float32"},
    Name<DataType>{DataType::float32, "float"},      Name<DataType>{DataType::float32, "fp32"},
    Name<DataType>{DataType::float64, "float64"},    Name<DataType>{DataType::float64, "double"},
    Name<DataType>{DataType::float64, "fp64"},       Name<DataType>{DataType::user, "user"},
};

template <class Table, class T>
constexpr std::string_view name_in(const Table& table, T value) noexcept {
  for (const auto& [key, text] : table)
    if (key == value) return text;
  return "unknown";
}

template <class T, class Table>
constexpr std::optional<T> value_in(const Table& table, std::string_view name) noexcept {
  for (const auto& [key, text] : table)
    if (text == name) return key;
  return std::nullopt;
}

}  // namespace

std::string_view name(Collective value) noexcept { return name_in(collectives, value); }
std::string_view name(Algorithm value) noexcept { return name_in(algorithms, value); }
std::string_view name(Protocol value) noexcept { return name_in(protocols, value); }
std::string_view name(Backend value) noexcept { return name_in(backends, value); }
std::string_view name(DataType value) noexcept { return name_in(data_types, value); }

std::optional<Collective> collective_named(std::string_view text) noexcept {
  return value_in<Collective>(collectives, text);
}
std::optional<Algorithm> algorithm_named(std::string_view text) noexcept {
  return value_in<Algorithm>(algorithms, text);
}
std::optional<Protocol> protocol_named(std::string_view text) noexcept { return value_in<Protocol>(protocols, text); }
std::optional<Backend> backend_named(std::string_view text) noexcept { return value_in<Backend>(backends, text); }
std::optional<DataType> data_type_named(std::string_view text) noexcept { return value_in<DataType>(data_types, text); }

}  // namespace tutti
