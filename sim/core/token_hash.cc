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
  const __m512i high = _mm512_srli_epi64(x, 32);
  return _mm512_add_epi64(_mm512_mul_epu32(x, high), _mm512_rol_epi64(x, 32));
}

inline __m512i mix8(__m512i data, __m512i key1, __m512i key2) {
  const __m512i x = fold8(_mm512_add_epi64(data, key1));
  return fold8(_mm512_add_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), key2));
}

inline __m512i keys8(uint64_t first_cycle, uint64_t key, uint64_t offset) {
  const uint64_t k = first_cycle * key + offset;
  return _mm512_set_epi64(static_cast<long long>(k + 7 * key), static_cast<long long>(k + 6 * key),
                          static_cast<long long>(k + 5 * key), static_cast<long long>(k + 4 * key),
                          static_cast<long long>(k + 3 * key), static_cast<long long>(k + 2 * key),
                          static_cast<long long>(k + key), static_cast<long long>(k));
}

uint64_t hash_vector(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  const __m512i step1 = _mm512_set1_epi64(static_cast<long long>(8 * kCycleKey1));
  const __m512i step2 = _mm512_set1_epi64(static_cast<long long>(8 * kCycleKey2));
  __m512i key1 = keys8(first_cycle, kCycleKey1, kOffset1);
  __m512i key2 = keys8(first_cycle, kCycleKey2, kOffset2);
  __m512i sum = _mm512_setzero_si512();
  uint32_t i = 0;
  for (; i + 8 <= length; i += 8) {
    sum = _mm512_add_epi64(sum, mix8(_mm512_loadu_si512(data + i), key1, key2));
    key1 = _mm512_add_epi64(key1, step1);
    key2 = _mm512_add_epi64(key2, step2);
  }
  if (i < length) {
    const auto mask = static_cast<__mmask8>((1U << (length - i)) - 1);
    const __m512i mixed = mix8(_mm512_maskz_loadu_epi64(mask, data + i), key1, key2);
    sum = _mm512_mask_add_epi64(sum, mask, sum, mixed);
  }
  return static_cast<uint64_t>(_mm512_reduce_add_epi64(sum));
}

#elif defined(__AVX2__)

inline __m256i fold4(__m256i x) {
  const __m256i high = _mm256_srli_epi64(x, 32);
  const __m256i swapped = _mm256_shuffle_epi32(x, 0xb1);
  return _mm256_add_epi64(_mm256_mul_epu32(x, high), swapped);
}

inline __m256i mix4(__m256i data, __m256i key1, __m256i key2) {
  const __m256i x = fold4(_mm256_add_epi64(data, key1));
  return fold4(_mm256_add_epi64(_mm256_xor_si256(x, _mm256_srli_epi64(x, 29)), key2));
}

inline __m256i keys4(uint64_t first_cycle, uint64_t key, uint64_t offset) {
  const uint64_t k = first_cycle * key + offset;
  return _mm256_set_epi64x(static_cast<long long>(k + 3 * key), static_cast<long long>(k + 2 * key),
                           static_cast<long long>(k + key), static_cast<long long>(k));
}

uint64_t hash_vector(uint64_t first_cycle, const uint64_t *data, uint32_t length) {
  const __m256i step1 = _mm256_set1_epi64x(static_cast<long long>(4 * kCycleKey1));
  const __m256i step2 = _mm256_set1_epi64x(static_cast<long long>(4 * kCycleKey2));
  __m256i key1 = keys4(first_cycle, kCycleKey1, kOffset1);
  __m256i key2 = keys4(first_cycle, kCycleKey2, kOffset2);
  __m256i sum = _mm256_setzero_si256();
  uint32_t i = 0;
  for (; i + 4 <= length; i += 4) {
    const __m256i flits = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(data + i));
    sum = _mm256_add_epi64(sum, mix4(flits, key1, key2));
    key1 = _mm256_add_epi64(key1, step1);
    key2 = _mm256_add_epi64(key2, step2);
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
  const uint64_t *data = batch.data().data();
  for (const Run &run : batch.runs()) {
    const uint64_t first_cycle = batch.start_cycle() + run.offset;
    const uint32_t plain = run.length - (run.last ? 1 : 0);
    sum += hash_flits(first_cycle, data, plain);
    if (run.last) sum += mix_flit(first_cycle + plain, data[plain], true);
    data += run.length;
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
