// Writes what other languages and the documentation have of the catalogue, and what headers of C declare for double as
// they do for float, between lines `catalogue: NAME` and `end of catalogue` of their files: `write ROOT`. `write
// --check ROOT` changes nothing, and fails where a file is stale.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tamis/catalogue.hpp"

namespace {

using namespace tamis;
namespace has = catalogue::has;
namespace is = catalogue::is;

/// A row as text: `comment` in ASCII, `formula` as the documentation has it.
template <class Kind>
struct Row {
  Kind kind;
  std::string enumerator, name, formula, comment;
  int number() const { return static_cast<int>(kind); }
};
#define TAMIS_ROW(number, kind, name, Type, formula, comment) {LossKind::kind, #kind, name, formula, comment},
const std::vector<Row<LossKind>> losses = {TAMIS_LOSSES(TAMIS_ROW)};
#undef TAMIS_ROW
#define TAMIS_ROW(number, kind, name, Type, formula, comment) {PenaltyKind::kind, #kind, name, formula, comment},
const std::vector<Row<PenaltyKind>> penalties = {TAMIS_PENALTIES(TAMIS_ROW)};
#undef TAMIS_ROW
#define TAMIS_ROW(number, kind, name, needs, traits, sentence) {SolverKind::kind, #kind, name, "", sentence},
const std::vector<Row<SolverKind>> solvers = {TAMIS_SOLVERS(TAMIS_ROW)};
#undef TAMIS_ROW
#define TAMIS_ROW(number, kind, name, sentence) {StoppingRule::kind, #kind, name, "", sentence},
const std::vector<Row<StoppingRule>> stopping_rules = {TAMIS_STOPPING_RULES(TAMIS_ROW)};
#undef TAMIS_ROW

template <class Rows>
auto chosen(const Rows& rows, auto condition) {
  Rows out;
  for (const auto& row : rows)
    if (condition(row.kind)) out.push_back(row);
  return out;
}

/// The names of rows, each between `quotes`.
template <class Rows>
std::string names_of(const Rows& rows, const std::string& quotes, const std::string& between = ", ") {
  std::string out;
  for (const auto& row : rows) out += (out.empty() ? "" : between) + quotes + row.name + quotes;
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

constexpr std::size_t width = 120;

/// Words in lines that leave room for the end of a comment, the first after `first`, the others after `next`.
std::string wrapped(const std::string& text, const std::string& first, const std::string& next) {
  std::istringstream words(text);
  std::string out, line = first, word;
  for (bool begins = true; words >> word; begins = false) {
    if (!begins && line.size() + 1 + word.size() + 3 > width) {
      out += line + "\n";
      line = next + word;
    } else {
      line += (begins ? "" : " ") + word;
    }
  }
  return out + line;
}

/// What a solver is for: "hinge and ridge", "all losses but hinge" …
std::string purpose(SolverKind solver, const std::string& quotes) {
  const auto taken = [=](LossKind loss) {
    return !chosen(penalties, [=](PenaltyKind p) { return !incompatibility(solver, loss, p); }).empty();
  };
  const auto takes = chosen(losses, taken), refuses = chosen(losses, std::not_fn(taken));
  const LossKind one = takes.front().kind;
  const auto fits = [=](PenaltyKind penalty) { return !incompatibility(solver, one, penalty); };
  const auto fitting = chosen(penalties, fits), others = chosen(penalties, std::not_fn(fits));
  std::string out = refuses.empty() ? "all losses" : "all losses but " + names_of(refuses, quotes, " and ");
  if (takes.size() < refuses.size()) out = names_of(takes, quotes, " and ");
  if (fitting.size() == 1) out += " and " + names_of(fitting, quotes);
  else if (fitting.size() < others.size()) out += " with " + names_of(fitting, quotes, " or ");
  else if (!others.empty()) out += ", not " + names_of(others, quotes);
  return out + (is_constrained(solver) ? ", with eta" : "");
}

/// Whether it is only in libraries and modules with all solvers.
bool is_rare(LossKind kind) { return has_label_sets(kind); }
bool is_rare(PenaltyKind) { return false; }
bool is_rare(StoppingRule) { return false; }
bool is_rare(SolverKind kind) { return catalogue::of(kind) & is::baseline; }

template <class Kind>
std::string in_c(const std::string& type, const std::string& prefix, const std::vector<Row<Kind>>& rows) {
  std::vector<std::string> enumerators, comments;
  for (const auto& row : rows) {
    std::string& enumerator = enumerators.emplace_back("  " + prefix);
    for (const char letter : row.enumerator) enumerator += static_cast<char>(std::toupper(letter));
    enumerator += " = " + std::to_string(row.number()) + (row.number() + 1u < rows.size() ? "," : "");
    std::string& comment = comments.emplace_back(row.comment);
    if constexpr (std::is_same_v<Kind, SolverKind>)
      if (row.kind != SolverKind::automatic) comment = purpose(row.kind, "") + ": " + comment;
    if (is_rare(row.kind)) comment += " (TAMIS_ALL_SOLVERS)";
  }
  std::size_t column = 0;  // of comments beside their enumerators; those that are too long stand above
  const auto fits = [&](std::size_t i) { return enumerators[i].size() + comments[i].size() + 8 <= width; };
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (fits(i)) column = std::max(column, enumerators[i].size() + 2);
  std::string out = "typedef enum " + type + " {\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string gap(column - std::min(column - 2, enumerators[i].size()), ' ');
    if (fits(i)) out += enumerators[i] + gap + "/* " + comments[i] + " */\n";
    else out += wrapped(comments[i], "  /* ", "     ") + " */\n" + enumerators[i] + "\n";
  }
  return out + "} " + type + ";\n";
}

template <class Kind>
std::string in_typescript(const std::string& type, const std::vector<Row<Kind>>& rows, const std::string& more = "") {
  std::string out = "export type " + type + " =\n";
  for (const auto& row : rows) {
    std::string comment = row.comment;
    if (std::is_same_v<Kind, LossKind> && is_rare(row.kind)) comment += ". In the module with all solvers";
    out += wrapped(comment, "  /** ", "   * ") + " */\n  | '" + row.name + "'\n";
  }
  out += more;
  out.back() = ';';
  return out + "\n";
}

/// Of the solvers all but one; it is the last, so that places in the list are numbers.
constexpr bool in_modules(SolverKind kind) { return kind != SolverKind::proximal_newton; }

std::string modules_in_javascript();
std::string in_javascript() {
  const auto list = [](const auto& rows) { return "[" + names_of(rows, "'") + "]"; };
  const auto usual = chosen(solvers, [](SolverKind kind) { return catalogue::of(kind) & is::usual; });
  std::string numbers;
  for (const auto& row : usual) numbers += (numbers.empty() ? "" : ", ") + std::to_string(row.number());
  return "const choices = {\n"
         "  loss: " +
         list(losses) +
         ",\n"
         "  penalty: " +
         list(penalties) + ",\n" + wrapped(list(chosen(solvers, in_modules)), "  solver: ", "    ") +
         ",\n"
         "  stopping: " +
         list(stopping_rules) +
         ",\n"
         "};\n"
         "/** The losses without a gradient, and those of samples with several labels. */\n"
         "const kinked = " +
         list(chosen(losses, [](LossKind kind) { return !(catalogue::of(kind) & has::gradient); })) +
         ";\nconst of_label_sets = " + list(chosen(losses, has_label_sets)) +
         ";\n"
         "/** The penalties that the parameters mean something to. */\n"
         "export const takers = {\n"
         "  groups: " +
         list(chosen(penalties, has_groups)) +
         ",\n"
         "  l1Ratio: " +
         list(chosen(penalties, has_ratio)) +
         ",\n"
         "  epsilon: " +
         list(chosen(penalties, in_rounds)) +
         ",\n"
         "};\n"
         "/** The penalties that make no coefficient zero. */\n"
         "export const dense = " +
         list(chosen(penalties, std::not_fn(makes_zeros))) + ";\n" +
         "/** The solvers of the first modules. */\n"
         "const usual_solvers = [" +
         numbers + "];\n" + modules_in_javascript();
}

/// What the modules of one training have: visit(name, losses, penalties, solvers) for each.
void for_each_module(auto visit) {
  const auto one = [&]<class Module>(Module) {
    visit(replaced(Module::name, "_", "-"), chosen(losses, [](LossKind loss) { return Module::has(loss); }),
          chosen(penalties, [](PenaltyKind penalty) { return Module::has(penalty); }),
          chosen(solvers, [](SolverKind solver) { return Module::has(solver); }));
  };
  [&]<class... Module>(catalogue::List<Module...>) { (one(Module{}), ...); }(catalogue::Modules{});
}
std::string modules_in_javascript() {
  std::string out = "/** The modules that train one model. */\nconst modules_of_one = [\n";
  for_each_module([&](const auto& name, const auto& its_losses, const auto& its_penalties, const auto& its_solvers) {
    const auto list = [](const auto& rows) { return "[" + names_of(rows, "'") + "]"; };
    const std::string one =
        "{ name: '" + name + "', losses: " + list(its_losses) + ", penalties: " + list(its_penalties);
    out += wrapped(one + ", solvers: " + list(its_solvers) + " },", "  ", "    ") + "\n";
  });
  return out + "];\n";
}
std::string modules_in_markdown() {
  std::string out = "| module | loss | penalties | solvers |\n|---|---|---|---|\n";
  for_each_module([&](const auto& name, const auto& its_losses, const auto& its_penalties, const auto& its_solvers) {
    out += "| `tamis-" + name + "*.wasm` | " + names_of(its_losses, "") + " | " + names_of(its_penalties, "") + " | " +
           names_of(its_solvers, "") + " |\n";
  });
  return out;
}

template <class Kind>
std::string in_markdown(const std::string& head, const std::vector<Row<Kind>>& rows) {
  std::string out = head + "|---|---|" + (std::is_same_v<Kind, SolverKind> ? "---|\n" : "\n");
  for (const auto& row : rows) {
    out += "| `" + row.name + "` | ";
    if constexpr (std::is_same_v<Kind, SolverKind>) out += purpose(row.kind, "`") + " | ";
    out += replaced(row.formula.empty() ? row.comment : row.formula, "|", "\\|") + " |\n";
  }
  return replaced(replaced(out, "lambda", "λ"), "with eta", "with η");
}

/// The headers of C whose declarations for float have twins for double.
const char* const twins[] = {"lib/c/tamis.h",
                             "lib/c/tamis_calibration.h",
                             "lib/c/tamis_device.h",
                             "lib/c/tamis_features.h",
                             "lib/c/tamis_interactions.h",
                             "lib/c/tamis_kernels.h",
                             "lib/c/tamis_sets.h",
                             "lib/c/tamis_stability.h",
                             "lib/c/tamis_stream.h",
                             "lib/shared/tamis_dynamic.h"};

/// What a header declares for float, for double and without comments.
std::string in_double(const std::string& header) {
  const std::string begin = "/* For float. */\n", end = "/* catalogue: double */";
  const auto from = header.find(begin), to = header.find(end);
  if (from == std::string::npos || to == std::string::npos) throw "a header has no line " + begin;
  std::string code = header.substr(from + begin.size(), to - from - begin.size());
  for (std::size_t at; (at = code.find("/*")) != std::string::npos;) code.erase(at, code.find("*/", at) + 2 - at);
  code = std::regex_replace(replaced(code, "_f32", "_f64"), std::regex("\\bfloat\\b"), "double");
  std::istringstream lines(code);
  std::string out = "/* The same for double. */\n", line;
  while (std::getline(lines, line)) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  if (!(text << std::ifstream(path).rdbuf())) throw path + " cannot be read";
  return text.str();
}

/// What belongs between the marks of the files below `root`.
std::map<std::string, std::map<std::string, std::string>> contents(const std::string& root) {
  const auto certified = chosen(solvers, [](SolverKind kind) { return !is_rare(kind); });
  const auto baselines = chosen(solvers, [](SolverKind kind) { return is_rare(kind); });
  const auto rules = chosen(stopping_rules, [](StoppingRule rule) { return rule != StoppingRule::gap; });
  std::map<std::string, std::map<std::string, std::string>> all{
      {"lib/c/tamis.h",
       {{"losses", in_c("tamis_loss", "TAMIS_", losses)},
        {"penalties", in_c("tamis_penalty", "TAMIS_", penalties)},
        {"solvers", in_c("tamis_solver", "TAMIS_", solvers)},
        {"stopping rules", in_c("tamis_stopping", "TAMIS_STOPPING_", stopping_rules)}}},
      {"wasm/problem.js", {{"choices", in_javascript()}}},
      {"wasm/tamis.d.ts",
       {{"losses", in_typescript("Loss", losses)},
        {"penalties", in_typescript("Penalty", penalties)},
        {"solvers", in_typescript("Solver", chosen(certified, in_modules), "  | Baseline\n")},
        {"baselines", in_typescript("Baseline", baselines)},
        {"stopping rules", in_typescript("StoppingRule", rules)}}},
      {"wasm/README.md", {{"modules of one training", modules_in_markdown()}}},
      {"lib/docs/problems.md",
       {{"losses", in_markdown("| loss | ℓ(z, y) |\n", losses)},
        {"penalties", in_markdown("| penalty | Ω(W) |\n", penalties)}}},
      {"lib/docs/solvers.md",
       {{"solvers", in_markdown("| solver | for | what it is |\n", certified)},
        {"baselines", in_markdown("| solver | for | what it is |\n", baselines)}}}};
  for (const std::string header : twins) all[header]["double"] = in_double(read(root + "/" + header));
  return all;
}

/// The text with everything between marks replaced. Throws a sentence.
std::string written(const std::string& text, std::map<std::string, std::string> sections) {
  std::istringstream lines(text);
  std::string out, line;
  while (std::getline(lines, line)) {
    out += line + "\n";
    const std::string mark = "catalogue: ";
    const auto at = line.find(mark);
    if (at == std::string::npos) continue;
    const auto found =
        sections.find(line.substr(at + mark.size(), line.find_last_not_of("-*/> ") + 1 - at - mark.size()));
    if (found == sections.end()) throw "nothing is known of the mark " + line;
    out += found->second;
    sections.erase(found);
    while (line.find("end of catalogue") == std::string::npos)
      if (!std::getline(lines, line)) throw std::string("a mark has no end");
    out += line + "\n";
  }
  for (const auto& section : sections) throw "there is no mark for the " + section.first;
  return out;
}

}  // namespace

int main(int count, char** arguments) try {
  const bool check = count == 3 && arguments[1] == std::string("--check");
  if (!check && count != 2) throw std::string("usage: write [--check] ROOT");
  int stale = 0;
  for (const auto& [name, sections] : contents(arguments[count - 1])) {
    const std::string path = arguments[count - 1] + ("/" + name), before = read(path),
                      after = written(before, sections);
    if (after == before) continue;
    std::cout << path << (check ? " is not what the catalogue says: build the target catalogue\n" : " is written\n");
    if (check) stale = 1;
    else if (!(std::ofstream(path) << after)) throw path + " cannot be written";
  }
  return stale;
} catch (const std::string& sentence) {
  std::cerr << sentence << "\n";
  return 2;
}
