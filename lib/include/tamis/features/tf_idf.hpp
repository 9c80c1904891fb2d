#pragma once
/// Weights of terms by how often they occur, and in how few documents.

#include <span>

#include "../linalg/elementary.hpp"
#include "last_call.hpp"
#include "normalise.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

struct TfIdfOptions {
  bool smooth = true;      ///< as if one more document had every term
  bool sublinear = false;  ///< a term that occurs c times counts 1 + ln c
  SampleNorm norm = SampleNorm::l2;
};

/// w_t = c_t·idf_t divided by the norm of the document's, idf_t = ln((1 + n)/(1 + d_t)) + 1 of n documents of which d_t
/// have the term; without `smooth` ln(n/d_t) + 1. Which number is which term is the caller's business.
///
/// Memory: none; the caller keeps idf. Cost: a logarithm for each term of the vocabulary at the start, and where
/// sublinear for each of a document.
///
/// Source: Salton and Buckley, Term-weighting approaches in automatic text retrieval, 1988; the constants are
/// scikit-learn's.
template <class T>
class TfIdf : public LastCall {
 public:
  constexpr explicit TfIdf(const TfIdfOptions& options = {}) : options_(options) {}

  /// idf from the number of documents with each term; it must stay where it is. False: refused, and nothing touched.
  bool start(std::span<const Index> counts, Index documents, std::span<T> idf) {
    idf_ = {};
    if (idf.size() != counts.size())
      return refuse(Status::invalid_shape, "there must be room for exactly one weight for each term");
    for (std::size_t t = 0; t < counts.size(); ++t)
      if (counts[t] > documents || (counts[t] == 0 && !options_.smooth))
        return refuse(Status::invalid_data,
                      "a term is in more documents than there are, or in none, which only smooth weights allow",
                      static_cast<Index>(t));
    const T more = options_.smooth ? T(1) : T(0);
    for (std::size_t t = 0; t < counts.size(); ++t)
      idf[t] = logarithm((T(documents) + more) / (T(counts[t]) + more)) + T(1);
    idf_ = idf;
    return accept();
  }

  /// The counts of a document's terms become their weights. False: refused, and nothing touched.
  bool transform(std::span<const Index> terms, std::span<T> values) {
    if (terms.size() != values.size())
      return refuse(Status::invalid_shape, "a document has a count for each of its terms");
    for (std::size_t e = 0; e < terms.size(); ++e) {
      if (terms[e] >= idf_.size())
        return refuse(Status::invalid_shape, "the vocabulary does not have that term", static_cast<Index>(e));
      if (!(values[e] >= (options_.sublinear ? T(1) : T(0))) || !finite(values[e]))
        return refuse(Status::invalid_data, "the count of a term is negative, or below one where it is to be sublinear",
                      static_cast<Index>(e));
    }
    for (std::size_t e = 0; e < terms.size(); ++e) {
      if (options_.sublinear) values[e] = T(1) + logarithm(values[e]);
      values[e] *= idf_[terms[e]];
    }
    normalise(values.data(), static_cast<Index>(values.size()), options_.norm);
    return accept();
  }

  const TfIdfOptions& options() const { return options_; }

 private:
  TfIdfOptions options_;
  std::span<const T> idf_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
