// The command against certified optima found by other solvers (tests/reference/cases.csv).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "commands.hpp"
#include "support/command.hpp"

namespace {

using tamis::testing::Folder;
using tamis::testing::run;

struct ReferenceCase {
  std::string id, problem, data;
  std::map<std::string, std::string> parameters;
  double optimum = 0, lower_bound = 0;
};

void PrintTo(const ReferenceCase& c, std::ostream* out) { *out << c.id; }

std::vector<ReferenceCase> all_cases() {
  std::ifstream in(std::string(TAMIS_TEST_REFERENCE) + "/cases.csv");
  std::vector<ReferenceCase> cases;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    ReferenceCase c;
    std::stringstream fields(line);
    std::string parameters, number;
    std::getline(fields, c.id, ',');
    std::getline(fields, c.problem, ',');
    std::getline(fields, c.data, ',');
    std::getline(fields, parameters, ',');
    std::getline(fields, number, ',');
    c.optimum = std::stod(number);
    std::getline(fields, number, ',');
    c.lower_bound = std::stod(number);
    std::stringstream pairs(parameters);
    while (std::getline(pairs, number, ';'))
      c.parameters[number.substr(0, number.find('='))] = number.substr(number.find('=') + 1);
    cases.push_back(c);
  }
  return cases;
}

/// The case in the conventions of the command: λ = 1/(nλ_A), F_A = nλ_A F, twice that λ for ‖W‖² without ½; η = η_A/n,
/// and twice the optimum for ‖W‖².
struct Translated {
  std::vector<std::string> arguments;
  double factor = 1;  // the reference's objective over ours
};

Translated translate(const ReferenceCase& c, const Folder& folder) {
  const std::string shipped = TAMIS_TEST_DATA, made = std::string(TAMIS_TEST_REFERENCE) + "/data/";
  Translated out;
  auto& a = out.arguments;
  a = {"train"};
  double samples = 0;
  if (c.data == "digits400") {  // the first 400 rows
    std::ifstream all(shipped + "/digits.csv");
    std::ofstream some(folder.path("digits400.csv"));
    std::string line;
    for (int i = 0; i <= 400 && std::getline(all, line); ++i) some << line << '\n';
    a.insert(a.end(), {folder.path("digits400.csv"), "--scale", "16"});
    samples = 400;
  } else if (c.data == "iris" || c.data == "digits") {
    a.push_back(shipped + "/" + c.data + ".csv");
    if (c.data == "digits") a.insert(a.end(), {"--scale", "16"});
    samples = c.data == "iris" ? 150 : 1797;
  } else {
    a.insert(a.end(), {made + c.data + "_X.csv", "--no-header", "--labels", made + c.data + "_y.csv"});
    samples = c.data == "wine" ? 178 : c.data == "lcg1" ? 24 : 60;
  }
  const bool constrained = c.problem == "A_con";
  char text[64];
  if (c.problem.starts_with("C_")) {  // sums over samples: λ and λ₂ are n times ours; in regressions λ₂ is half of λ
    const bool classes = c.problem == "C_cls";
    out.factor = c.data == "int11"   ? 20
                 : c.data == "int12" ? 40
                 : c.data == "int30" ? 100
                 : c.data == "lcg13" ? 24
                                     : 50;
    a.front() = "interactions";
    const auto add = [&](const char* option, const std::string& from) {
      std::snprintf(text, sizeof text, "%.17g", std::stod(c.parameters.at(from)) / out.factor);
      a.insert(a.end(), {option, text});
    };
    add("--lambda", classes ? "lambda1" : "lambda");
    if (classes) add("--lambda2", "lambda2");
    a.insert(a.end(),
             {"--loss", classes ? "squared-hinge" : "least-squares", "--hierarchy", c.parameters.at("hierarchy"),
              "--norm", c.parameters.at("r") == "1" ? "l1" : "linf", "--no-intercept"});
    return out;
  }
  const double lambda = std::stod(c.parameters.at(constrained ? "eta" : "lambda"));
  const std::map<std::string, std::string> smooth = {
      {"B2", "squared-hinge"}, {"B11", "one-vs-rest-squared-hinge"}, {"B12", "logistic"}};
  if (const auto found = smooth.find(c.problem); found != smooth.end()) {
    std::snprintf(text, sizeof text, "%.17g", lambda);
    a.insert(a.end(), {"--loss", found->second, "--penalty", "group-l2", "--no-intercept", "--lambda", text});
    return out;
  }
  const std::string g = c.parameters.at("g");
  out.factor = constrained ? (g == "l2sq" ? 2 : 1) : samples * lambda;
  std::snprintf(text, sizeof text, "%.17g", constrained ? lambda / samples : (g == "l2sq" ? 2 : 1) / out.factor);
  a.insert(a.end(), {"--loss", "hinge", constrained ? "--eta" : "--lambda", text, "--penalty",
                     g == "l2sq"  ? "ridge"
                     : g == "l1"  ? "l1"
                     : g == "l12" ? "group-l2"
                                  : "group-linf"});
  if (g == "l12" || g == "l1inf") a.insert(a.end(), {"--groups", "blocks:" + c.parameters.at("block_size")});
  if (c.parameters.at("mu") != "1") {  // 0.5 + 0.5 (l mod 3)
    std::ofstream margins(folder.path("margins"));
    for (int i = 0; i < samples; ++i) margins << 0.5 + 0.5 * (i % 3) << '\n';
    a.insert(a.end(), {"--margins", folder.path("margins")});
  }
  return out;
}

