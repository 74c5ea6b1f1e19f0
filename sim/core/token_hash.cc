// SPDX-License-Identifier: BSD-3-Clause
//
// Token hash: the scalar definition lives in the header; here is the loop over runs, with vector
// forms that compute the same sum.
#include "core/token_hash.h"

#include <charconv>
#include <cstdio>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace firesim {

using namespace hash_detail;

namespace {

#if defined(__AVX512F__)

// How far ahead of the hash the data is fetched: what a switch passes on was written long ago.
constexpr size_t kPrefetchFlits = 128;

inline __m512i fold8(__m512i x) {
  const __m512i swapped = _mm512_shuffle_epi32(x, _MM_PERM_CDAB);
  return _mm512_add_epi64(_mm512_mul_epu32(x, swapped), swapped);
}

inline __m512i mix8(__m512i data, __m512i key) {
  return fold8(_mm512_xor_si512(fold8(_mm512_add_epi64(data, key)), key));
}

// Sum of mixes, run by run; added up over the lanes only once.
class Sum {
 public:
  void add(uint64_t first_cycle, const uint64_t *data, uint32_t length, bool last) {
    if (length == 0) return;
    const auto first_key = static_cast<long long>(first_cycle * kCycleKey + kOffset);
    __m512i key = _mm512_add_epi64(_mm512_set1_epi64(first_key), lanes_);
    uint32_t left = length;
    for (; left > 8; left -= 8, data += 8) {
      _mm_prefetch(reinterpret_cast<const char *>(data + kPrefetchFlits), _MM_HINT_T0);
      sum_ = _mm512_add_epi64(sum_, mix8(_mm512_loadu_si512(data), key));
      key = _mm512_add_epi64(key, step_);
    }
    // One to eight flits, the final one among them.
    const auto mask = static_cast<__mmask8>((2U << (left - 1)) - 1);
    const auto last_mask = static_cast<__mmask8>(last ? 1U << (left - 1) : 0);
    key = _mm512_mask_add_epi64(key, last_mask, key, last_key_);
    const __m512i mixed = mix8(_mm512_maskz_loadu_epi64(mask, data), key);
    sum_ = _mm512_mask_add_epi64(sum_, mask, sum_, mixed);
  }

  // GCC's reduction adds signed numbers, which may not overflow.
  uint64_t total() const {
    alignas(64) uint64_t lanes[8];
    _mm512_store_si512(lanes, sum_);
    uint64_t sum = 0;
    for (const uint64_t lane : lanes) sum += lane;
    return sum;
  }

 private:
  static constexpr long long multiple(uint64_t lane) {
    return static_cast<long long>(lane * kCycleKey);
  }

  const __m512i lanes_ = _mm512_setr_epi64(0, multiple(1), multiple(2), multiple(3), multiple(4),
                                           multiple(5), multiple(6), multiple(7));
  const __m512i step_ = _mm512_set1_epi64(multiple(8));
  const __m512i last_key_ = _mm512_set1_epi64(static_cast<long long>(kLastKey));
  __m512i sum_ = _mm512_setzero_si512();
};

#elif defined(__AVX2__)

inline __m256i fold4(__m256i x) {
  const __m256i swapped = _mm256_shuffle_epi32(x, 0xb1);
  return _mm256_add_epi64(_mm256_mul_epu32(x, swapped), swapped);
}

// Sum of mixes, run by run; added up over the lanes only once.
class Sum {
 public:
  void add(uint64_t first_cycle, const uint64_t *data, uint32_t length, bool last) {
    if (length == 0) return;
    const auto first_key = static_cast<long long>(first_cycle * kCycleKey + kOffset);
    __m256i key = _mm256_add_epi64(_mm256_set1_epi64x(first_key), lanes_);
    uint32_t i = 0;
    for (; i + 4 < length; i += 4) {
      const __m256i flits = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(data + i));
      const __m256i once = fold4(_mm256_add_epi64(flits, key));
      sum_ = _mm256_add_epi64(sum_, fold4(_mm256_xor_si256(once, key)));
      key = _mm256_add_epi64(key, step_);
    }
    for (; i < length; ++i) tails_ += mix_flit(first_cycle + i, data[i], last && i + 1 == length);
  }

  uint64_t total() const {
    alignas(32) uint64_t lanes[4];
    _mm256_store_si256(reinterpret_cast<__m256i *>(lanes), sum_);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3] + tails_;
  }

 private:
  static constexpr long long multiple(uint64_t lane) {
    return static_cast<long long>(lane * kCycleKey);
  }

  const __m256i lanes_ = _mm256_setr_epi64x(0, multiple(1), multiple(2), multiple(3));
  const __m256i step_ = _mm256_set1_epi64x(multiple(4));
  __m256i sum_ = _mm256_setzero_si256();
  uint64_t tails_ = 0;
};

#else

class Sum {
 public:
  void add(uint64_t first_cycle, const uint64_t *data, uint32_t length, bool last) {
    for (uint32_t i = 0; i < length; ++i) {
      sum_ += mix_flit(first_cycle + i, data[i], last && i + 1 == length);
    }
  }

  uint64_t total() const { return sum_; }

 private:
  uint64_t sum_ = 0;
};

#endif

}  // namespace

uint64_t hash_flits(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  Sum sum;
  sum.add(first_cycle, data, length, false);
  return sum.total();
}

uint64_t hash_batch(const Batch &batch) {
  Sum sum;
  for (const Run &run : batch.runs()) {
    sum.add(batch.start_cycle() + run.offset, run.data, run.length, run.last);
  }
  return sum.total();
}

uint64_t hash_text(const std::string &text) {
  uint64_t hash = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    hash = combine_hash(hash, i * 256 + static_cast<unsigned char>(text[i]));
  }
  return hash;
}

std::string hash_to_hex(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::optional<uint64_t> hash_from_hex(const std::string &text) {
  uint64_t hash = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, hash, 16);
  if (text.size() != 16 || rest != end || error != std::errc()) return std::nullopt;
  return hash;
}

}  // namespace firesim
