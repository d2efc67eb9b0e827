#include "run/shape.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>

#include "run/host/reduce.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/units.hpp"

namespace tutti {

namespace {

std::size_t total(std::span<const std::size_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

[[noreturn]] void fail(const Request& request, int rank, const std::string& what, const std::string& remedy) {
  throw Error(Code::invalid_argument, what, {.rank = rank, .operation = describe(request), .remedy = remedy});
}

/// More elements than any machine holds; so few that no product with an element's size and the ranks overflows.
constexpr std::size_t most_elements = std::size_t{1} << 41;

void validate_size(const Request& request, int rank) {
  const auto check = [&](std::size_t count) {
    if (count <= most_elements) [[likely]]
      return;
    fail(request, rank, fmt::format("{} elements for one rank", count),
         "no machine has so much memory; check the count");
  };
  check(request.count);
  for (const std::size_t count : request.counts) check(count);
  for (const std::size_t count : request.receive_counts) check(count);
}

void validate_counts(const Request& request, int rank, int size) {
  const auto needs = static_cast<std::size_t>(size);
  const bool uneven = request.collective == Collective::all_gather_v ||
                      request.collective == Collective::reduce_scatter_v ||
                      request.collective == Collective::all_to_all_v;
  if (uneven && request.counts.size() != needs) {
    fail(request, rank, fmt::format("the table of counts has {} entries for {} ranks", request.counts.size(), size),
         "give one count for each rank");
  }
  if (request.collective != Collective::all_to_all_v) return;
  if (request.receive_counts.size() != needs) {
    fail(request, rank,
         fmt::format("the table of counts to receive has {} entries for {} ranks", request.receive_counts.size(), size),
         "give one count for each rank");
  }
  const auto self = static_cast<std::size_t>(rank);
  if (request.counts[self] != request.receive_counts[self]) {
    fail(request, rank,
         fmt::format("it sends {} elements to itself and receives {} from itself", request.counts[self],
                     request.receive_counts[self]),
         "the two counts of the own rank must be equal");
  }
}

void validate_root(const Request& request, int rank, int size) {
  if (!has_root(request.collective) && !is_pairwise(request.collective)) return;
  if (request.root < 0 || request.root >= size) {
    fail(request, rank,
         fmt::format("{} {} is not a rank of this communicator", is_pairwise(request.collective) ? "peer" : "root",
                     request.root),
         fmt::format("use 0 to {}", size - 1));
  }
  if (is_pairwise(request.collective) && request.root == rank) {
    fail(request, rank, "the peer is the rank itself", "copy the buffer instead");
  }
}

void validate_operator(const Request& request, int rank) {
  if (!reduces(request.collective)) return;
  if (const char* reason = host::unsupported(request.type, request.op)) {
    throw Error(
        Code::unsupported, reason,
        {.rank = rank, .operation = describe(request), .remedy = "docs/numerics.md lists the operators of each type"});
  }
}

bool reads(const Request& request, int rank) {
  switch (request.collective) {
    case Collective::broadcast:
    case Collective::scatter:
      return rank == request.root;
    case Collective::recv:
    case Collective::barrier:
      return false;
    default:
      return true;
  }
}

bool writes(const Request& request, int rank) {
  switch (request.collective) {
    case Collective::reduce:
    case Collective::gather:
      return rank == request.root;
    case Collective::send:
    case Collective::barrier:
      return false;
    default:
      return true;
  }
}

/// A side that this rank does not use may be anything.
void validate_lengths(const Request& request, int rank, const Shape& shape) {
  if (reads(request, rank) && request.in_count != shape.in) {
    fail(request, rank, fmt::format("in has {} elements", request.in_count), fmt::format("it needs {}", shape.in));
  }
  if (writes(request, rank) && request.out_count != shape.out) {
    fail(request, rank, fmt::format("out has {} elements", request.out_count), fmt::format("it needs {}", shape.out));
  }
}

/// In place has one meaning for each collective; any other overlap would lose data.
void validate_overlap(const Request& request, int rank, const Shape& shape) {
  const std::size_t in_bytes = shape.in * request.element_size;
  const std::size_t out_bytes = shape.out * request.element_size;
  if (in_bytes == 0 || out_bytes == 0) return;
  const auto in = reinterpret_cast<std::uintptr_t>(request.in);
  const auto out = reinterpret_cast<std::uintptr_t>(request.out);
  if (in + in_bytes <= out || out + out_bytes <= in) return;

  const auto part = [&]() -> std::size_t {  // bytes before this rank's part
    if (request.counts.empty()) return static_cast<std::size_t>(rank) * request.count * request.element_size;
    return total(request.counts.first(static_cast<std::size_t>(rank))) * request.element_size;
  };
  const char* remedy = "pass the same buffer as in and out, or buffers that do not overlap";
  switch (request.collective) {
    case Collective::all_reduce:
    case Collective::reduce:
    case Collective::broadcast:
    case Collective::all_to_all:
      if (in == out) return;
      break;
    case Collective::all_gather:
    case Collective::all_gather_v:
    case Collective::gather:
      if (in == out + part()) return;
      remedy = "in place, in is this rank's part of out";
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_v:
    case Collective::scatter:
      if (out == in + part()) return;
      remedy = "in place, out is this rank's part of in";
      break;
    default:
      remedy = "this collective does not work in place; use two buffers";
      break;
  }
  fail(request, rank, "in and out overlap", remedy);
}

}  // namespace

Shape shape_of(const Request& request, int rank, int size) {
  const std::size_t count = request.count;
  const std::size_t all = count * static_cast<std::size_t>(size);
  const bool is_root = rank == request.root;
  switch (request.collective) {
    case Collective::all_reduce:
      return {count, count};
    case Collective::reduce:
      return {count, is_root ? count : 0};
    case Collective::broadcast:
      return {is_root ? count : 0, count};
    case Collective::reduce_scatter:
      return {all, count};
    case Collective::all_gather:
      return {count, all};
    case Collective::gather:
      return {count, is_root ? all : 0};
    case Collective::scatter:
      return {is_root ? all : 0, count};
    case Collective::all_to_all:
      return {all, all};
    case Collective::all_gather_v:
      return {request.counts[static_cast<std::size_t>(rank)], total(request.counts)};
    case Collective::reduce_scatter_v:
      return {total(request.counts), request.counts[static_cast<std::size_t>(rank)]};
    case Collective::all_to_all_v:
      return {total(request.counts), total(request.receive_counts)};
    case Collective::send:
      return {count, 0};
    case Collective::recv:
      return {0, count};
    case Collective::barrier:
      return {0, 0};
  }
  return {};
}

void validate(const Request& request, int rank, int size) {
  validate_root(request, rank, size);
  validate_counts(request, rank, size);
  validate_size(request, rank);
  validate_operator(request, rank);
  if (request.options.stream && request.memory == Memory::host && request.collective != Collective::barrier) {
    fail(request, rank, "a stream, for buffers in host memory", "leave it out, or pass spans made by on_device");
  }
  if (request.options.timeout.count() == 0) fail(request, rank, "a timeout of zero", "leave it out, or give it time");
  const Shape shape = shape_of(request, rank, size);
  validate_lengths(request, rank, shape);
  validate_buffers(request, rank, shape);
}

void validate_buffers(const Request& request, int rank, const Shape& shape) {
  if (shape.in > 0 && request.in == nullptr) fail(request, rank, "in is null", "pass this rank's input");
  if (shape.out > 0 && request.out == nullptr) fail(request, rank, "out is null", "pass room for the result");
  validate_overlap(request, rank, shape);
}

}  // namespace tutti