class Reference : public ::testing::TestWithParam<ReferenceCase> {
 protected:
  nlohmann::json report(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--report", folder_.path("report.json"), "--quiet"});
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return nlohmann::json::parse(std::ifstream(folder_.path("report.json")));
  }
  void expect_optimum(const std::string& precision, const std::string& tolerance, double within) {
    const auto& c = GetParam();
    auto translated = translate(c, folder_);
    auto& a = translated.arguments;
    a.insert(a.end(), {"--precision", precision, "--tolerance", tolerance});
    const auto r = report(a);
    const double value = r["objective"].get<double>() * translated.factor;
    const double bound = r["dual_objective"].get<double>() * translated.factor;
    const double slack = precision == "double" ? 1e-9 : 1e-5;
    EXPECT_LE(value, c.optimum * (1 + within)) << r["status"];
    EXPECT_GE(value, c.lower_bound * (1 - slack));
    EXPECT_LE(bound, c.optimum * (1 + slack)) << "the certificate is a lower bound";
    if (c.problem == "A_con") {
      EXPECT_LE(r["constraint_value"], r["eta"].get<double>() * (1 + slack));
    }
    // Float may not be able to certify the squared hinges that far: then it says so, and the value is right all the
    // same.
    const bool said_so = precision == "float" &&
                         (c.problem == "B2" || c.problem == "B11" || c.problem.starts_with("C_")) &&
                         r["status"] == "precision_limit";
    EXPECT_TRUE(said_so || r["status"] == "converged") << r["status"];
  }
  Folder folder_;
};

TEST_P(Reference, IsReachedInDouble) {
  const bool far = GetParam().problem == "B11" || GetParam().problem == "B12" || GetParam().problem == "C_reg";
  expect_optimum("double", far ? "1e-8" : "1e-6", far ? 1e-8 : 1e-6);
}
TEST_P(Reference, IsReachedInFloat) {
  const bool large = GetParam().id.find("_digits") != std::string::npos && GetParam().problem == "A_reg";
  expect_optimum("float", large ? "1e-3" : "5e-5", large ? 1e-3 : 1e-4);
}
// Certified 1e-8 wherever the loss is the hinge.
class ReferenceOfHinge : public Reference {};
TEST_P(ReferenceOfHinge, IsCertifiedFarInDouble) {
  const bool slow = GetParam().id == "A_con_l1_digits400_eta10";
  expect_optimum("double", slow ? "1e-7" : "1e-8", slow ? 1e-7 : 1e-8);
}

std::vector<ReferenceCase> cases_of_hinge() {
  auto cases = all_cases();
  std::erase_if(cases, [](const auto& c) { return c.problem != "A_reg" && c.problem != "A_con"; });
  return cases;
}
const auto name_of = [](const auto& c) {
  std::string name = c.param.id;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
};
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceOfHinge, ::testing::ValuesIn(cases_of_hinge()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, Reference, ::testing::ValuesIn(all_cases()), name_of);

// The printed algorithms agree with the same optima where they arrive in reasonable time.
TEST(AsPrinted, ReachTheSameOptimum) {
  Folder folder;
  for (const auto& c : all_cases())
    for (const std::string solver :
         {"primal-dual-as-printed", "fista-constant-step-as-printed", "fista-constant-step", "forward-backward"}) {
      if (c.data != "lcg1" || c.problem == "A_con") continue;
      if ((c.problem == "A_reg") != (solver == "primal-dual-as-printed")) continue;
      auto translated = translate(c, folder);
      auto& a = translated.arguments;
      a.insert(a.end(), {"--solver", solver, "--tolerance", "1e-5", "--report", folder.path("r.json"), "--quiet"});
      ASSERT_EQ(run(a).code, 0);
      const auto r = nlohmann::json::parse(std::ifstream(folder.path("r.json")));
      EXPECT_EQ(r["status"], "converged") << c.id;
      EXPECT_NEAR(r["objective"].get<double>() * translated.factor, c.optimum, 1e-5 * c.optimum) << c.id;
    }
}

