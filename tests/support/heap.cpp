#include "heap.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_SANITIZER
#endif
#endif

namespace tamis::testing {
namespace {
long counts[heap_calls.size()];
[[maybe_unused]] void count(HeapCall call) { ++counts[static_cast<int>(call)]; }
}  // namespace
long heap_calls_of(HeapCall call) { return counts[static_cast<int>(call)]; }
}  // namespace tamis::testing

#ifdef WITH_SANITIZER

#include <sanitizer/allocator_interface.h>

namespace tamis::testing {
const bool tells_heap_calls_apart = false;
namespace {
void on_malloc(const volatile void*, std::size_t) { count(HeapCall::malloc_); }
void on_free(const volatile void*) {}
[[maybe_unused]] const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
}  // namespace
}  // namespace tamis::testing

#else  // the functions of the C library, which has them by other names too

using tamis::testing::HeapCall;

namespace tamis::testing {
const bool tells_heap_calls_apart = true;
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  tamis::testing::count(HeapCall::malloc_);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) {
  tamis::testing::count(HeapCall::calloc_);
  return __libc_calloc(number, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  tamis::testing::count(HeapCall::realloc_);
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  tamis::testing::count(HeapCall::aligned_);
  return __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) { return aligned_alloc(alignment, bytes); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = aligned_alloc(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

namespace {
void* counted_new(std::size_t bytes, std::size_t alignment) {
  tamis::testing::count(HeapCall::new_);
  if (void* memory = __libc_memalign(alignment, bytes)) return memory;
  throw std::bad_alloc();
}
constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
}  // namespace

#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) { return counted_new(bytes, usual); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return counted_new(bytes, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
