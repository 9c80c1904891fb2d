#pragma once
/// Bytes as a file for readers that take a path, and a bound of what they may allocate at once.

#include <sys/mman.h>
#include <unistd.h>

#include <span>
#include <string>

#include "fuzz.hpp"

namespace tamis::fuzz {

/// While there is one, `new` has a bound: see bounded_new.cpp. libFuzzer allocates as it likes.
struct Bounded {
  static bool now;
  Bounded() { now = true; }
  ~Bounded() { now = false; }
};

/// Of readers, so that short inputs reach its end too.
inline constexpr std::size_t small_buffer = 48;

/// A file in memory, the same one for all inputs of a target.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("input", 0)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    expect(descriptor_ >= 0, "there is a file in memory");
  }
  const std::string& path() const { return path_; }

  void set(std::span<const std::uint8_t> bytes) {
    expect(
        ftruncate(descriptor_, 0) == 0 && pwrite(descriptor_, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()),
        "the file in memory is written");
  }
  void set(const std::string& text) { set({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}); }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace tamis::fuzz
