#include "bootstrap/mpi_operator.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

#include "bootstrap/mpi_check.hpp"
#include "bootstrap/mpi_words.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

namespace {

constexpr int slot_count = 64;

/// Written while no operation uses it, read by the callback.
struct Slot {
  ReduceOp::Loop loop = nullptr;
  alignas(16) unsigned char state[sizeof ReduceOp::state] = {};
  bool commutative = true;
  std::exception_ptr thrown;  ///< guarded by slots_mutex
};

std::array<Slot, slot_count> slots;
std::mutex slots_mutex;
std::array<bool, slot_count> taken{};  ///< guarded by slots_mutex

/// MPI's order: `in` comes before `in_out`.
template <int Index>
void combine(void* in, void* in_out, int* count, MPI_Datatype*) noexcept {
  Slot& slot = slots[Index];
  const void* sources[] = {in, in_out};
  void* destinations[] = {in_out};
  try {
    slot.loop({.sources = sources,
               .source_count = 2,
               .destinations = destinations,
               .destination_count = 1,
               .count = static_cast<std::size_t>(*count)},
              slot.state);
  } catch (...) {
    const std::lock_guard lock(slots_mutex);
    if (slot.thrown == nullptr) slot.thrown = std::current_exception();
  }
}

template <int... Indices>
constexpr std::array<MPI_User_function*, slot_count> functions_of(std::integer_sequence<int, Indices...>) {
  return {&combine<Indices>...};
}
constexpr std::array<MPI_User_function*, slot_count> functions =
    functions_of(std::make_integer_sequence<int, slot_count>{});

int take_slot() {
  const std::lock_guard lock(slots_mutex);
  const auto free = std::find(taken.begin(), taken.end(), false);
  expect(free != taken.end(), Code::resource, "64 different operators are in use between hosts at once",
         "wait for some of these calls first");
  *free = true;
  return static_cast<int>(free - taken.begin());
}

void give_back(int index) {
  const std::lock_guard lock(slots_mutex);
  slots[static_cast<std::size_t>(index)] = Slot{};
  taken[static_cast<std::size_t>(index)] = false;
}

}  // namespace

MpiOperator::MpiOperator(ReduceOp::Loop loop, const ReduceOp& op) : slot_(take_slot()) {
  const auto index = static_cast<std::size_t>(slot_);
  slots[index].loop = loop;
  slots[index].commutative = op.commutative;
  std::memcpy(slots[index].state, op.state, sizeof op.state);
  const int code = MPI_Op_create(functions[index], op.commutative ? 1 : 0, &handle_);
  if (code != MPI_SUCCESS) give_back(slot_);
  check_mpi(code, "MPI_Op_create");
}

MpiOperator::~MpiOperator() {
  if (mpi_is_up()) MPI_Op_free(&handle_);
  give_back(slot_);
}

bool MpiOperator::is(ReduceOp::Loop loop, const ReduceOp& op) const {
  const Slot& slot = slots[static_cast<std::size_t>(slot_)];
  return slot.loop == loop && slot.commutative == op.commutative &&
         std::memcmp(slot.state, op.state, sizeof op.state) == 0;
}

void MpiOperator::rethrow() const {
  std::exception_ptr thrown;
  {
    const std::lock_guard lock(slots_mutex);
    thrown = std::exchange(slots[static_cast<std::size_t>(slot_)].thrown, nullptr);
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

bool MpiOperator::any_free() {
  const std::lock_guard lock(slots_mutex);
  return std::find(taken.begin(), taken.end(), false) != taken.end();
}

MPI_Op mpi_builtin(DataType type, Op op) {
  if (mpi_type(type) == MPI_DATATYPE_NULL) return MPI_OP_NULL;
  if ((op == Op::minimum || op == Op::maximum) && is_float(type)) return MPI_OP_NULL;
  if ((op == Op::sum || op == Op::product) && size_of(type) < 4) return MPI_OP_NULL;
  return mpi_op(op);
}

MpiVocabulary::~MpiVocabulary() {
  if (!mpi_is_up()) return;
  for (MPI_Datatype& type : bytes_) {
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
  }
}

MPI_Datatype MpiVocabulary::type(DataType type, std::size_t size) {
  if (const MPI_Datatype known = mpi_type(type); known != MPI_DATATYPE_NULL) return known;
  if (bytes_.size() <= size) bytes_.resize(size + 1, MPI_DATATYPE_NULL);
  MPI_Datatype& made = bytes_[size];
  if (made == MPI_DATATYPE_NULL) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &made), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&made), "MPI_Type_commit");
  }
  return made;
}

std::shared_ptr<const MpiOperator> MpiVocabulary::own_operator(ReduceOp::Loop loop, const ReduceOp& op) {
  for (const auto& known : operators_) {
    if (known->is(loop, op)) return known;
  }
  if (!MpiOperator::any_free()) {
    std::erase_if(operators_, [](const auto& known) { return known.use_count() == 1; });
  }
  return operators_.emplace_back(std::make_shared<MpiOperator>(loop, op));
}

}  // namespace tutti
