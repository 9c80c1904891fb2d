// A machine of little memory for readers: what is larger than inputs of this size have use for throws std::bad_alloc,
// with which the command ends. A few bytes may well ask for gigabytes (LIBSVM text of index 4294967295, say).
#include <cstdlib>
#include <new>

#include "memory_file.hpp"

bool tamis::fuzz::Bounded::now = false;

void* operator new(std::size_t bytes) {
  constexpr std::size_t most = std::size_t(1) << 21;
  void* const memory = bytes <= most || !tamis::fuzz::Bounded::now ? std::malloc(bytes ? bytes : 1) : nullptr;
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes ? bytes : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
