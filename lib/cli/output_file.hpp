#pragma once
/// The one place where the command writes files, and what `-` means where files are named.

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

namespace tamis::cli {

/// Where a file is named, this is standard output, or standard input. A file of that name is `./-`.
inline constexpr std::string_view standard_stream = "-";

/// Writes a file whole or not at all: a regular file, or one that is not there yet, under another name in the same
/// folder, with the permissions of the file that it replaces, until it is complete and flushed. Of a symbolic link its
/// target is replaced. Whatever else there is (a device, a pipe, standard output as `-`) is written to as it stands.
/// Throws ArgumentError.
void write_file(const std::string& path, const std::string& text);

/// Where a command speaks to people: standard output, or standard error if one of these files is standard output.
std::ostream& beside(std::initializer_list<std::string_view> outputs);

/// What --help calls files that are read and written; by these names their options are known.
inline constexpr const char* input_type = "INPUT|-";
inline constexpr const char* output_type = "OUTPUT|-";

}  // namespace tamis::cli
