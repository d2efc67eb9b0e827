/// @file  The main function of every test executable, compiled once.
#include <dlfcn.h>

#if __has_include(<catch2/catch_all.hpp>)
// Version 3 brings its own.
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

namespace {

// hwloc loads libpciaccess and lets it go. The names of vendors that this keeps until the process ends, whoever loads it,
// would be lost without its variables: LeakSanitizer would report them.
[[maybe_unused]] void* const kept = ::dlopen("libpciaccess.so.0", RTLD_NOW | RTLD_NODELETE);

}  // namespace
