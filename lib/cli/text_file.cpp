#include "text_file.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "interrupt.hpp"
#include "output_file.hpp"

namespace tamis::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string system_message(int code) {
  return code == 0 ? "cannot be read" : "cannot be read (" + std::generic_category().message(code) + ")";
}

}  // namespace

void TextFile::Close::operator()(gzFile_s* file) const { gzclose(file); }

TextFile::TextFile(std::string path, std::size_t buffer) : path_(std::move(path)), buffer_(buffer) {
  const InterruptibleCall interruptible;
  const bool standard = path_ == standard_stream;
  if (standard) path_ = "standard input";
  std::error_code ignored;
  if (!standard && std::filesystem::is_directory(path_, ignored)) fail("is a directory, not a file");
  errno = 0;
  file_.reset(standard ? gzdopen(::dup(STDIN_FILENO), "rb") : gzopen(path_.c_str(), "rb"));
  stop_if_interrupted("while " + path_ + " was opened");
  if (!file_) fail(system_message(errno));
  gzbuffer(file_.get(), static_cast<unsigned>(buffer));
}

void TextFile::fail(const std::string& reason) const { throw DataError(path_ + ": " + reason); }

void TextFile::fail_at_line(const std::string& place, const std::string& reason) const {
  throw DataError(path_ + ", line " + std::to_string(line_) + place + ": " + reason);
}

/// Keeps what is unread and adds what the buffer has room for. False at the end of the file.
bool TextFile::refill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const InterruptibleCall interruptible;
  errno = 0;
  const int count = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  const int system_error = errno;
  stop_if_interrupted("while " + path_ + " was read");
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  switch (code) {
    case Z_OK: break;
    case Z_BUF_ERROR: fail("the gzip data are cut off");  // reported along with the bytes before the cut
    case Z_DATA_ERROR: fail("the gzip data are damaged");
    case Z_ERRNO: fail(system_message(system_error));
    default: fail(message);
  }
  end_ += static_cast<std::size_t>(std::max(count, 0));
  return count > 0;
}

/// Adds the bytes up to the end of the line, whatever its length. False at the end of the file.
bool TextFile::append_line(std::string& line) {
  if (begin_ == end_ && !refill()) return false;
  do {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start, '\n', end_ - begin_);
    if (found) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - start);
      line.append(start, length);
      begin_ += length + 1;
      return true;
    }
    line.append(start, end_ - begin_);
    begin_ = end_;
  } while (refill());
  return true;
}

bool TextFile::next_line(std::string& line) {
  do {
    line.clear();
    if (!append_line(line)) return false;
    if (++line_ == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
    if (line.ends_with('\r')) line.pop_back();
  } while (trimmed(line).empty());
  return true;
}

std::size_t TextFile::read(unsigned char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count && (begin_ < end_ || refill())) {
    const std::size_t part = std::min(count - done, end_ - begin_);
    std::memcpy(to + done, buffer_.data() + begin_, part);
    begin_ += part;
    done += part;
  }
  return done;
}

std::string_view TextFile::peek(std::size_t count) {
  while (end_ - begin_ < count && refill()) continue;
  return {buffer_.data() + begin_, std::min(count, end_ - begin_)};
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  const bool cut = text.size() > longest;
  if (cut) {
    std::size_t length = longest;
    while (length > 0 && (text[length] & 0xC0) == 0x80) --length;  // not within a UTF-8 character
    text = text.substr(0, length);
  }
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  return cut ? result + "..." : result;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

NumberKind parse_number(std::string_view text, double& value) {
  text = trimmed(text);
  // With NaN and nan, which CSV takes for missing where missing values are taken, these are the marks of the page and of
  // the npm package.
  constexpr std::string_view marks[] = {"", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "-", "?"};
  if (std::find(std::begin(marks), std::end(marks), text) != std::end(marks)) return NumberKind::missing;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  double parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error == std::errc::invalid_argument || stop != end) return NumberKind::word;
  if (error == std::errc::result_out_of_range) {  // too large or too small, and only strtod tells which
    parsed = std::strtod(std::string(text).c_str(), nullptr);
    if (std::isinf(parsed)) return NumberKind::too_large;
  }
  if (!std::isfinite(parsed)) return NumberKind::not_finite;
  value = parsed;
  return NumberKind::finite;
}

std::string refusal(NumberKind kind, std::string_view text) {
  text = trimmed(text);
  const std::string quoted = "'" + printable(text) + "'";
  switch (kind) {
    case NumberKind::missing:
      return "missing value" + (text.empty() ? "" : " " + quoted) + ", remove the row or impute it";
    case NumberKind::not_finite: return quoted + " is not finite, and every value must be";
    case NumberKind::too_large: return quoted + " is too large for a double";
    default: return quoted + " is not a number";
  }
}

}  // namespace tamis::cli
