/// @file  Which file has the kernels of which types.
#pragma once

#include "kernels/launch.hpp"

namespace tutti::kernels {

Kernel copy_kernel();
Kernel int8_kernel(DataType type, Op op);
Kernel int16_kernel(DataType type, Op op);
Kernel int32_kernel(DataType type, Op op);
Kernel int64_kernel(DataType type, Op op);
Kernel float8_kernel(DataType type, Op op);
Kernel float16_kernel(DataType type, Op op);
Kernel float32_kernel(DataType type, Op op);

}  // namespace tutti::kernels
