/// @file  A matrix of devices against devices, as nvidia-smi and rocm-smi print it and people paste it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/pasted.hpp"

namespace tutti {

struct PastedRow {
  std::size_t line = 0;  ///< where it begins
  std::string label{};
  std::string before{};              ///< what stands before the label: a prefix, or cells of a drawn table
  std::vector<std::string> cells{};  ///< up to one for each column
  std::string rest{};                ///< what follows the cells, tabs and all
};

struct PastedMatrix {
  std::size_t line = 0;                ///< of the head
  std::string above{};                 ///< the nearest line above that is not blank
  std::vector<std::string> columns{};  ///< "GPU0", "NIC3", "mlx5_0"
  std::string titles_before{};         ///< what stands before the columns in the head, and after them
  std::string titles_after{};
  std::vector<PastedRow> rows{};
};

/// How long the cell at the front of a text is; 0: none is there.
using CellLength = std::size_t (*)(std::string_view);

/// All matrices whose cells are of one kind: a head with names from GPU0 on, then rows that begin with such a name and
/// a cell. Prefixes of logs, quotation marks, indents and drawn bars are passed over; lines that a terminal broke are
/// put together; names and cells that lost the blank between them are told apart. A row may have too few cells.
std::vector<PastedMatrix> pasted_matrices(const std::vector<PastedLine>& lines, CellLength cell);

/// Has the text such a matrix, with a row of two cells or of all, in its first 2 MiB?
bool has_matrix(std::string_view text, CellLength cell);

/// The first line that is like the head of a matrix, with or without rows and however wide: for a message about a text in
/// which no matrix can be read.
struct MatrixHead {
  std::size_t line = 0;
  std::size_t columns = 0;
};
std::optional<MatrixHead> matrix_head(std::string_view text);

/// The most columns that a matrix may have; wider ones are no matrix.
inline constexpr std::size_t max_columns = 256;

}  // namespace tutti
