// Texts become sparse features, and models of them read texts: against weights worked out independently in Python.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data.hpp"
#include "support/command.hpp"
#include "text_step.hpp"

namespace {

using nlohmann::json;
using tamis::cli::read_table;
using tamis::cli::Table;
using tamis::cli::TextStep;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string corpus =
    "1\tThe cat sat on the mat.\n"
    "2\tthe dog sat; The DOG ran\n"
    "1\ta cat and a dog and a bird\n"
    "3\t\n"
    "2\tBirds sing, cats sit\n";

Table read(const Folder& folder, const std::string& text, const std::string& name = "t.tsv",
           tamis::cli::ReadOptions options = {}) {
  options.text = true;
  return read_table(folder.write(name, text), options);
}

using Row = std::vector<std::pair<std::size_t, double>>;

/// The entries of each sample.
std::vector<Row> rows_of(const Table& table) {
  std::vector<Row> out(table.samples);
  for (std::size_t j = 0; j < table.features; ++j)
    for (auto e = table.starts[j]; e < table.starts[j + 1]; ++e) out[table.rows[e]].emplace_back(j, table.values[e]);
  return out;
}

void expect_rows(const std::vector<Row>& found, const std::vector<Row>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << i;
    for (std::size_t e = 0; e < found[i].size(); ++e) {
      EXPECT_EQ(found[i][e].first, expected[i][e].first) << i;
      EXPECT_NEAR(found[i][e].second, expected[i][e].second, 1e-15) << i;
    }
  }
}

