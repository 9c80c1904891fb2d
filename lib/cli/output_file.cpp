#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

#include "errors.hpp"

namespace tamis::cli {

namespace {

namespace fs = std::filesystem;

/// Throws for the error that a call of the system has left in errno.
[[noreturn]] void fail(const std::string& path) {
  const std::string why = errno == 0 ? "" : " (" + std::generic_category().message(errno) + ")";
  throw ArgumentError(path + ": cannot be written" + why);
}

/// A file being written, closed at the end of the scope.
class Descriptor {
 public:
  Descriptor(int number, const std::string& path) : number_(number), path_(path) {
    if (number_ < 0) fail(path_);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void check(int result) const {
    if (result != 0) fail(path_);
  }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ::ssize_t count = ::write(number_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_);
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void close() { check(::close(std::exchange(number_, -1))); }

 private:
  int number_;
  const std::string& path_;
};

/// What a path leads to through symbolic links, the last of which may lead to nothing. `descriptor` is set where it
/// leads to one of this process, as /dev/stdout does.
fs::path target_of(const std::string& path, int& descriptor) {
  fs::path target = path;
  std::error_code ignored;
  const fs::path own = fs::canonical("/proc/self/fd", ignored);
  for (int links = 0; fs::is_symlink(target, ignored); ++links) {
    errno = ELOOP;
    if (links == 40) fail(path);
    if (!own.empty() && fs::weakly_canonical(target.parent_path(), ignored) == own) {
      descriptor = std::atoi(target.filename().c_str());
      return target;
    }
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

/// The permissions of a file that is created.
::mode_t usual_mode() {
  const ::mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// Writes under another name, which becomes that of the file at the end, or vanishes. `old`: the file that it replaces.
void replace(const std::string& path, const fs::path& target, const struct ::stat* old, const std::string& text) {
  std::string temporary = target.string() + ".XXXXXX";
  if (old && ::access(target.c_str(), W_OK) != 0) fail(path);
  Descriptor file(::mkstemp(temporary.data()), path);
  try {
    if (old && (old->st_uid != ::geteuid() || old->st_gid != ::getegid()))
      (void)!::fchown(file.number(), old->st_uid, old->st_gid);  // where that is allowed
    file.check(::fchmod(file.number(), old ? old->st_mode & 0777 : usual_mode()));
    file.write(text);
    file.check(::fsync(file.number()));
    file.close();
    file.check(std::rename(temporary.c_str(), target.c_str()));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  if (path == standard_stream) {
    errno = 0;
    std::cout << text << std::flush;
    if (std::cout) return;
    std::cout.clear();
    fail("standard output");
  }
  int descriptor = -1;
  const fs::path target = target_of(path, descriptor);
  if (descriptor >= 0) {
    std::cout.flush();
    Descriptor file(::dup(descriptor), path);
    file.write(text);
    file.close();
    return;
  }
  struct ::stat there;
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (!exists && errno != ENOENT) fail(path);
  if (!exists || S_ISREG(there.st_mode)) return replace(path, target, exists ? &there : nullptr, text);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
  file.write(text);
  file.close();
}

std::ostream& beside(std::initializer_list<std::string_view> outputs) {
  const auto is_standard = [](std::string_view path) { return path == standard_stream || path == "/dev/stdout"; };
  return std::none_of(outputs.begin(), outputs.end(), is_standard) ? std::cout : std::cerr;
}

}  // namespace tamis::cli
