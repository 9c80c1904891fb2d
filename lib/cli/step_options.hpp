#pragma once
/// Options of a step that are written `FIRST,name=N,name=N`, and stored under the same names.

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "text_file.hpp"

namespace tamis::cli {

/// An option under the name that the command and its files have for it.
template <class Options>
struct Named {
  const char* name;
  std::uint32_t Options::*value;
};

/// A whole number that fits; false: the text is none.
inline bool read_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// What stands between commas.
inline std::vector<std::string> split_fields(const std::string& text) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    fields.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return fields;
}

/// Sets what the fields after the first one name. Throws ArgumentError naming `option`, with `words` that it may have
/// too.
template <class Options>
void set_named(const std::string& option, const std::vector<std::string>& fields,
               const std::vector<Named<Options>>& all, Options& options, const std::string& words = "") {
  std::vector<bool> given(all.size());
  for (std::size_t f = 1; f < fields.size(); ++f) {
    const auto equals = fields[f].find('=');
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return fields[f].substr(0, equals) == one.name; });
    if (equals == std::string::npos || found == all.end() ||
        !read_number(std::string_view(fields[f]).substr(equals + 1), options.*(found->value))) {
      std::string names;
      for (const auto& one : all) names += (names.empty() ? "" : ", ") + std::string(one.name) + "=N";
      throw ArgumentError(option + ": '" + printable(fields[f]) + "' is not one of " + names + words);
    }
    const auto at = static_cast<std::size_t>(found - all.begin());
    if (given[at]) throw ArgumentError(option + ": " + std::string(found->name) + " is given twice");
    given[at] = true;
  }
}

}  // namespace tamis::cli
