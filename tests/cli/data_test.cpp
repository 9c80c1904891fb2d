#include "data.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace tamis::cli {
namespace {

using Strings = std::vector<std::string>;
using Doubles = std::vector<double>;
using Lines = std::vector<std::size_t>;
using Indices = std::vector<std::uint32_t>;

/// A folder of small files, removed after the test.
class Data : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("tamis_data_" + std::to_string(getpid()) + "_" + test->test_suite_name() + "_" + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  std::string write_gzip(const std::string& name, const std::string& content) const {
    const gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return path(name);
  }

  /// The message of the DataError, with the folder taken out.
  std::string message(const std::function<void()>& act) const {
    try {
      act();
    } catch (const DataError& error) {
      std::string text = error.what();
      const std::string prefix = path("");
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
      return text;
    }
    return "no error";
  }

  Table table(const std::string& content, const ReadOptions& options = {}, std::size_t features = 0) const {
    return read_table(write("a.csv", content), options, features);
  }
  std::string error(const std::string& content, const ReadOptions& options = {}, std::size_t features = 0) const {
    return message([&] { table(content, options, features); });
  }

  std::filesystem::path folder_;
};

class Csv : public Data {};
class Libsvm : public Data {
 protected:
  Table table(const std::string& content, std::size_t features = 0, const ReadOptions& options = {}) const {
    return read_table(write("a.svm", content), options, features);
  }
  std::string error(const std::string& content, std::size_t features = 0, const ReadOptions& options = {}) const {
    return message([&] { table(content, features, options); });
  }
};
class Idx : public Data {
 protected:
  static std::string idx(const std::vector<unsigned>& sizes, const std::string& bytes, char type = 8) {
    std::string content{0, 0, type, static_cast<char>(sizes.size())};
    for (const unsigned size : sizes)
      for (const int shift : {24, 16, 8, 0}) content += static_cast<char>(size >> shift & 0xFF);
    return content + bytes;
  }
  std::string error(const std::string& content) const {
    return message([&] { read_samples(write("img", content), {}, 2); });
  }
};
class Numbers : public Data {};
class Samples : public Data {};
class LabelsFile : public Data {};

ReadOptions with_label(const std::string& label, Header header = Header::automatic) {
  return {.label = label, .header = header};
}
ReadOptions with_header(Header header) { return {.header = header}; }
ReadOptions with_scale(double scale) { return {.scale = scale}; }
ReadOptions with_labels_file(const std::string& path, Header header = Header::automatic) {
  return {.header = header, .labels_file = path};
}

// CSV

TEST_F(Csv, ReadsColumnMajorWithNamesLabelsAndLines) {
  const auto data = table("species,length,width\nsetosa,1,2\nvirginica,3,4\nsetosa,5,6\n");
  EXPECT_EQ(data.path, path("a.csv"));
  EXPECT_EQ(data.samples, 3u);
  EXPECT_EQ(data.features, 2u);
  EXPECT_FALSE(data.sparse);
  EXPECT_TRUE(data.has_labels());
  EXPECT_EQ(data.values, (Doubles{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(data.feature_names, (Strings{"length", "width"}));
  EXPECT_EQ(data.labels, (Strings{"setosa", "virginica", "setosa"}));
  EXPECT_EQ(data.lines, (Lines{2, 3, 4}));
}

TEST_F(Csv, ReadsTheIrisData) {
  const auto data = read_table(std::string(TAMIS_TEST_DATA) + "/iris.csv", {});
  ASSERT_EQ(data.samples, 150u);
  ASSERT_EQ(data.features, 4u);
  EXPECT_EQ(data.feature_names, (Strings{"sepal_length_cm", "sepal_width_cm", "petal_length_cm", "petal_width_cm"}));
  for (const char* label : {"0", "1", "2"}) EXPECT_EQ(std::count(data.labels.begin(), data.labels.end(), label), 50);
  EXPECT_EQ(data.values[0], 5.1);
  EXPECT_EQ(data.values[150], 3.5);
  EXPECT_EQ(data.values[599], 1.8);
  EXPECT_EQ(data.lines.back(), 151u);
}

TEST_F(Csv, TransposesMoreThanABlock) {
  std::string content;
  for (int i = 0; i < 150; ++i) {
    content += "x";
    for (int j = 0; j < 70; ++j) content += "," + std::to_string(1000 * i + j);
    content += "\n";
  }
  const auto data = table(content);
  ASSERT_EQ(data.values.size(), 150u * 70u);
  for (std::size_t i = 0; i < 150; ++i)
    for (std::size_t j = 0; j < 70; ++j) ASSERT_EQ(data.values[j * 150 + i], static_cast<double>(1000 * i + j));
}

TEST_F(Csv, AcceptsQuotesCarriageReturnsByteOrderMarkBlankLinesAndNoFinalLineEnd) {
  const auto data = table(
      "\xEF\xBB\xBF\r\n\"class\",\"a,b\", \"say \"\"hi\"\"\" \r\n\n \t \n\"x, y\" , \" 1.5\" ,\t-2e1 \r\n  z  "
      ",+.5,3\r\n\r\n\" q \",1,2");
  EXPECT_EQ(data.feature_names, (Strings{"a,b", "say \"hi\""}));
  EXPECT_EQ(data.labels, (Strings{"x, y", "z", "q"}));
  EXPECT_EQ(data.values, (Doubles{1.5, .5, 1, -20, 3, 2}));
  EXPECT_EQ(data.lines, (Lines{5, 6, 8}));
}

TEST_F(Csv, SkipsTheByteOrderMarkBeforeANumber) {
  EXPECT_EQ(table("\xEF\xBB\xBF"
                  "1,2\n",
                  with_label("1"))
                .values,
            Doubles{1});
}

TEST_F(Csv, RefusesBadQuotes) {
  EXPECT_EQ(error("y,a\n1,\"2\n"), "a.csv, line 2, column 2 (a): the closing quote is missing");
  EXPECT_EQ(error("y,a\n\"1\" 0,2\n"), "a.csv, line 2, column 1 (y): text follows the closing quote");
}

TEST_F(Csv, ReadsLinesLongerThanTheBuffer) {
  constexpr std::size_t features = 200000;
  std::string line = "0";
  for (std::size_t j = 0; j < features; ++j) line += "," + std::to_string(j % 1000);
  const auto data = table(line + "\r\n" + line + "\r\n");
  ASSERT_EQ(data.features, features);
  ASSERT_EQ(data.samples, 2u);
  for (std::size_t j = 0; j < features; ++j) ASSERT_EQ(data.values[2 * j + 1], static_cast<double>(j % 1000));
}

TEST_F(Csv, ReadsManyLinesAcrossBuffers) {
  std::string content;
  for (int i = 0; i < 60000; ++i) content += std::to_string(i % 3) + "," + std::to_string(i) + "\n";
  const auto data = table(content);
  ASSERT_EQ(data.samples, 60000u);
  for (std::size_t i = 0; i < data.samples; ++i) {
    ASSERT_EQ(data.values[i], static_cast<double>(i));
    ASSERT_EQ(data.lines[i], i + 1);
  }
}

TEST_F(Csv, TakesAFirstLineWithAWordBesideTheLabelAsHeader) {
  EXPECT_TRUE(table("setosa,1,2\nvirginica,3,4\n").feature_names.empty());
  EXPECT_EQ(table("setosa,1,2\nvirginica,3,4\n").samples, 2u);
  EXPECT_EQ(table("0,1,x\n1,3,4\n").feature_names, (Strings{"1", "x"}));
  EXPECT_EQ(table("1,2,setosa\n3,4,virginica\n", with_label("2")).samples, 2u);
}

/// What is said beside a word in the last column, where labels often are.
const std::string of_the_label = "; the label is the first column unless --label names another";

TEST_F(Csv, DoesNotTakeValuesItRefusesAsHeader) {
  EXPECT_EQ(error("0,nan\n1,2\n"), "a.csv, line 1, column 2: 'nan' is not finite, and every value must be");
  EXPECT_EQ(
      error("0,NA\n1,2\n"),
      "a.csv, line 1, column 2: missing value 'NA', remove the row or impute it (tamis train has --missing mean)");
  EXPECT_EQ(error("0,1e999\n1,2\n"), "a.csv, line 1, column 2: '1e999' is too large for a double");
  EXPECT_EQ(error("0,\n1,2\n"),
            "a.csv, line 1, column 2: missing value, remove the row or impute it (tamis train has --missing mean)");
}

TEST_F(Csv, ObeysTheHeaderOption) {
  EXPECT_EQ(table("7,8,9\n1,2,3\n", with_header(Header::present)).feature_names, (Strings{"8", "9"}));
  EXPECT_EQ(table("7,8,9\n1,2,3\n", with_header(Header::absent)).samples, 2u);
  EXPECT_EQ(error("y,a\n1,2\n", with_header(Header::absent)),
            "a.csv, line 1, column 2: 'a' is not a number" + of_the_label);
}

TEST_F(Csv, FindsTheLabelColumnByName) {
  const auto data = table("a,class,b\n1,x,2\n3,y,4\n", with_label("class"));
  EXPECT_EQ(data.labels, (Strings{"x", "y"}));
  EXPECT_EQ(data.feature_names, (Strings{"a", "b"}));
  EXPECT_EQ(data.values, (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(table("1990,1991,class\n1,2,x\n", with_label("class")).feature_names, (Strings{"1990", "1991"}));
}

TEST_F(Csv, FindsTheLabelColumnByIndexUnlessTheHeaderHasThatName) {
  EXPECT_EQ(table("a,b,c\n1,x,2\n", with_label("1")).labels, Strings{"x"});
  EXPECT_EQ(table("a,b,1\n1,2,x\n", with_label("1")).labels, Strings{"x"});
  EXPECT_EQ(table("0,1,2\n0,x,2\n", with_label("1", Header::absent)).labels, (Strings{"1", "x"}));
}

TEST_F(Csv, NamesTheColumnsIfTheLabelIsNotAmongThem) {
  EXPECT_EQ(error("y,a,b\n1,2,3\n", with_label("class")), "a.csv, line 1: no column 'class' among 3 columns: y, a, b");
  EXPECT_EQ(error("y,a,b\n1,2,3\n", with_label("3")), "a.csv, line 1: no column '3' among 3 columns: y, a, b");
  EXPECT_EQ(error("\n1,2,3\n", with_label("3")),
            "a.csv, line 2: no column '3' in a file without header, its columns are 0 to 2");
  EXPECT_EQ(error("1,2,3\n", with_label("class")),
            "a.csv, line 1: no column 'class' in a file without header, its columns are 0 to 2");
  EXPECT_EQ(error("y,a\n1,2\n", with_label("y", Header::absent)),
            "a.csv, line 1: no column 'y' in a file without header, its columns are 0 to 1");
  EXPECT_EQ(error("a,b,c,d,e,f,g,h,i,j,k\n", with_label("-1")),
            "a.csv, line 1: no column '-1' among 11 columns: a, b, c, d, e, f, g, h, i, j, ...");
}

TEST_F(Csv, RefusesRaggedRows) {
  EXPECT_EQ(error("y,a,b\n1,2,3\n\n1,2\n"), "a.csv, line 4: 2 fields found, 3 expected");
  EXPECT_EQ(error("y,a\n1,2,3\n"), "a.csv, line 2: 3 fields found, 2 expected");
  EXPECT_EQ(error("1,2\n1\n"), "a.csv, line 2: 1 field found, 2 expected");
}

TEST_F(Csv, RefusesWhatIsNotAFiniteNumber) {
  const auto field = [&](const std::string& text) { return error("y,a,b\n1,2,3\n1,2," + text + "\n"); };
  const std::string place = "a.csv, line 3, column 3 (b): ";
  for (const std::string text : {"abc", "1x", "0x10", "1 2", "+-1", "++1", "+", "--", "1,5", "1e", "--1", "naan"})
    EXPECT_EQ(field("\"" + text + "\""), place + "'" + text + "' is not a number" + of_the_label);
  EXPECT_EQ(error("1,x,2\n", with_header(Header::absent)), "a.csv, line 1, column 2: 'x' is not a number");
  for (const std::string text : {"nan", "NaN", "-nan", "inf", "+inf", "-Infinity"})
    EXPECT_EQ(field(text), place + "'" + text + "' is not finite, and every value must be");
  for (const std::string text : {"1e309", "-1e309", "+1e99999"})
    EXPECT_EQ(field(text), place + "'" + text + "' is too large for a double");
  for (const std::string text : {"", "  ", "\"\"", "\" \""})
    EXPECT_EQ(field(text), place + "missing value, remove the row or impute it (tamis train has --missing mean)");
  for (const std::string text : {"NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "-", "?"})
    EXPECT_EQ(field(text),
              place + "missing value '" + text + "', remove the row or impute it (tamis train has --missing mean)");
}

TEST_F(Csv, CountsTheLabelColumnInTheColumnOfAnError) {
  EXPECT_EQ(
      error("a,y,b\n1,x,?\n", with_label("y")),
      "a.csv, line 2, column 3 (b): missing value '?', remove the row or impute it (tamis train has --missing mean)");
  EXPECT_EQ(error("1,x,abc\n", with_label("1", Header::absent)), "a.csv, line 1, column 3: 'abc' is not a number");
}

TEST_F(Csv, ReadsValuesThatAreTooSmallAsTheNearestDouble) {
  EXPECT_EQ(table("0,1e-400,-1e-320,1e-308\n").values, (Doubles{0, -1e-320, 1e-308}));
  EXPECT_EQ(table("0,1.7976931348623157e308,0.1,5e-324\n").values, (Doubles{1.7976931348623157e308, 0.1, 5e-324}));
}

TEST_F(Csv, ShowsBadTextShortAndPrintable) {
  EXPECT_EQ(error("0,1\n0,a\tb\x01\n"), "a.csv, line 2, column 2: 'a?b?' is not a number" + of_the_label);
  EXPECT_EQ(error("0,1\n0," + std::string(41, 'x') + "\n"),
            "a.csv, line 2, column 2: '" + std::string(40, 'x') + "...' is not a number" + of_the_label);
  EXPECT_EQ(error("0,1\n0," + std::string(39, 'x') + "\xC3\xA9y\n"),
            "a.csv, line 2, column 2: '" + std::string(39, 'x') + "...' is not a number" + of_the_label);
}

TEST_F(Csv, RefusesAMissingLabel) {
  EXPECT_EQ(error("y,a\n,2\n"), "a.csv, line 2, column 1 (y): missing label, remove the row");
}

TEST_F(Csv, RefusesFilesWithoutSamples) {
  EXPECT_EQ(error(""), "a.csv: holds no samples");
  EXPECT_EQ(error("\n \r\n"), "a.csv: holds no samples");
  EXPECT_EQ(error("y,a\n\n"), "a.csv: holds no samples");
  EXPECT_EQ(error("1,2\n", with_header(Header::present)), "a.csv: holds no samples");
}

TEST_F(Csv, RefusesASingleColumn) {
  EXPECT_EQ(error("1 1:2\n"),
            "a.csv: only one column found, but CSV data are a label and features separated by ',' (LIBSVM data are "
            "recognised by the ending .svm, .libsvm or .txt)");
}

TEST_F(Csv, RefusesAnotherNumberOfFeatures) {
  EXPECT_EQ(table("1,2,3\n", {}, 2).features, 2u);
  EXPECT_EQ(error("1,2,3\n", {}, 1), "a.csv: 2 features found, 1 expected");
  EXPECT_EQ(error("1,2\n", {}, 3), "a.csv: 1 feature found, 3 expected");
}

TEST_F(Csv, DividesByTheScale) {
  EXPECT_EQ(table("8,2,4\n", with_scale(4)).values, (Doubles{.5, 1}));
  EXPECT_EQ(table("8,2,4\n", with_scale(4)).labels, Strings{"8"});
  EXPECT_EQ(error("0,1e300\n", with_scale(1e-10)), "a.csv, line 1, column 2: '1e300' is too large for a double");
}

// Files

TEST_F(Data, ReadsGzipByContent) {
  for (const char* name : {"a.csv.gz", "a.csv", "noname"}) {
    const auto data = read_table(write_gzip(name, "y,a\nx,2\n"), {});
    EXPECT_EQ(data.values, Doubles{2});
    EXPECT_EQ(data.labels, Strings{"x"});
  }
  EXPECT_EQ(read_table(write("plain.csv.gz", "x,2\n"), {}).values, Doubles{2});
}

TEST_F(Data, RefusesFilesItCannotRead) {
  EXPECT_EQ(message([&] { read_table(path("none.csv"), {}); }), "none.csv: cannot be read (No such file or directory)");
  EXPECT_EQ(message([&] { read_table(path("a,b"), {}); }), "a,b: cannot be read (No such file or directory)");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(message([&] { read_table(path("folder"), {}); }), "folder: is a directory, not a file");
  EXPECT_EQ(message([&] { read_numbers(path("none"), 1); }), "none: cannot be read (No such file or directory)");
  EXPECT_EQ(message([&] { read_table(write("a.csv", "1,2\n"), with_labels_file(path("none"))); }),
            "none: cannot be read (No such file or directory)");
}

TEST_F(Data, RefusesGzipCutOffAnywhere) {
  std::string rows;
  for (int i = 0; i < 300; ++i) rows += std::to_string(i % 7) + "," + std::to_string(i * i % 1009) + "\n";
  write_gzip("whole", rows);
  std::ifstream file(path("whole"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(read_table(path("whole"), {}).samples, 300u);
  for (std::size_t size = 2; size < whole.size(); ++size)
    ASSERT_EQ(message([&] { read_table(write("cut.csv.gz", whole.substr(0, size)), {}); }),
              "cut.csv.gz: the gzip data are cut off")
        << size << " of " << whole.size();
}

TEST_F(Data, RefusesDamagedGzip) {
  write_gzip("whole", std::string(1000, '1') + ",2\n");
  std::ifstream file(path("whole"), std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), {});
  content[content.size() - 6] ^= 1;  // the check sum
  EXPECT_EQ(message([&] { read_table(write("bad.gz", content), {}); }), "bad.gz: the gzip data are damaged");
}

// LIBSVM

TEST_F(Libsvm, ReadsCompressedColumns) {
  const auto data = table("b 1:0.5 4:2\na\nc 2:+3 4:-1\n");
  EXPECT_EQ(data.path, path("a.svm"));
  EXPECT_TRUE(data.sparse);
  EXPECT_EQ(data.samples, 3u);
  EXPECT_EQ(data.features, 4u);
  EXPECT_EQ(data.starts, (Indices{0, 1, 2, 2, 4}));
  EXPECT_EQ(data.rows, (Indices{0, 2, 0, 2}));
  EXPECT_EQ(data.values, (Doubles{.5, 3, 2, -1}));
  EXPECT_EQ(data.labels, (Strings{"b", "a", "c"}));
  EXPECT_EQ(data.lines, (Lines{1, 2, 3}));
  EXPECT_TRUE(data.feature_names.empty());
}

TEST_F(Libsvm, IsRecognisedByTheEnding) {
  for (const char* name : {"a.svm", "a.libsvm", "a.txt", "a.svm.gz", "a.libsvm.gz", "a.txt.gz"})
    EXPECT_TRUE(read_table(write(name, "1 1:2\n"), {}).sparse) << name;
  EXPECT_EQ(read_table(write_gzip("b.svm.gz", "1 1:2\n"), {}).values, Doubles{2});
  EXPECT_FALSE(read_table(write("a.svm.csv", "1,2\n"), {}).sparse);
}

TEST_F(Libsvm, SkipsCommentsAndBlankLines) {
  const auto data = table("\xEF\xBB\xBF# head\n\n  +1\t1:2  3:4 # 4:5\r\n   # nothing\r\n-1 2:1#x\r\n");
  EXPECT_EQ(data.labels, (Strings{"+1", "-1"}));
  EXPECT_EQ(data.lines, (Lines{3, 5}));
  EXPECT_EQ(data.values, (Doubles{2, 1, 4}));
  EXPECT_EQ(data.features, 3u);
}

TEST_F(Libsvm, DropsZerosButCountsTheirIndices) {
  const auto data = table("1 1:0 2:5 7:0.0\n");
  EXPECT_EQ(data.features, 7u);
  EXPECT_EQ(data.values, Doubles{5});
  EXPECT_EQ(data.starts, (Indices{0, 0, 1, 1, 1, 1, 1, 1}));
}

TEST_F(Libsvm, ReadsSeveralLabelsOnlyWhereTheyAreAskedFor) {
  const ReadOptions several{.multilabel = true};
  const auto data = table("3,1 1:1\n2:5 # no label\n2\n+7 1:1\n", 0, several);
  EXPECT_EQ(data.label_sets, (std::vector<Strings>{{"3", "1"}, {}, {"2"}, {"+7"}}));
  EXPECT_EQ(data.lines, (Lines{1, 2, 3, 4}));
  EXPECT_EQ(data.values, (Doubles{1, 1, 5}));
  EXPECT_EQ(data.rows, (Indices{0, 3, 1}));
  EXPECT_TRUE(table("1 1:1\n").label_sets.empty());
  EXPECT_EQ(error("1 1:1\n1,3 1:1\n"),
            "a.svm, line 2: '1,3' are several labels, which are for the loss ranking-squared-hinge alone");
  EXPECT_EQ(error("1,3 1:1\n1,2,1 1:1\n", 0, several), "a.svm, line 2: label '1' is given twice");
  for (const std::string text : {"1,,2", ",1", "1,"})
    EXPECT_EQ(error(text + " 1:1\n", 0, several), "a.svm, line 1: '" + text + "' has an empty label");
  EXPECT_EQ(error("1, 3 1:1\n", 0, several), "a.svm, line 1: '1,' has an empty label");
  EXPECT_EQ(error("1:1 1:2\n", 0, several), "a.svm, line 1, index 1: indices must ascend, but it follows index 1");
  EXPECT_EQ(error("1,2 0:1\n", 0, several), "a.svm, line 1, index 0: indices start at 1");
  EXPECT_EQ(error("1:1 x\n", 0, several), "a.svm, line 1, column 2: 'x' is not of the form index:value");
}

TEST_F(Csv, ReadsSeveralLabelsOnlyWhereTheyAreAskedFor) {
  const ReadOptions several{.multilabel = true};
  const auto data = table("tags,x\nred; blue,1\n,2\n\"red\",3\n", several);
  EXPECT_EQ(data.label_sets, (std::vector<Strings>{{"red", "blue"}, {}, {"red"}}));
  EXPECT_EQ(data.values, (Doubles{1, 2, 3}));
  EXPECT_EQ(table("a;b,1\n").labels, Strings{"a;b"}) << "the name of one class";
  EXPECT_EQ(error("tags,x\na;b,1\na;a,2\n", several), "a.csv, line 3, column 1 (tags): label 'a' is given twice");
  EXPECT_EQ(error("a;;b,1\n", several), "a.csv, line 1, column 1: 'a;;b' has an empty label");
  EXPECT_EQ(error("a,1\n,2\n"), "a.csv, line 2, column 1: missing label, remove the row");
}

TEST_F(Libsvm, DividesByTheScale) {
  EXPECT_EQ(table("1 1:2 2:3\n", 0, with_scale(4)).values, (Doubles{.5, .75}));
  EXPECT_TRUE(table("1 1:1e-300\n", 0, with_scale(1e300)).values.empty());
  EXPECT_EQ(error("1 1:1e300\n", 0, with_scale(1e-10)), "a.svm, line 1, index 1: '1e300' is too large for a double");
}

TEST_F(Libsvm, MayHaveFewerFeaturesButNotMore) {
  const auto data = table("1 2:5\n", 4);
  EXPECT_EQ(data.features, 4u);
  EXPECT_EQ(data.starts, (Indices{0, 0, 1, 1, 1}));
  EXPECT_EQ(table("1\n", 4).starts, (Indices{0, 0, 0, 0, 0}));
  EXPECT_EQ(table("1 4:1\n", 4).features, 4u);
  EXPECT_EQ(error("1 1:1\n1 2:1 5:0\n", 4), "a.svm, line 2, index 5: only 4 features expected");
}

TEST_F(Libsvm, RefusesBadIndices) {
  EXPECT_EQ(error("1 1:1\n\n1 0:1\n"), "a.svm, line 3, index 0: indices start at 1");
  EXPECT_EQ(error("1 3:1 2:1\n"), "a.svm, line 1, index 2: indices must ascend, but it follows index 3");
  EXPECT_EQ(error("1 3:0 3:1\n"), "a.svm, line 1, index 3: indices must ascend, but it follows index 3");
  EXPECT_EQ(error("1 4294967296:1\n"), "a.svm, line 1, index 4294967296: the largest index is 4294967295");
  EXPECT_EQ(error("1 99999999999999999999:1\n"),
            "a.svm, line 1, index 99999999999999999999: the largest index is 4294967295");
}

TEST_F(Libsvm, RefusesBadFields) {
  EXPECT_EQ(error("1 1:1 abc\n"), "a.svm, line 1, column 3: 'abc' is not of the form index:value");
  for (const std::string text : {"a:1", ":1", "-1:1", "1.5:1", "7", "1x:1"})
    EXPECT_EQ(error("1 " + text + "\n"), "a.svm, line 1, column 2: '" + text + "' is not of the form index:value");
  EXPECT_EQ(error("1 qid:3 1:1\n"), "a.svm, line 1: qid is not supported");
  EXPECT_EQ(error("1 1:1\n1:1 2:2\n"),
            "a.svm, line 2: the label is missing; samples without labels are for the loss ranking-squared-hinge alone");
}

TEST_F(Libsvm, RefusesWhatIsNotAFiniteNumber) {
  EXPECT_EQ(error("1 1:1\n1 1:1 12:abc\n"), "a.svm, line 2, index 12: 'abc' is not a number");
  EXPECT_EQ(error("1 2:1:3\n"), "a.svm, line 1, index 2: '1:3' is not a number");
  EXPECT_EQ(error("1 2:\n"), "a.svm, line 1, index 2: missing value, remove the row or impute it");
  EXPECT_EQ(error("1 2:inf\n"), "a.svm, line 1, index 2: 'inf' is not finite, and every value must be");
  EXPECT_EQ(error("1 2:1e999\n"), "a.svm, line 1, index 2: '1e999' is too large for a double");
}

TEST_F(Libsvm, RefusesFilesWithoutSamplesOrFeatures) {
  EXPECT_EQ(error(""), "a.svm: holds no samples");
  EXPECT_EQ(error("# 1 1:1\n"), "a.svm: holds no samples");
  EXPECT_EQ(error("1\n2\n"), "a.svm: holds no features");
}

// idx

TEST_F(Idx, ReadsImagesAndLabels) {
  write("img", idx({3, 2, 1}, "\x01\x02\x03\x04\x05\xFF"));
  write_gzip("lab", idx({3}, std::string("\x07\x00\xFF", 3)));
  const auto data = read_table(path("img") + "," + path("lab"), with_scale(2));
  EXPECT_EQ(data.path, path("img"));
  EXPECT_EQ(data.samples, 3u);
  EXPECT_EQ(data.features, 2u);
  EXPECT_FALSE(data.sparse);
  EXPECT_EQ(data.values, (Doubles{.5, 1.5, 2.5, 1, 2, 127.5}));
  EXPECT_EQ(data.labels, (Strings{"7", "0", "255"}));
  EXPECT_EQ(data.lines, (Lines{1, 2, 3}));
  EXPECT_EQ(read_samples(path("img") + "," + path("lab"), {}, 2).labels.size(), 3u);
}

TEST_F(Idx, IsRecognisedByContentWhateverTheName) {
  for (const char* name : {"img", "img.svm", "img.csv"}) {
    const auto data = read_samples(write_gzip(name, idx({1, 2}, "ab")), {}, 2);
    EXPECT_EQ(data.values, (Doubles{'a', 'b'}));
    EXPECT_FALSE(data.has_labels());
  }
  EXPECT_EQ(read_samples(write("rank1", idx({3}, "abc")), {}, 1).values, (Doubles{'a', 'b', 'c'}));
  EXPECT_EQ(read_samples(write("rank4", idx({1, 2, 1, 2}, "abcd")), {}, 4).features, 4u);
}

TEST_F(Idx, ReadsSizesOfFourBytes) {
  const auto data = read_samples(write("img", idx({66000, 3}, std::string(198000, 'x'))), {}, 3);
  EXPECT_EQ(data.samples, 66000u);
  EXPECT_EQ(data.values, Doubles(198000, 'x'));
}

TEST_F(Idx, ReadsMoreThanAChunk) {
  std::string bytes(17'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  const auto data = read_samples(write("img", idx({17'000, 1000}, bytes)), {}, 1000);
  EXPECT_EQ(data.values[999 * 17'000 + 16'999], static_cast<double>((bytes.size() - 1) % 251));
  EXPECT_EQ(data.values[16'999], static_cast<double>(16'999'000 % 251));
  bytes.pop_back();
  EXPECT_EQ(message([&] {
              read_samples(write("cut", idx({17'000, 1000}, bytes)), {}, 1000);
            }),
            "cut: 16999999 data bytes found, 17000000 expected");
}

TEST_F(Idx, TakesAFileWithACommaInItsNameAsOneFile) {
  write("a", idx({1, 1}, "x"));
  EXPECT_EQ(read_table(write("a,b", "x,2\n"), {}).values, Doubles{2});
  EXPECT_EQ(read_table(write("c,d.csv", "x,3\n"), {}).values, Doubles{3});
}

TEST_F(Idx, SplitsAPairAtTheCommaThatEndsAFile) {
  write("i,1", idx({1, 1}, "x"));
  write("l,1", idx({1}, "\x04"));
  EXPECT_EQ(read_table(path("i,1") + "," + path("l,1"), {}).labels, Strings{"4"});
}

TEST_F(Idx, RefusesBadPairs) {
  write("img", idx({2, 1}, "xy"));
  const auto pair = [&](const std::string& images, const std::string& labels) {
    return message([&] { read_table(path(images) + "," + path(labels), {}); });
  };
  EXPECT_EQ(pair("img", "none"), "none: cannot be read (No such file or directory)");
  write("lab", idx({3}, "abc"));
  EXPECT_EQ(pair("img", "lab"), "lab: 3 labels found for the 2 samples of img");
  EXPECT_EQ(pair("img", "img"), "img: idx rank 2 found, 1 expected for labels");
  write("a.csv", "1,2\n");
  EXPECT_EQ(pair("a.csv", "lab"), "a.csv: is not an idx file");
  EXPECT_EQ(message([&] { read_table(path("img") + "," + path("lab"), with_labels_file(path("c"))); }),
            "img: its labels are given twice, by lab and by c");
  EXPECT_EQ(message([&] { read_table(path("img") + ",", {}); }), "img,: cannot be read (No such file or directory)");
}

TEST_F(Idx, NeedsLabelsForTraining) {
  write("img", idx({2, 1}, "xy"));
  EXPECT_EQ(message([&] { read_table(path("img"), {}); }),
            "img: idx images have no labels, name both files as IMAGES,LABELS");
  write("labels.csv", "cat\ndog\n");
  EXPECT_EQ(read_table(path("img"), with_labels_file(path("labels.csv"))).labels, (Strings{"cat", "dog"}));
}

TEST_F(Idx, RefusesOtherSizesThanPromised) {
  EXPECT_EQ(error(idx({2, 2}, "abc")), "img: 3 data bytes found, 4 expected");
  EXPECT_EQ(error(idx({2, 2}, "a")), "img: 1 data byte found, 4 expected");
  EXPECT_EQ(error(idx({2, 2}, "abcde")), "img: bytes follow the 4 data bytes expected");
  EXPECT_EQ(error(idx({2, 3}, "abcdef")), "img: 3 features found, 2 expected");
}

TEST_F(Idx, RefusesBadHeaders) {
  EXPECT_EQ(error(idx({1, 2}, "ab", 13)), "img: idx type 13 is not supported, only 8 (unsigned byte)");
  EXPECT_EQ(error(idx({}, "ab")), "img: idx rank 0 found, at least 1 expected");
  for (std::size_t size = 2; size < 12; ++size)
    EXPECT_EQ(error(idx({1, 2}, "").substr(0, size)), "img: the idx header is cut off") << size;
  EXPECT_EQ(error(idx({0, 2}, "")), "img: holds no samples");
  EXPECT_EQ(error(idx({2, 0}, "")), "img: holds no features");
}

TEST_F(Idx, RefusesSizesBeyond32Bits) {
  EXPECT_EQ(error(idx({1, 65536, 65536}, "")), "img: more than 4294967295 features");
  EXPECT_EQ(error(idx({1, 65536, 65536, 65536, 65536}, "")), "img: more than 4294967295 features");
  EXPECT_EQ(error(idx({65536, 65536}, "")), "img: more than 4294967295 entries");
  EXPECT_EQ(error(idx({65535, 65537}, "")), "img: 0 data bytes found, 4294967295 expected");
}

// Prediction

TEST_F(Samples, TakeALabelColumnIfThereIsOneColumnMore) {
  auto data = read_samples(write("a.csv", "a,b\n1,2\n"), {}, 2);
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.feature_names, (Strings{"a", "b"}));
  EXPECT_EQ(data.values, (Doubles{1, 2}));
  data = read_samples(write("b.csv", "1,2,x\n"), with_label("2"), 2);
  EXPECT_EQ(data.labels, Strings{"x"});
  EXPECT_EQ(data.values, (Doubles{1, 2}));
  data = read_samples(write("c.csv", "1,2\n3,4\n"), with_label("class"), 2);
  EXPECT_FALSE(data.has_labels());
  EXPECT_EQ(data.values, (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(read_samples(write("d.csv", "5\n6\n"), {}, 1).values, (Doubles{5, 6}));
}

TEST_F(Samples, RecogniseAHeaderByAnyWordIfThereIsNoLabel) {
  EXPECT_EQ(read_samples(write("a.csv", "a,2\n1,2\n"), {}, 2).feature_names, (Strings{"a", "2"}));
}

TEST_F(Samples, RefuseAnotherNumberOfColumns) {
  EXPECT_EQ(message([&] { read_samples(write("a.csv", "1,2\n"), {}, 3); }),
            "a.csv: 2 columns found, 3 expected or 4 with the label");
  EXPECT_EQ(message([&] { read_samples(write("a.csv", "1,2,3\n"), {}, 1); }),
            "a.csv: 3 columns found, 1 expected or 2 with the label");
}

TEST_F(Samples, OfLibsvmAlwaysHaveLabels) {
  const auto data = read_samples(write("a.svm", "7 1:2\n"), {}, 3);
  EXPECT_EQ(data.labels, Strings{"7"});
  EXPECT_EQ(data.features, 3u);
}

// Labels file

TEST_F(LabelsFile, MakesEveryColumnAFeature) {
  write("a.csv", "a,b\n1,2\n3,4\n");
  const auto data = read_table(path("a.csv"), with_labels_file(write_gzip("l.gz", " \"x\" \r\n\r\ny\r\n")));
  EXPECT_EQ(data.features, 2u);
  EXPECT_EQ(data.feature_names, (Strings{"a", "b"}));
  EXPECT_EQ(data.values, (Doubles{1, 3, 2, 4}));
  EXPECT_EQ(data.labels, (Strings{"x", "y"}));
  EXPECT_EQ(message([&] { read_table(path("a.csv"), with_labels_file(path("l.gz")), 1); }),
            "a.csv: 2 features found, 1 expected");
  EXPECT_EQ(message([&] { read_samples(path("a.csv"), with_labels_file(path("l.gz")), 1); }),
            "a.csv: 2 features found, 1 expected");
}

TEST_F(LabelsFile, HasAHeaderOnlyIfOneIsDeclared) {
  write("a.csv", "a\n1\n2\n");
  write("l", "class\nx\ny\n");
  EXPECT_EQ(read_table(path("a.csv"), with_labels_file(path("l"), Header::present)).labels, (Strings{"x", "y"}));
  EXPECT_EQ(message([&] { read_table(path("a.csv"), with_labels_file(path("l"))); }),
            "l: 3 labels found for the 2 samples of a.csv");
}

TEST_F(LabelsFile, TakesThePlaceOfTheLabelsOfLibsvm) {
  write("a.svm", "0 1:1\n0 2:1\n");
  EXPECT_EQ(read_table(path("a.svm"), with_labels_file(write("l", "x\ny\n"))).labels, (Strings{"x", "y"}));
}

TEST_F(LabelsFile, MayHoldSeveralLabelsOfASample) {
  write("a.svm", "0 1:1\n0,1 2:1\n0 1:2\n");
  auto options = with_labels_file(write("l", "x;y\n\"\"\ny\n"));
  options.multilabel = true;
  EXPECT_EQ(read_table(path("a.svm"), options).label_sets, (std::vector<Strings>{{"x", "y"}, {}, {"y"}}));
  write("l", "x\ny;y\ny\n");
  EXPECT_EQ(message([&] { read_table(path("a.svm"), options); }), "l, sample 2: label 'y' is given twice");
}

TEST_F(LabelsFile, RefusesMissingLabelsAndFurtherColumns) {
  write("a.csv", "1\n2\n");
  const auto error = [&](const std::string& content) {
    return message([&] { read_table(path("a.csv"), with_labels_file(write("l", content))); });
  };
  EXPECT_EQ(error("x\n\"\"\n"), "l, line 2, column 1: missing label, remove the row");
  EXPECT_EQ(error("x\ny,z\n"), "l, line 2: 2 fields found, 1 expected");
  EXPECT_EQ(error(""), "l: 0 labels found for the 2 samples of a.csv");
}

// Numbers

TEST_F(Numbers, AreReadOnePerLine) {
  EXPECT_EQ(read_numbers(write("n",
                               "\xEF\xBB\xBF"
                               "1\n\n +2.5 \r\n\"3\""),
                         3),
            (Doubles{1, 2.5, 3}));
  EXPECT_EQ(read_numbers(write_gzip("n.gz", "1\n"), 1), Doubles{1});
}

TEST_F(Numbers, AreRefusedIfBadOrOfAnotherCount) {
  const auto error = [&](const std::string& content) { return message([&] { read_numbers(write("n", content), 2); }); };
  EXPECT_EQ(error("1\n"), "n: 1 number found, 2 expected");
  EXPECT_EQ(error("1\n2\n3\n"), "n: 3 numbers found, 2 expected");
  EXPECT_EQ(error("1\n\nx\n"), "n, line 3, column 1: 'x' is not a number");
  EXPECT_EQ(error("1\nnan\n"), "n, line 2, column 1: 'nan' is not finite, and every value must be");
  EXPECT_EQ(error("1,2\n"), "n, line 1: 2 fields found, 1 expected");
}

}  // namespace
}  // namespace tamis::cli
