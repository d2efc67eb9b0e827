/// @file  The tables of variables as text: a row a line, fields between bars. database.hpp reads them.
#pragma once

#include <string_view>

namespace tutti::settings {

extern const std::string_view nccl_table;        ///< what NCCL reads
extern const std::string_view nccl_gone_table;   ///< what it read once
extern const std::string_view nccl_never_table;  ///< what people write and it never read
extern const std::string_view foreign_table;     ///< what looks like NCCL's and is somebody else's
extern const std::string_view tutti_table;       ///< our own
extern const std::string_view mpi_table;         ///< the parameters of Open MPI that matter most
extern const std::string_view ucx_table;         ///< those of UCX

}  // namespace tutti::settings
