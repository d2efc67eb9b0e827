/// @file  Device memory is not host memory, whatever the pointer's type.
// rejected: no viable conversion|conversion from .* requested
#include "tutti/base/span.hpp"

float* data = nullptr;

#ifdef REJECT
tutti::Span<float, tutti::Memory::host> span = tutti::on_device(data, 8);
#else
tutti::Span<float, tutti::Memory::host> span = tutti::on_host(data, 8);
#endif