/// Lines of three classes, each with words of its own and words of all; every tenth has none.
std::string made(std::size_t samples, const std::string& labels = "abc", std::size_t seed = 0) {
  std::string out;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t k = i % 3;
    out += std::string(1, labels[k]) + '\t';
    for (std::size_t w = 0; w < 6 && i % 10 != 9; ++w) {
      const std::size_t draw = (i * 31 + w * 17 + seed * 7 + i * w) % 11;
      out += draw < 6 ? "own" + std::to_string(k) + "x" + std::to_string(draw % 4) + " "
                      : "all" + std::to_string(draw) + ", ";
    }
    out += '\n';
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> train(const Folder& folder, const std::string& data, const std::vector<std::string>& more) {
  std::vector<std::string> out{
      "train", data,          "--loss", "squared-hinge", "--penalty",           "group-l2", "--lambda",
      "0.001", "--tolerance", "1e-6",   "--model",       folder.path("m.json"), "--report", folder.path("r.json")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

json model(const Folder& folder) { return json::parse(folder.read("m.json")); }

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.error;
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(lines_of(outcome.error).size(), 1u) << "one sentence: " << outcome.error;
  EXPECT_EQ(outcome.output, "");
}

// ---- weights ----

TEST(Text, WeightsOfWords) {
  const Folder folder;
  Table table = read(folder, corpus);
  TextStep step;
  step.learn(table);
  EXPECT_EQ(step.terms, (std::vector<std::string>{"a", "and", "bird", "birds", "cat", "cats", "dog", "mat", "on", "ran",
                                                  "sat", "sing", "sit", "the"}));
  EXPECT_EQ(step.counts, (std::vector<tamis::Index>{1, 1, 1, 1, 2, 1, 2, 1, 1, 1, 2, 1, 1, 2}));
  step.apply(table);
  EXPECT_EQ(table.feature_names, step.terms);
  EXPECT_EQ(table.features, 14u);
  expect_rows(rows_of(table),
              {{{4, 0.33199710192764875},
                {7, 0.4115018504635517},
                {8, 0.4115018504635517},
                {10, 0.33199710192764875},
                {13, 0.6639942038552975}},
               {{6, 0.6161493673938713}, {9, 0.3818506296777547}, {10, 0.30807468369693564}, {13, 0.6161493673938713}},
               {{0, 0.7669190713191278},
                {1, 0.5112793808794186},
                {2, 0.2556396904397093},
                {4, 0.20624849260837566},
                {6, 0.20624849260837566}},
               {},
               {{3, 0.5}, {5, 0.5}, {11, 0.5}, {12, 0.5}}});
  Table others = read(folder, "1\tdog dog cat zebra\n1\tnothing known? zebra\n");
  step.apply(others);
  expect_rows(rows_of(others), {{{4, 0.4472135954999579}, {6, 0.8944271909999159}}, {}});
}

TEST(Text, SeveralWordsFewTextsAndSublinear) {
  const Folder folder;
  Table table = read(folder, corpus);
  TextStep step{.ngrams = 2, .sublinear = true, .min_df = 2};
  step.learn(table);
  EXPECT_EQ(step.terms, (std::vector<std::string>{"cat", "dog", "sat", "the"}));
  step.apply(table);
  expect_rows(rows_of(table), {{{0, 0.4532946552278861}, {2, 0.4532946552278861}, {3, 0.7674945674619879}},
                               {{1, 0.6524908845125339}, {2, 0.38537162746640063}, {3, 0.6524908845125339}},
                               {{0, 0.7071067811865476}, {1, 0.7071067811865476}},
                               {},
                               {}});
}

/// The numbers of the library, which has a test of its own.
TEST(Text, HashedFeatures) {
  const Folder folder;
  Table table = read(folder, "1\tTo be, or not to BE: that's the question 42!\n2\tGröße\n");
  TextStep step{.bits = 18};
  step.learn(table);
  step.apply(table);
  EXPECT_EQ(table.features, 262144u);
  EXPECT_TRUE(table.feature_names.empty());
  const auto rows = rows_of(table);
  ASSERT_EQ(rows[0].size(), 9u);
  EXPECT_EQ(rows[0][0].first, 24734u);
  EXPECT_NEAR(rows[0][0].second, -1 / std::sqrt(15.0), 1e-15);
  ASSERT_EQ(rows[1].size(), 1u);
  EXPECT_EQ(rows[1][0].second, -1);
}

// ---- files ----

TEST(Text, LinesAndColumnsSayTheSame) {
  const Folder folder;
  tamis::cli::ReadOptions named;
  named.label = "kind";
  named.text_column = "said";
  const Table lines = read(folder, "x\tone, two\ny\t\"three\"\tfour\n");
  const Table columns = read(folder, "id,said,kind\n1,\"one, two\",x\n2,\"\"\"three\"\"\tfour\",y\n", "t.csv", named);
  EXPECT_EQ(lines.texts, (std::vector<std::string>{"one, two", "\"three\"\tfour"}));
  EXPECT_EQ(columns.texts, lines.texts);
  EXPECT_EQ(columns.labels, lines.labels);
  EXPECT_EQ(lines.lines, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(columns.lines, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(columns.text_column, "said");
  tamis::cli::ReadOptions headed;
  headed.header = tamis::cli::Header::present;
  EXPECT_EQ(read(folder, "label\ttext\nx\tone, two\ny\t\"three\"\tfour\n", "t.tsv", headed).texts, lines.texts);
  EXPECT_EQ(read(folder, "kind,said\nx,one\n", "t.csv").texts, (std::vector<std::string>{"one"}));
  named = {};
  named.header = tamis::cli::Header::absent;
  named.text_column = "0";
  named.label = "1";
  EXPECT_EQ(read(folder, "one,x\n", "t.csv", named).texts, (std::vector<std::string>{"one"}));
}

TEST(Text, GzippedLinesAndLabelsOfTheirOwn) {
  const Folder folder;
  const gzFile file = gzopen(folder.path("t.txt.gz").c_str(), "wb");
  gzwrite(file, "one\ntwo\tthree\n", 14);
  gzclose(file);
  tamis::cli::ReadOptions options;
  options.text = true;
  options.labels_file = folder.write("l.csv", "x\ny\n");
  const Table table = read_table(folder.path("t.txt.gz"), options);
  EXPECT_EQ(table.texts, (std::vector<std::string>{"one", "two\tthree"}));
  EXPECT_EQ(table.labels, (std::vector<std::string>{"x", "y"}));
}

TEST(Text, WrongFiles) {
  const Folder folder;
  const auto refused = [&](const std::string& name, const std::string& text, const std::vector<std::string>& more,
                           int code, const std::string& sentence) {
    auto arguments = train(folder, folder.write(name, text), {"--text", "tf-idf"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, code, sentence);
    EXPECT_FALSE(std::filesystem::exists(folder.path("m.json"))) << "nothing written";
  };
  refused("a.tsv", "x\tone\ny two\n", {}, 3, "line 2: there is no tab between a label and a text");
  refused("a.tsv", "x\tone\n\ttwo\n", {}, 3, "line 2: missing label");
  refused("a.tsv",
          "x\tone\ny\tg\xf6\xdf"
          "e\n",
          {}, 3, "line 2: byte 4 of the text is not UTF-8");
  for (const std::string bad : {"\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8", "\xc3", "\x80"})
    refused("a.tsv", "x\tone\ny\t" + bad + "\n", {}, 3, "line 2: byte 3 of the text is not UTF-8");
  refused("a.tsv", "", {}, 3, "holds no samples");
  refused("a.tsv", "x\tone\nx\ttwo\n", {}, 3, "at least two classes");
  refused("a.tsv", "x\tone\ny\ttwo\n", {"--label", "1"}, 2, "--label: only CSV has columns");
  refused("a.tsv", "x\tone\ny\ttwo\n", {"--text-column", "1"}, 2, "--text-column: only CSV has columns");
  refused("a.csv", "label,a,b\nx,one,1\n", {}, 3, "name that of the texts with --text-column: label, a, b");
  refused("a.csv", "label,a\nx,one\n", {"--text-column", "b"}, 3, "no column 'b' among 2 columns: label, a");
  refused("a.csv", "label,a\nx,one\n", {"--text-column", "label"}, 3, "cannot be two of the label, the text");
  refused("a.csv", "label,\xf6\nx,one\n", {}, 3, "line 1, column 2: byte 1 of the text is not UTF-8");
  refused("a.csv", "label,a\nx,one\n\xf6,two\n", {}, 3, "line 3, column 1 (label): byte 1 of the text is not UTF-8");
  refused("a.csv", "label,a\n", {}, 3, "holds no samples");
  refused("a.csv", "label,a\nx,one\nx\n", {}, 3, "line 3: 1 field found, 2 expected");
  refused("a.csv", "label,a\nx,\"one\n", {}, 3, "line 2, column 2 (a): the closing quote is missing");
}

TEST(Text, WordsThatAreNotThere) {
  const Folder folder;
  const auto empty = folder.write("e.tsv", "x\t\ny\t...\n");
  for (const std::string kind : {"tf-idf", "hashing:10"})
    expect_refused(train(folder, empty, {"--text", kind}), 3, "e.tsv: no text has a word");
  const auto data = folder.write("t.tsv", corpus);
  expect_refused(train(folder, data, {"--text", "tf-idf", "--min-df", "3"}), 3,
                 "no word is in 3 of the 5 training texts: lower --min-df");
  const auto outcome = run(train(folder, data, {"--text", "tf-idf", "--test", data}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("1 of 5 training texts has no word of the vocabulary (first: line 4): all features"),
            std::string::npos)
      << outcome.error;
  EXPECT_NE(outcome.error.find("1 of 5 test texts has no word of the vocabulary"), std::string::npos);
  EXPECT_EQ(run(train(folder, data, {"--text", "tf-idf", "--quiet"})).error, "");
}

TEST(Text, OptionsThatDoNotGoTogether) {
  const Folder folder;
  const auto data = folder.write("t.tsv", corpus);
  const auto refused = [&](const std::vector<std::string>& more, const std::string& sentence) {
    expect_refused(train(folder, data, more), 2, sentence);
  };
  refused({"--text", "bag"}, "--text: 'bag' is not one of tf-idf, hashing:BITS");
  for (const std::string bits :
       {"hashing:0", "hashing:25", "hashing:", "hashing:x", "hashing:-1", "hashing:99999999999"})
    refused({"--text", bits}, "hashing takes 1 to 24 bits");
  refused({"--text", "hashing:8", "--min-df", "2"}, "--min-df is for --text tf-idf");
  refused({"--ngrams", "2"}, "--ngrams is for --text: give both");
  refused({"--sublinear"}, "--sublinear is for --text: give both");
  refused({"--text-column", "t"}, "--text-column is for --text: give both");
  refused({"--text", "tf-idf", "--scale", "2"}, "--scale is for numbers");
  refused({"--text", "tf-idf", "--missing", "mean"}, "--missing is for numbers");
  refused({"--text", "tf-idf", "--log", "1:2"}, "--log is for numbers");
  refused({"--text", "tf-idf", "--scattering", "8x8"}, "--scattering is for numbers");
  for (const std::string ngrams : {"0", "9"})
    EXPECT_EQ(run(train(folder, data, {"--text", "tf-idf", "--ngrams", ngrams})).code, 2);
  EXPECT_EQ(run(train(folder, data, {"--text", "tf-idf", "--min-df", "0"})).code, 2);
}

// ---- models ----

/// Its scores are the coefficients times the weights that were worked out above.
TEST(Text, ScoresAreThoseOfTheWeights) {
  const Folder folder;
  const auto data = folder.write("t.tsv", corpus);
  ASSERT_EQ(run({"train", data, "--text", "tf-idf", "--loss", "logistic", "--penalty", "ridge", "--lambda", "0.1",
                 "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  const json m = model(folder);
  EXPECT_EQ(m["features"], json::parse(R"(["a","and","bird","birds","cat","cats","dog","mat","on","ran","sat","sing",
                                           "sit","the"])"));
  const auto outcome = run(
      {"predict", folder.path("m.json"), folder.write("p.txt", "a DOG, a dog: that CAT is no zebra\n?\n"), "--scores"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("1 of 2 texts has no word of the vocabulary (first: line 2)"), std::string::npos)
      << outcome.error;
  // a (2·2.0986), cat (1.6931), dog (2·1.6931), divided by their norm
  const double idf1 = std::log(6.0 / 2) + 1, idf2 = std::log(6.0 / 3) + 1;
  const double norm = std::sqrt(4 * idf1 * idf1 + 5 * idf2 * idf2);
  const auto& w = m["coefficients"]["values"];
  const auto lines = lines_of(outcome.output);
  ASSERT_EQ(lines.size(), 3u);
  std::stringstream scored(lines[1]), empty(lines[2]);
  std::string field;
  std::getline(scored, field, ',');
  std::getline(empty, field, ',');
  for (std::size_t k = 0; k < 3; ++k) {
    const double b = m["intercept"][k];
    std::getline(scored, field, ',');
    EXPECT_NEAR(
        std::stod(field),
        b + (2 * idf1 * w[0][k].get<double>() + idf2 * w[4][k].get<double>() + 2 * idf2 * w[6][k].get<double>()) / norm,
        1e-12);
    std::getline(empty, field, ',');
    EXPECT_EQ(std::stod(field), b);
  }
}

void expect_round_trip(const std::vector<std::string>& how) {
  const Folder folder;
  const auto data = folder.write("t.tsv", made(120)), others = folder.write("u.tsv", made(60, "abc", 5));
  auto arguments = train(folder, data, {"--test", others});
  arguments.insert(arguments.end(), how.begin(), how.end());
  ASSERT_EQ(run(arguments).code, 0);
  const json report = json::parse(folder.read("r.json"));
  const double accuracy = report["test_accuracy"];
  EXPECT_GT(accuracy, 0.85);
  const auto predicted = run({"predict", folder.path("m.json"), others});
  ASSERT_EQ(predicted.code, 0) << predicted.error;
  const auto labels = lines_of(predicted.output), truth = lines_of(folder.read("u.tsv"));
  ASSERT_EQ(labels.size(), 60u);
  int right = 0;
  for (std::size_t i = 0; i < 60; ++i) right += labels[i][0] == truth[i][0];
  EXPECT_EQ(right / 60.0, accuracy) << "predict reads what train read";
  std::string bare;
  for (const auto& line : truth) bare += line.substr(2) + (line.size() == 2 ? "-" : "") + "\n";
  EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("bare.txt", bare)}).output, predicted.output);
  ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "json", "--output", folder.path("n.json")}).code, 0);
  EXPECT_EQ(folder.read("n.json"), folder.read("m.json")) << "read and written again";
}

TEST(Text, TrainedModelsReadRawLines) {
  expect_round_trip({"--text", "tf-idf"});
  expect_round_trip({"--text", "tf-idf", "--ngrams", "2", "--min-df", "2", "--sublinear", "--precision", "float"});
  expect_round_trip({"--text", "tf-idf", "--normalise", "l1", "--standardise"});
  expect_round_trip({"--text", "hashing:12"});
  expect_round_trip({"--text", "hashing:12", "--ngrams", "2", "--sublinear"});
}

TEST(Text, HeldOutTextsHaveNoPartInTheVocabulary) {
  const Folder folder;
  std::string text = made(60);
  for (int i = 0; i < 30; ++i) text += std::string(1, "abc"[i % 3]) + "\tonly" + std::to_string(i) + " own0x1\n";
  const auto data = folder.write("t.tsv", text);
  ASSERT_EQ(run(train(folder, data, {"--text", "tf-idf", "--hold-out", "1/3", "--quiet"})).code, 0);
  const json words = model(folder)["preparation"]["text"];
  EXPECT_EQ(words["documents"], 60);
  std::size_t only = 0;
  for (const auto& word : words["vocabulary"]) only += word.get<std::string>().starts_with("only");
  EXPECT_GT(only, 10u);
  EXPECT_LT(only, 30u);
}

TEST(Text, PathsAndCrossValidation) {
  const Folder folder;
  const auto data = folder.write("t.tsv", made(90));
  for (const std::string command : {"path", "cv"}) {
    const auto outcome = run({command, data, "--text", "tf-idf", "--loss", "squared-hinge", "--penalty", "group-l2",
                              "--lambdas", "8", "--model", folder.path("m.json")});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.error.find("9 of 90 training texts have no words of the vocabulary"), std::string::npos);
    const auto predicted = lines_of(run({"predict", folder.path("m.json"), data}).output);
    ASSERT_EQ(predicted.size(), 90u);
    const auto truth = lines_of(folder.read("t.tsv"));
    int right = 0;
    for (std::size_t i = 0; i < 90; ++i) right += predicted[i][0] == truth[i][0];
    EXPECT_GT(right, 75) << command;
  }
}

TEST(Text, SeveralLabels) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += i % 4 == 0   ? "a;b\tapple berry\n"
            : i % 4 == 1 ? "a\tapple cake\n"
            : i % 4 == 2 ? "b\tberry cake\n"
                         : "c\tcake\n";
  const auto data = folder.write("t.tsv", text);
  ASSERT_EQ(run({"train", data, "--text", "tf-idf", "--loss", "ranking-squared-hinge", "--penalty", "l1", "--lambda",
                 "0.001", "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("p.txt", "apple\nberry\ncake\n")}).output, "a\nb\nc\n");
}

TEST(Text, UpdatedModelsKeepTheirVocabulary) {
  const Folder folder;
  const auto first = folder.write("t.tsv", made(60)),
             more = folder.write("u.tsv", made(300, "abc", 3) + "a\tnever seen\n");
  for (const std::string kind : {"tf-idf", "hashing:10"}) {
    ASSERT_EQ(run(train(folder, first, {"--text", kind, "--quiet"})).code, 0);
    const auto outcome =
        run({"update", folder.path("m.json"), more, "--model", folder.path("v.json"), "--passes", "3"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const json before = model(folder), after = json::parse(folder.read("v.json"));
    EXPECT_EQ(before["preparation"], after["preparation"]);
    EXPECT_NE(before["coefficients"], after["coefficients"]);
    EXPECT_EQ(after["samples"], 60 + 3 * 301);
    EXPECT_EQ(run({"predict", folder.path("v.json"), more}).code, 0);
  }
}

TEST(Text, ColumnsOfTrainingAreThoseOfPrediction) {
  const Folder folder;
  std::string sheet = "number,kind,said\n", bare = "said,who\n", alone = "anything\n", other = "who,spoken\n";
  for (int i = 0; i < 30; ++i) {
    const std::string said = i % 2 ? "yes indeed" : "no never";
    sheet += std::to_string(i) + "," + (i % 2 ? "y" : "n") + "," + said + "\n";
    bare += said + ",me\n";
    alone += said + "\n";
    other += "me," + said + "\n";
  }
  const auto data = folder.write("t.csv", sheet);
  ASSERT_EQ(run(train(folder, data, {"--text", "tf-idf", "--label", "kind", "--text-column", "said", "--quiet"})).code,
            0);
  const std::string labels = run({"predict", folder.path("m.json"), data}).output;
  EXPECT_EQ(labels.substr(0, 4), "n\ny\n");
  for (const auto& [name, text] : {std::pair{"bare.csv", bare}, {"alone.csv", alone}, {"other.csv", other}})
    EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write(name, text)}).output, labels) << name;
  const auto wrong = run({"predict", folder.path("m.json"), folder.path("other.csv"), "--text-column", "0"});
  EXPECT_NE(wrong.error.find("30 of 30 texts have no words of the vocabulary"), std::string::npos) << wrong.error;
}

TEST(Text, DamagedVocabulariesAreRefused) {
  const Folder folder;
  const auto data = folder.write("t.tsv", made(60));
  ASSERT_EQ(run(train(folder, data, {"--text", "tf-idf", "--quiet"})).code, 0);
  const json good = model(folder);
  const auto refused = [&](const auto& damage, const std::string& sentence) {
    json bad = good;
    damage(bad);
    expect_refused({"predict", folder.write("bad.json", bad.dump()), data}, 3, sentence);
  };
  using Text = json;
  const auto in_text = [](const auto& damage) { return [damage](json& m) { damage(m["preparation"]["text"]); }; };
  refused(in_text([](Text& t) { t["version"] = 2; }),
          "has a vocabulary of version 2, and this command makes version 1");
  const std::string changed = "changed after training: its checksum does not fit";
  refused(in_text([](Text& t) { t["vocabulary"][3] = "other"; }), changed);
  refused(in_text([](Text& t) { t["document_counts"][3] = 2; }), changed);
  refused(in_text([](Text& t) { t["document_counts"].erase(0); }), changed);
  refused(in_text([](Text& t) { t["documents"] = 61; }), changed);
  refused(in_text([](Text& t) { t["sublinear"] = true; }), changed);
  refused(in_text([](Text& t) { t["crc32"] = "00000000"; }), changed);
  refused(in_text([](Text& t) { t["ngrams"] = 2; }), changed);
  refused(in_text([](Text& t) { t["ngrams"] = 0; }), "terms have 1 to 8 words");
  refused(in_text([](Text& t) { t["kind"] = "words"; }), "unknown kind of text preparation");
  refused(in_text([](Text& t) { t.erase("vocabulary"); }), "lacks a part of a model");
  refused(in_text([](Text& t) { t["documents"] = -1; }), "documents is not a whole number");
  // A sound vocabulary, but that of another training.
  ASSERT_EQ(
      run(train(folder, folder.write("u.tsv", made(60, "abc", 1) + "a\tbefore\n"), {"--text", "tf-idf", "--quiet"}))
          .code,
      0);
  const json other = model(folder)["preparation"]["text"];
  refused([&](json& m) { m["preparation"]["text"] = other; }, "has not as many features as its vocabulary has words");
  std::string renamed = folder.read("t.tsv");
  for (auto at = renamed.find("own"); at != std::string::npos; at = renamed.find("own", at))
    renamed.replace(at, 3, "new");
  ASSERT_EQ(run(train(folder, folder.write("v.tsv", renamed), {"--text", "tf-idf", "--quiet"})).code, 0);
  const json same_size = model(folder)["preparation"]["text"];
  ASSERT_EQ(same_size["vocabulary"].size(), good["preparation"]["text"]["vocabulary"].size());
  refused([&](json& m) { m["preparation"]["text"] = same_size; }, "has another vocabulary than it was trained with");
}

TEST(Text, WhatModelsOfTextsCannot) {
  const Folder folder;
  const auto data = folder.write("t.tsv", made(60));
  ASSERT_EQ(run(train(folder, data, {"--text", "hashing:8", "--quiet"})).code, 0);
  const auto m = folder.path("m.json");
  for (const std::string format : {"c", "arduino"})
    expect_refused({"export", m, "--format", format}, 2, "the model takes texts, which exported code cannot split");
  expect_refused({"predict", m, data, "--scale", "2"}, 2, "--scale is for numbers");
  const auto numbers = folder.write("n.csv", "y,a\n0,1\n1,2\n0,1.5\n1,3\n");
  ASSERT_EQ(run(train(folder, numbers, {"--quiet"})).code, 0);
  expect_refused({"predict", m, numbers, "--text-column", "a"}, 2, "--text-column: the samples are not texts");
}

}  // namespace
