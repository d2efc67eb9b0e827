/// @file  run_case: makes one call and compares everything it may and may not have written with the definition.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "conformance/case.hpp"
#include "tutti/communicator.hpp"

namespace tutti::conformance {

/// Room for the buffers of one case after another; two of them can be reached by the other ranks.
class Playground {
 public:
  /// Collective when `with_allocated`. `bytes`: for each buffer.
  Playground(Communicator& comm, std::size_t bytes, bool with_allocated);

  std::byte* in(Home home) { return home == Home::allocated ? allocated_in_.data() : in_.get(); }
  std::byte* out(Home home) { return home == Home::allocated ? allocated_out_.data() : out_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  using Owned = std::unique_ptr<std::byte[], Free>;
  static Owned own(std::size_t bytes);

  std::size_t bytes_;
  Owned in_;
  Owned out_;
  Buffer<std::byte> allocated_in_;
  Buffer<std::byte> allocated_out_;
};

/// Bytes that a case needs of each buffer of a Playground.
std::size_t room_for(const Case& c);

/// Collective. What is wrong on this rank; nothing when all is right. A call that throws throws.
std::optional<std::string> run_case(Communicator& comm, const Case& c, Playground& playground, std::uint64_t seed);

}  // namespace tutti::conformance
