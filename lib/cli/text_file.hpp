#pragma once
/// Reading files, plain or gzipped, by lines or bytes, and the numbers written in them.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace tamis::cli {

/// Wrong data: one sentence naming file, line and column. The command ends with exit code 3.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An open file. Whatever goes wrong in opening or reading it is a DataError.
class TextFile {
 public:
  /// `-` is standard input. `buffer`: how many bytes are read at once, 16 or more.
  explicit TextFile(std::string path, std::size_t buffer = std::size_t{1} << 18);

  const std::string& path() const { return path_; }
  /// The number, from 1, of the line `next_line` gave last.
  std::size_t line() const { return line_; }

  /// The next line that is not blank, without its end (LF or CR LF) and without a UTF-8 byte order mark. False at the
  /// end of the file.
  bool next_line(std::string& line);
  /// Fills `to` with the next bytes; fewer than `count` only at the end of the file.
  std::size_t read(unsigned char* to, std::size_t count);
  /// The next bytes without consuming them (`count` ≤ 16); fewer only at the end of the file.
  std::string_view peek(std::size_t count);

  /// Throws `path: reason`.
  [[noreturn]] void fail(const std::string& reason) const;
  /// Throws `path, line N<place>: reason`.
  [[noreturn]] void fail_at_line(const std::string& place, const std::string& reason) const;

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };

  bool append_line(std::string& line);
  bool refill();

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
  std::size_t line_ = 0;
};

/// Without the blanks (spaces and tabs) at both ends.
std::string_view trimmed(std::string_view text);

/// Text of a file as it may stand in a message: without control characters, and not long.
std::string printable(std::string_view text);

/// The text as a field of CSV, in quotes where it needs them.
std::string csv_field(const std::string& text);

/// What a text is when a number is expected.
enum class NumberKind { finite, missing, not_finite, too_large, word };

/// Reads a number, which may have a plus sign and blanks around it; `value` is set if it is finite. The empty text,
/// `NA`, `N/A`, `n/a`, `#N/A`, `null`, `NULL`, `None`, `-` and `?` are missing values.
NumberKind parse_number(std::string_view text, double& value);

/// The sentence that refuses a text of that kind (not `finite`).
std::string refusal(NumberKind kind, std::string_view text);

}  // namespace tamis::cli