// Blondel et al.'s (2013) algorithms on Blondel et al.'s (2013) problems: the small cases, to certificates that are
// soon reached.
class PaperB : public ::testing::TestWithParam<std::string> {};
TEST_P(PaperB, ReachesTheSameOptimum) {
  Folder folder;
  int cases = 0;
  for (const auto& c : all_cases()) {
    if (c.problem[0] != 'B' || c.data.starts_with("digits")) continue;
    ++cases;
    const bool slow = c.data == "iris" || c.id.ends_with("lam0.005");
    const std::string tolerance = !slow ? "1e-5" : GetParam().starts_with("bcd-constant") ? "1e-2" : "1e-3";
    auto translated = translate(c, folder);
    auto& a = translated.arguments;
    a.insert(a.end(), {"--solver", GetParam(), "--tolerance", tolerance, "--report", folder.path("r.json"), "--quiet"});
    ASSERT_EQ(run(a).code, 0);
    const auto r = nlohmann::json::parse(std::ifstream(folder.path("r.json")));
    EXPECT_EQ(r["status"], "converged") << c.id;
    EXPECT_EQ(r["solver"], GetParam());
    EXPECT_NEAR(r["objective"].get<double>(), c.optimum, 0.1 * std::stod(tolerance) * c.optimum) << c.id;
    EXPECT_LE(r["dual_objective"].get<double>(), c.optimum * (1 + 1e-9)) << c.id;
  }
  EXPECT_EQ(cases, 21);
}
INSTANTIATE_TEST_SUITE_P(Solvers, PaperB,
                         ::testing::Values("bcd-line-search-as-printed", "bcd-constant-step-as-printed",
                                           "fista-line-search-as-printed", "sparsa-as-printed"),
                         [](const auto& solver) {
                           std::string name = solver.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(AsPrinted, ReachesTheSameOptimumOfTheConstrainedForm) {
  Folder folder;
  for (const char* solver : {"constrained-primal-dual-as-printed", "linear-constraints-primal-dual-as-printed"})
    for (const auto& c : all_cases()) {
      if (c.problem != "A_con" || (c.data != "lcg1" && c.data != "iris")) continue;
      auto translated = translate(c, folder);
      auto& a = translated.arguments;
      a.insert(a.end(), {"--solver", solver, "--tolerance", "1e-5", "--max-iterations", "120000", "--report",
                         folder.path("r.json"), "--quiet"});
      ASSERT_EQ(run(a).code, 0);
      const auto r = nlohmann::json::parse(std::ifstream(folder.path("r.json")));
      EXPECT_NEAR(r["objective"].get<double>() * translated.factor, c.optimum, 1e-4 * c.optimum) << c.id;
      EXPECT_LE(r["dual_objective"].get<double>() * translated.factor, c.optimum * (1 + 1e-9)) << c.id;
      EXPECT_LE(r["constraint_value"], r["eta"].get<double>() * (1 + 1e-9)) << c.id;
      if (c.data == "lcg1") {
        EXPECT_EQ(r["status"], "converged") << solver << " " << c.id;
      }
    }
}

// What is written obeys the hierarchy to the last bit: products have both their features.
TEST(Interactions, StrongHierarchyIsExact) {
  Folder folder;
  int cases = 0;
  for (const auto& c : all_cases()) {
    if (!c.problem.starts_with("C_") || c.parameters.at("hierarchy") != "strong") continue;
    ++cases;
    auto a = translate(c, folder).arguments;
    a.insert(a.end(), {"--tolerance", "1e-3", "--report", folder.path("r.json"), "--quiet"});
    ASSERT_EQ(run(a).code, 0);
    const auto r = nlohmann::json::parse(std::ifstream(folder.path("r.json")));
    std::set<std::string> kept;  // a class and a feature
    const auto owner = [&](const auto& term) { return term.value("class", "") + " "; };
    for (const auto& term : r["terms"])
      if (term["features"].size() == 1) kept.insert(owner(term) + term["features"][0].template get<std::string>());
    for (const auto& term : r["terms"])
      for (const auto& feature : term["features"])
        EXPECT_TRUE(kept.contains(owner(term) + feature.get<std::string>())) << c.id << " " << term;
  }
  EXPECT_EQ(cases, 16);
}

TEST(Leukemia, AtMostTwoErrorsOf34) {
  const char* data = std::getenv("TAMIS_DATA");
  if (!data)
    GTEST_SKIP() << "skipped: set TAMIS_DATA to a folder that holds golub/golub_train.csv.gz and its test file";
  Folder folder;
  const std::string golub = std::string(data) + "/golub/golub_";
  const auto outcome =
      run({"train", golub + "train.csv.gz", "--test", golub + "test.csv.gz", "--standardise", "--loss", "hinge",
           "--penalty", "l1", "--lambda", "0.05", "--report", folder.path("r.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto r = nlohmann::json::parse(std::ifstream(folder.path("r.json")));
  EXPECT_EQ(r["status"], "converged");
  EXPECT_GE(r["test_accuracy"].get<double>() * 34, 31.999);
  EXPECT_LE(r["nonzero_rows"], 100);
}

}  // namespace
