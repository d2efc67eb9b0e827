#include "run/host/call_signature.hpp"

#include <fmt/format.h>

#include <numeric>

#include "tutti/base/error.hpp"

namespace tutti::host {

namespace {

/// FNV-1a over the numbers.
std::uint64_t hash_of(std::span<const std::size_t> counts) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const std::size_t count : counts) value = (value ^ count) * 0x100000001b3ULL;
  return value;
}

/// "ring/fifo".
std::string way(const CallSignature& signature) {
  return fmt::format("{}/{}", name(static_cast<Algorithm>(signature.way >> 2)),
                     name(static_cast<Protocol>(signature.way & 3)));
}

/// What two signatures differ in, in a few words.
std::string difference(const CallSignature& a, const CallSignature& b) {
  if (a.collective != b.collective) return "the collective";
  if (a.type != b.type || a.element_size != b.element_size) return "the element type";
  if (a.count != b.count) return fmt::format("the count ({} and {})", a.count, b.count);
  if (a.counts_hash != b.counts_hash) return "the table of counts";
  if (a.op != b.op) return fmt::format("the operator ({} and {})", name(a.op), name(b.op));
  if (a.root != b.root) return fmt::format("the root ({} and {})", a.root, b.root);
  if (a.algorithm != b.algorithm) return fmt::format("the algorithm ({} and {})", name(a.algorithm), name(b.algorithm));
  if (a.protocol != b.protocol) return fmt::format("the protocol ({} and {})", name(a.protocol), name(b.protocol));
  if (a.deterministic != b.deterministic) return "the wish for determinism";
  if (a.backend != b.backend) return fmt::format("the backend ({} and {})", name(a.backend), name(b.backend));
  if (a.way != b.way) return fmt::format("the way it is run ({} and {})", way(a), way(b));
  if (a.sequence != b.sequence) return "the number of calls before";
  return "the calls before, of which some were not alike (tutti autopsy shows the last ones)";
}

}  // namespace

CallSignature signature_of(const Request& request, std::uint64_t sequence) {
  CallSignature signature;
  signature.sequence = sequence;
  if (request.counts.empty()) {
    signature.count = request.count;
  } else if (request.collective != Collective::all_to_all_v) {  // whose tables differ from rank to rank
    signature.count = std::accumulate(request.counts.begin(), request.counts.end(), std::size_t{0});
    signature.counts_hash = hash_of(request.counts);
  }
  signature.element_size = static_cast<std::uint32_t>(request.element_size);
  signature.root = request.root;
  signature.collective = request.collective;
  signature.type = request.type;
  signature.op = request.op.kind;
  signature.algorithm = request.options.algorithm;
  signature.protocol = request.options.protocol;
  signature.deterministic = request.options.deterministic;
  signature.backend = request.options.backend;
  return signature;
}

std::string describe(const CallSignature& signature) {
  if (signature.collective == Collective::all_to_all_v) {
    return fmt::format("{} of {}", name(signature.collective), name(signature.type));
  }
  const std::size_t total[] = {signature.count};
  const std::string call = tutti::describe(Request{.collective = signature.collective,
                                                   .type = signature.type,
                                                   .element_size = signature.element_size,
                                                   .count = signature.count,
                                                   .root = signature.root,
                                                   .counts = total});
  return signature.op == Op::none ? call : fmt::format("{} ({})", call, name(signature.op));
}

std::uint64_t hash(const CallSignature& signature) {
  std::uint64_t kinds = 0;
  for (const auto kind :
       {static_cast<std::uint64_t>(signature.collective), static_cast<std::uint64_t>(signature.type),
        static_cast<std::uint64_t>(signature.op) << 8 | signature.way, static_cast<std::uint64_t>(signature.root)}) {
    kinds = kinds << 16 ^ kind;
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t word :
       {signature.count, signature.counts_hash, std::uint64_t{signature.element_size}, kinds}) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

void throw_mismatch(int rank, const CallSignature& mine, int other, const CallSignature& theirs) {
  if (other < rank) throw_mismatch(other, theirs, rank, mine);
  throw Error(Code::mismatch,
              fmt::format("as call {} rank {} made {} and rank {} made {}: they differ in {}", mine.sequence + 1, rank,
                          describe(mine), other, describe(theirs), difference(mine, theirs)),
              {.remedy = "make the same calls in the same order on all ranks of a communicator"});
}

void expect_equal(std::span<const CallSignature> signatures) {
  for (std::size_t rank = 1; rank < signatures.size(); ++rank) {
    if (signatures[0] == signatures[rank]) continue;
    throw_mismatch(0, signatures[0], static_cast<int>(rank), signatures[rank]);
  }
}

void expect_tables_agree(std::span<const std::uint64_t> tables, std::size_t ranks) {
  for (std::size_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < ranks; ++to) {
      const std::uint64_t sent = tables[from * 2 * ranks + to];
      const std::uint64_t expected = tables[to * 2 * ranks + ranks + from];
      if (sent == expected) continue;
      throw Error(Code::mismatch,
                  fmt::format("in an all_to_all_v rank {} sends {} elements to rank {}, which expects {}", from, sent,
                              to, expected),
                  {.remedy = "counts[j] on rank i and receive_counts[i] on rank j must be equal"});
    }
  }
}

}  // namespace tutti::host
