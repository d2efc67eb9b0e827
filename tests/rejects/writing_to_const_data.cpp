/// @file  A span of const elements is an input; it never becomes an output.
// rejected: no viable conversion|conversion from .* requested
#include "tutti/base/span.hpp"

using tutti::Memory;
float data[8] = {};

#ifdef REJECT
tutti::Span<const float, Memory::host> in = tutti::on_host(data, 8);
tutti::Span<float, Memory::host> out = in;
#else
tutti::Span<float, Memory::host> out = tutti::on_host(data, 8);
tutti::Span<const float, Memory::host> in = out;
#endif
