#pragma once
/// Counts what the process asks the heap for, by way of which function: heap.cpp has them.

#include <array>
#include <cstddef>

namespace tamis::testing {

enum class HeapCall { new_, malloc_, calloc_, realloc_, aligned_ };
inline constexpr std::array<const char*, 5> heap_calls{"operator new", "malloc", "calloc", "realloc", "aligned_alloc"};

/// Calls so far. With the address sanitizer, which has these functions itself, all are counted as those of malloc.
long heap_calls_of(HeapCall call);
extern const bool tells_heap_calls_apart;

/// Calls of any kind since it was made.
class HeapWatch {
 public:
  HeapWatch() : before_(total()) {}
  long calls() const { return total() - before_; }

 private:
  static long total() {
    long sum = 0;
    for (std::size_t call = 0; call < heap_calls.size(); ++call) sum += heap_calls_of(static_cast<HeapCall>(call));
    return sum;
  }
  long before_;
};

}  // namespace tamis::testing
