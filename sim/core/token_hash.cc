// SPDX-License-Identifier: BSD-3-Clause
//
// Token hash: the scalar definition lives in the header; here is the loop over runs, with vector
// forms that compute the same sum.
#include "core/token_hash.h"

#include <cstdio>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace firesim {

using namespace hash_detail;

namespace {

uint64_t hash_scalar(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < length; ++i) sum += mix_flit(first_cycle + i, data[i], false);
  return sum;
}

#if defined(__AVX512F__)

inline __m512i fold8(__m512i x) {
  const __m512i swapped = _mm512_shuffle_epi32(x, _MM_PERM_CDAB);
  return _mm512_add_epi64(_mm512_mul_epu32(x, swapped), swapped);
}

inline __m512i mix8(__m512i data, __m512i key) {
  return fold8(_mm512_xor_si512(fold8(_mm512_add_epi64(data, key)), key));
}

uint64_t hash_vector(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  alignas(64) static constexpr uint64_t kLanes[8] = {0,
                                                     kCycleKey,
                                                     2 * kCycleKey,
                                                     3 * kCycleKey,
                                                     4 * kCycleKey,
                                                     5 * kCycleKey,
                                                     6 * kCycleKey,
                                                     7 * kCycleKey};
  const __m512i step = _mm512_set1_epi64(static_cast<long long>(8 * kCycleKey));
  const auto first_key = static_cast<long long>(first_cycle * kCycleKey + kOffset);
  __m512i key = _mm512_add_epi64(_mm512_set1_epi64(first_key), _mm512_load_si512(kLanes));
  __m512i sum = _mm512_setzero_si512();
  uint32_t i = 0;
  for (; i + 8 <= length; i += 8) {
    sum = _mm512_add_epi64(sum, mix8(_mm512_loadu_si512(data + i), key));
    key = _mm512_add_epi64(key, step);
  }
  if (i < length) {
    const auto mask = static_cast<__mmask8>((1U << (length - i)) - 1);
    const __m512i mixed = mix8(_mm512_maskz_loadu_epi64(mask, data + i), key);
    sum = _mm512_mask_add_epi64(sum, mask, sum, mixed);
  }
  return static_cast<uint64_t>(_mm512_reduce_add_epi64(sum));
}

#elif defined(__AVX2__)

inline __m256i fold4(__m256i x) {
  const __m256i swapped = _mm256_shuffle_epi32(x, 0xb1);
  return _mm256_add_epi64(_mm256_mul_epu32(x, swapped), swapped);
}

uint64_t hash_vector(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  alignas(32) static constexpr uint64_t kLanes[4] = {0, kCycleKey, 2 * kCycleKey, 3 * kCycleKey};
  const __m256i step = _mm256_set1_epi64x(static_cast<long long>(4 * kCycleKey));
  const auto first_key = static_cast<long long>(first_cycle * kCycleKey + kOffset);
  __m256i key = _mm256_add_epi64(_mm256_set1_epi64x(first_key),
                                 _mm256_load_si256(reinterpret_cast<const __m256i *>(kLanes)));
  __m256i sum = _mm256_setzero_si256();
  uint32_t i = 0;
  for (; i + 4 <= length; i += 4) {
    const __m256i flits = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(data + i));
    const __m256i once = fold4(_mm256_add_epi64(flits, key));
    sum = _mm256_add_epi64(sum, fold4(_mm256_xor_si256(once, key)));
    key = _mm256_add_epi64(key, step);
  }
  alignas(32) uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i *>(lanes), sum);
  return lanes[0] + lanes[1] + lanes[2] + lanes[3] +
         hash_scalar(first_cycle + i, data + i, length - i);
}

#else

uint64_t hash_vector(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  return hash_scalar(first_cycle, data, length);
}

#endif

}  // namespace

uint64_t hash_flits(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  // Setting up the vectors costs as much as a few flits.
  return length < 4 ? hash_scalar(first_cycle, data, length)
                    : hash_vector(first_cycle, data, length);
}

uint64_t hash_batch(const Batch &batch) {
  uint64_t sum = 0;
  for (const Run &run : batch.runs()) {
    const uint64_t first_cycle = batch.start_cycle() + run.offset;
    const uint32_t plain = run.length - (run.last ? 1 : 0);
    sum += hash_flits(first_cycle, run.data, plain);
    if (run.last) sum += mix_flit(first_cycle + plain, run.data[plain], true);
  }
  return sum;
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

}  // namespace firesim
