// _scan: finds the places in the bytes of a log where a status may stand.
//
// It works on bytes and on tables that Python gives it, and holds no name and no value of its own. Every status has an
// anchor: four bytes that are rare in logs (the start of a name, the end of a label, the start of a hexadecimal
// number). One pass looks for anchors with vector instructions and counts lines; only at an anchor is a token read, as
// line.py reads it. What is found is a superset of what line.py takes for a status, and never by much.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define SCAN_X86 1
#include <immintrin.h>
#elif defined(__aarch64__)
#define SCAN_NEON 1
#include <arm_neon.h>
#endif

namespace py = pybind11;

namespace {

using Byte = unsigned char;
using Offset = std::uint64_t;

// How far from a token its signs are looked for; line.py has the same numbers.
constexpr std::size_t kBefore = 4096;
constexpr std::size_t kAfter = 1024;
// What must be in the buffer behind an anchor, unless the line ends before that.
constexpr std::size_t kAhead = kBefore + 512;
constexpr std::size_t kBatch = 1024;  // candidates handed over at once
constexpr std::size_t kSpaces = 64;   // the longest white space around a label's sign
constexpr std::size_t kWord = 256;    // the longest word before "ret"
constexpr std::size_t kNumber = 20;   // the longest number
constexpr std::size_t kEscape = 40;   // the longest escape
constexpr std::size_t kBlock = 64;    // bytes looked at in one step
constexpr std::size_t kAnchor = 4;    // bytes of an anchor
constexpr std::size_t kRead = kBlock + kAnchor - 1;

bool is_digit(Byte c) { return c >= '0' && c <= '9'; }
bool is_letter(Byte c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(Byte c) { return is_digit(c) || is_letter(c) || c == '_'; }
bool is_space(Byte c) { return c == ' ' || c == '\t'; }
bool is_escape(Byte c) { return c == '\\' || c == 0x1b; }

// The last line end in [from, to), or null.
const Byte* last_newline(const Byte* from, const Byte* to) {
#if defined(__GLIBC__)
  return static_cast<const Byte*>(memrchr(from, '\n', static_cast<std::size_t>(to - from)));
#else
  while (to > from) {
    if (*--to == '\n') return to;
  }
  return nullptr;
#endif
}

int hex_digit(Byte c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Without an instruction for it, which the oldest machines lack, a compiler makes a call of this.
unsigned count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
  return static_cast<unsigned>(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FU) * 0x0101010101010101U >> 56);
}

unsigned lowest_bit(std::uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<unsigned>(__builtin_ctzll(bits));
#else
  unsigned index = 0;
  for (; !(bits & 1); bits >>= 1) ++index;
  return index;
#endif
}

// Sets of bytes for each of an anchor's four places, in up to eight kinds, one bit each. A byte's two halves are looked
// up apart, since that is what most vector instructions can do; `exact` then settles what they let through.
struct Anchors {
  std::uint8_t exact[kAnchor][256] = {};
  alignas(16) std::uint8_t low[kAnchor][16] = {};
  alignas(16) std::uint8_t high[kAnchor][16] = {};

  void add(unsigned kind, const std::array<std::string, kAnchor>& places) {
    const auto bit = static_cast<std::uint8_t>(1U << kind);
    for (std::size_t place = 0; place < kAnchor; ++place) {
      for (const char c : places[place]) {
        const auto byte = static_cast<Byte>(c);
        exact[place][byte] |= bit;
        low[place][byte & 15] |= bit;
        high[place][byte >> 4] |= bit;
      }
    }
  }

  // A word, or its first bytes; anything may follow a shorter one.
  void add_word(unsigned kind, std::string_view word) {
    std::array<std::string, kAnchor> places;
    for (std::size_t place = 0; place < kAnchor; ++place) {
      if (place < word.size()) {
        places[place] = std::string(1, word[place]);
      } else {
        for (int c = 0; c < 128; ++c) places[place] += static_cast<char>(c);
      }
    }
    add(kind, places);
  }

  unsigned kinds_at(const Byte* p) const { return exact[0][p[0]] & exact[1][p[1]] & exact[2][p[2]] & exact[3][p[3]]; }
};

// A block of 64 bytes with an anchor: one bit a byte for where anchors may start and where lines end, and the line ends
// before it.
struct Block {
  const Byte* at;
  std::uint64_t anchors;
  std::uint64_t newlines;
  Offset lines;
};

// What a search has found. It goes on from `next`, before which there are `lines` line ends.
struct Blocks {
  const Byte* next;
  Offset lines;
  std::size_t count = 0;
  std::array<Block, 32> found;

  bool full() const { return count == found.size(); }
  void add(const Byte* at, std::uint64_t anchors, std::uint64_t newlines) {
    found[count++] = {at, anchors, newlines, lines};
  }
};

// Looks at whole blocks from `next` on until one begins at or behind `stop`, until `blocks` are full, or until a block
// and the rest of an anchor would reach behind `end`.
using Search = void (*)(const Anchors&, const Byte* stop, const Byte* end, Blocks& blocks);

bool goes_on(const Byte* p, const Byte* stop, const Byte* end, const Blocks& blocks) {
  return p < stop && static_cast<std::size_t>(end - p) >= kRead && !blocks.full();
}

void search_portably(const Anchors& anchors, const Byte* stop, const Byte* end, Blocks& blocks) {
  const Byte* p = blocks.next;
  for (; goes_on(p, stop, end, blocks); p += kBlock) {
    std::uint64_t found = 0, newlines = 0;
    for (unsigned i = 0; i < kBlock; ++i) {
      found |= static_cast<std::uint64_t>(anchors.kinds_at(p + i) != 0) << i;
      newlines |= static_cast<std::uint64_t>(p[i] == '\n') << i;
    }
    if (found) blocks.add(p, found, newlines);
    blocks.lines += count_bits(newlines);
  }
  blocks.next = p;
}

#if SCAN_X86
#define SCAN_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi,popcnt")))

// Looks the low seven bits of each byte up; what that lets through beside ASCII, `exact` settles.
SCAN_AVX512 inline __m512i exact_kinds(const Byte* at, __m512i lower, __m512i upper) {
  return _mm512_permutex2var_epi8(lower, _mm512_loadu_si512(at), upper);
}

SCAN_AVX512 void search_avx512(const Anchors& anchors, const Byte* stop, const Byte* end, Blocks& blocks) {
  const std::uint8_t* const half = anchors.exact[0];
  const __m512i lower0 = _mm512_loadu_si512(half), upper0 = _mm512_loadu_si512(half + 64);
  const __m512i lower1 = _mm512_loadu_si512(half + 256), upper1 = _mm512_loadu_si512(half + 320);
  const __m512i lower2 = _mm512_loadu_si512(half + 512), upper2 = _mm512_loadu_si512(half + 576);
  const __m512i lower3 = _mm512_loadu_si512(half + 768), upper3 = _mm512_loadu_si512(half + 832);
  const __m512i newline = _mm512_set1_epi8('\n');
  const Byte* p = blocks.next;
  for (; goes_on(p, stop, end, blocks); p += kBlock) {
    const __m512i first = _mm512_and_si512(exact_kinds(p, lower0, upper0), exact_kinds(p + 1, lower1, upper1));
    const __m512i second = _mm512_and_si512(exact_kinds(p + 2, lower2, upper2), exact_kinds(p + 3, lower3, upper3));
    const std::uint64_t found = _mm512_test_epi8_mask(first, second);
    const std::uint64_t newlines = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p), newline);
    if (found) blocks.add(p, found, newlines);
    blocks.lines += static_cast<Offset>(__builtin_popcountll(newlines));
  }
  blocks.next = p;
}

#define SCAN_AVX2 __attribute__((target("avx2,popcnt")))

SCAN_AVX2 inline __m256i both_lanes(const std::uint8_t* half) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(half)));
}

// A shuffle looks at the low half of a byte alone, and gives 0 for one that is not ASCII, which no anchor holds.
SCAN_AVX2 inline __m256i kinds_of(const Byte* at, __m256i low, __m256i high) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  return _mm256_and_si256(_mm256_shuffle_epi8(low, bytes), _mm256_shuffle_epi8(high, upper));
}

SCAN_AVX2 inline std::uint64_t two_masks(__m256i first, __m256i second) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(first)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(second))) << 32;
}

SCAN_AVX2 void search_avx2(const Anchors& anchors, const Byte* stop, const Byte* end, Blocks& blocks) {
  const __m256i low0 = both_lanes(anchors.low[0]), low1 = both_lanes(anchors.low[1]);
  const __m256i low2 = both_lanes(anchors.low[2]), low3 = both_lanes(anchors.low[3]);
  const __m256i high0 = both_lanes(anchors.high[0]), high1 = both_lanes(anchors.high[1]);
  const __m256i high2 = both_lanes(anchors.high[2]), high3 = both_lanes(anchors.high[3]);
  const __m256i newline = _mm256_set1_epi8('\n'), zero = _mm256_setzero_si256();
  const Byte* p = blocks.next;
  for (; goes_on(p, stop, end, blocks); p += kBlock) {
    __m256i found[2], ends[2];
    for (unsigned i = 0; i < 2; ++i) {
      const Byte* const at = p + 32 * i;
      found[i] = _mm256_and_si256(_mm256_and_si256(kinds_of(at, low0, high0), kinds_of(at + 1, low1, high1)),
                                  _mm256_and_si256(kinds_of(at + 2, low2, high2), kinds_of(at + 3, low3, high3)));
      ends[i] = _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), newline);
    }
    const std::uint64_t newlines = two_masks(ends[0], ends[1]);
    const __m256i either = _mm256_or_si256(found[0], found[1]);
    if (!_mm256_testz_si256(either, either)) {
      blocks.add(p, ~two_masks(_mm256_cmpeq_epi8(found[0], zero), _mm256_cmpeq_epi8(found[1], zero)), newlines);
    }
    blocks.lines += static_cast<Offset>(__builtin_popcountll(newlines));
  }
  blocks.next = p;
}

__attribute__((target("ssse3"))) void search_ssse3(const Anchors& anchors, const Byte* stop, const Byte* end,
                                                   Blocks& blocks) {
  __m128i low[kAnchor], high[kAnchor];
  for (std::size_t place = 0; place < kAnchor; ++place) {
    low[place] = _mm_load_si128(reinterpret_cast<const __m128i*>(anchors.low[place]));
    high[place] = _mm_load_si128(reinterpret_cast<const __m128i*>(anchors.high[place]));
  }
  const __m128i nibble = _mm_set1_epi8(15), newline = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
  const Byte* p = blocks.next;
  for (; goes_on(p, stop, end, blocks); p += kBlock) {
    std::uint64_t quiet = 0, newlines = 0;
    for (unsigned part = 0; part < kBlock; part += 16) {
      __m128i found = _mm_set1_epi8(-1);
      for (std::size_t place = 0; place < kAnchor; ++place) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + part + place));
        const __m128i upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble);
        found = _mm_and_si128(found,
                              _mm_and_si128(_mm_shuffle_epi8(low[place], bytes), _mm_shuffle_epi8(high[place], upper)));
      }
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + part));
      quiet |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(found, zero))) << part;
      newlines |= static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline))) << part;
    }
    if (~quiet) blocks.add(p, ~quiet, newlines);
    blocks.lines += count_bits(newlines);
  }
  blocks.next = p;
}
#endif

#if SCAN_NEON
std::uint64_t mask_of(uint8x16_t bytes) {
  static const std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t bits = vandq_u8(bytes, vld1q_u8(kBits));
  return static_cast<std::uint64_t>(vaddv_u8(vget_low_u8(bits))) |
         static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits))) << 8;
}

void search_neon(const Anchors& anchors, const Byte* stop, const Byte* end, Blocks& blocks) {
  uint8x16_t low[kAnchor], high[kAnchor];
  for (std::size_t place = 0; place < kAnchor; ++place) {
    low[place] = vld1q_u8(anchors.low[place]);
    high[place] = vld1q_u8(anchors.high[place]);
  }
  const uint8x16_t nibble = vdupq_n_u8(15), newline = vdupq_n_u8('\n');
  const Byte* p = blocks.next;
  for (; goes_on(p, stop, end, blocks); p += kBlock) {
    uint8x16_t found[4], any = vdupq_n_u8(0);
    std::uint64_t newlines = 0;
    for (unsigned part = 0; part < 4; ++part) {
      found[part] = vdupq_n_u8(255);
      for (std::size_t place = 0; place < kAnchor; ++place) {
        const uint8x16_t bytes = vld1q_u8(p + 16 * part + place);
        const uint8x16_t kinds =
            vandq_u8(vqtbl1q_u8(low[place], vandq_u8(bytes, nibble)), vqtbl1q_u8(high[place], vshrq_n_u8(bytes, 4)));
        found[part] = vandq_u8(found[part], kinds);
      }
      any = vorrq_u8(any, found[part]);
      newlines |= mask_of(vceqq_u8(vld1q_u8(p + 16 * part), newline)) << 16 * part;
    }
    if (vmaxvq_u8(any)) {
      std::uint64_t anchored = 0;
      for (unsigned part = 0; part < 4; ++part) anchored |= mask_of(vtstq_u8(found[part], found[part])) << 16 * part;
      blocks.add(p, anchored, newlines);
    }
    blocks.lines += count_bits(newlines);
  }
  blocks.next = p;
}
#endif

// The searches that this machine can run, the fastest first.
std::vector<std::pair<std::string, Search>> searches() {
  std::vector<std::pair<std::string, Search>> found;
#if SCAN_X86
  __builtin_cpu_init();
  const bool counts = __builtin_cpu_supports("popcnt");
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") && counts) {
    found.emplace_back("avx512", search_avx512);
  }
  if (__builtin_cpu_supports("avx2") && counts) found.emplace_back("avx2", search_avx2);
  if (__builtin_cpu_supports("ssse3")) found.emplace_back("ssse3", search_ssse3);
#elif SCAN_NEON
  found.emplace_back("neon", search_neon);
#endif
  found.emplace_back("portable", search_portably);
  return found;
}

Search search_named(const std::string& name) {
  for (const auto& [known, search] : searches()) {
    if (name.empty() || name == known) return search;
  }
  throw std::invalid_argument("this machine has no search " + name);
}

// Calls `visit` with each anchor in [begin, stop) and its kinds, until it says no; gives back where to go on. Anchors
// may reach up to `end`. `lines` counts the line ends before the anchor, and at the end those before the place given
// back.
template <class Visit>
const Byte* for_each_anchor(Search search, const Anchors& anchors, const Byte* begin, const Byte* stop, const Byte* end,
                            Offset& lines, Visit visit) {
  Blocks blocks;
  blocks.next = begin;
  blocks.lines = lines;
  do {
    blocks.count = 0;
    search(anchors, stop, end, blocks);
    for (std::size_t i = 0; i < blocks.count; ++i) {
      const Block& block = blocks.found[i];
      for (std::uint64_t left = block.anchors; left; left &= left - 1) {
        const unsigned bit = lowest_bit(left);
        const Byte* const p = block.at + bit;
        if (p >= stop) break;
        const unsigned kinds = anchors.kinds_at(p);
        if (!kinds) continue;
        lines = block.lines + count_bits(block.newlines & ((std::uint64_t{1} << bit) - 1));
        if (!visit(p, kinds)) return p + 1;  // no anchor starts with a line end
      }
    }
  } while (blocks.full());
  const Byte* p = blocks.next;
  lines = blocks.lines;
  if (p > stop) {
    lines -= static_cast<Offset>(std::count(stop, p, '\n'));
    return stop;
  }
  for (; p < stop; ++p) {  // the last bytes of all, less than a block
    Byte four[kAnchor] = {};
    std::memcpy(four, p, static_cast<std::size_t>(std::min<std::ptrdiff_t>(kAnchor, end - p)));
    const unsigned kinds = anchors.kinds_at(four);
    if (kinds && !visit(p, kinds)) return p + 1;
    lines += *p == '\n';
  }
  return p;
}

// What stands before a name in the repr of an enum's member: the official enum's, and this project's.
constexpr std::string_view kOfficial = "LLMStatusCode.", kOwn = "Status.";

// The kinds of anchors. A label's anchor is its last letters together with what follows: a sign or an escape at once,
// or a blank and then something other than the next word. The labels alone are words of any log. Which anchors share a
// kind was chosen so that few other words look like one of them by the halves of their bytes.
enum Kind : unsigned { kName, kOtherName, kHex, kRet, kStatus, kReturned, kErrorCode, kSpaced };

struct Label {
  std::string_view text;
  Kind kind;  // of its anchor where a sign follows at once
};

constexpr Label kLabels[] = {
    {"ret", kRet}, {"status", kStatus}, {"returned", kReturned}, {"error code", kErrorCode}, {"ErrorNo", kHex},
};
constexpr unsigned kOfLabels =
    1U << kHex | 1U << kRet | 1U << kStatus | 1U << kReturned | 1U << kErrorCode | 1U << kSpaced;
constexpr std::string_view kRetLabel = kLabels[0].text, kLogLabel = kLabels[4].text;

// What is looked for: given by Python, and never changed afterwards.
class Tables {
 public:
  Tables(const std::vector<std::string>& names, const std::vector<std::string>& weak,
         const std::vector<std::int64_t>& values, const std::vector<std::int64_t>& common,
         const std::vector<std::string>& signs, const std::string& search)
      : search_(search_named(search)) {
    for (const std::string& name : names) {
      if (name.empty()) throw std::invalid_argument("a name is empty");
      if (name.size() >= names_.size()) names_.resize(name.size() + 1);
      names_[name.size()].push_back(name);
      anchors_.add_word(name.compare(0, 4, names.front(), 0, 4) == 0 ? kName : kOtherName, name);
    }
    weak_.assign(weak.begin(), weak.end());
    common_ = sorted(common);
    values_ = sorted(values);
    const auto least = std::upper_bound(values_.begin(), values_.end(), 0);
    if (least != values_.end()) least_ = *least;
    std::string first = "0", second = "0";
    for (const std::int64_t value : values) {
      if (value >= 0 && !this->common(value)) add_digits(value, first, second);
    }
    anchors_.add(kHex, {"0", "xX", first, second + first});
    const std::string blanks = " \t", others = ":=[\\\x1b";
    for (const Label& label : kLabels) {
      const auto letter = [&label](std::size_t i) { return std::string(1, label.text[label.text.size() - i]); };
      anchors_.add(label.kind, {letter(3), letter(2), letter(1), others});
      if (label.text != kLogLabel) anchors_.add(kSpaced, {letter(2), letter(1), blanks, blanks + others});
    }
    // The capital of this one would let the halves of bytes take more words for anchors: one blank and several are
    // apart.
    anchors_.add(kErrorCode, {"N", "o", blanks, others});
    anchors_.add(kSpaced, {"o", blanks, blanks, blanks + others});
    for (std::size_t i = 0; i < signs.size(); ++i) {
      if (signs[i].empty()) throw std::invalid_argument("a sign is empty");
      // Neighbours have like beginnings where Python has sorted them.
      const std::size_t kind = i * signs_.size() / signs.size();
      signs_[kind].push_back(signs[i]);
      sign_anchors_.add_word(static_cast<unsigned>(kind), signs[i]);
    }
  }

  const Anchors& anchors() const { return anchors_; }
  const Anchors& sign_anchors() const { return sign_anchors_; }
  Search search() const { return search_; }
  std::size_t longest_name() const { return names_.size(); }

  bool is_name(std::string_view word) const {
    return word.size() < names_.size() &&
           std::find(names_[word.size()].begin(), names_[word.size()].end(), word) != names_[word.size()].end();
  }
  bool is_weak(std::string_view name) const { return std::find(weak_.begin(), weak_.end(), name) != weak_.end(); }
  bool known(std::int64_t value) const {
    const bool between = value > 0 && value < least_;
    return !between && std::binary_search(values_.begin(), values_.end(), value);
  }
  bool common(std::int64_t value) const { return std::binary_search(common_.begin(), common_.end(), value); }

  bool is_sign(const Byte* p, const Byte* end, unsigned kinds) const {
    for (unsigned kind = 0; kind < signs_.size(); ++kind) {
      if (!(kinds >> kind & 1)) continue;
      for (const std::string& sign : signs_[kind]) {
        if (static_cast<std::size_t>(end - p) >= sign.size() && std::memcmp(p, sign.data(), sign.size()) == 0) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  // The first two hexadecimal digits, either case; what a number of one digit is followed by is not known.
  static void add_digits(std::int64_t value, std::string& first, std::string& second) {
    static const char kLower[] = "0123456789abcdef", kUpper[] = "0123456789ABCDEF";
    int digits = 1;
    while (value >> (4 * digits)) ++digits;
    const auto lead = value >> (4 * (digits - 1)) & 15;
    first += {kLower[lead], kUpper[lead]};
    if (digits == 1) {
      for (int c = 0; c < 128; ++c) second += static_cast<char>(c);
    } else {
      const auto next = value >> (4 * (digits - 2)) & 15;
      second += {kLower[next], kUpper[next]};
    }
  }

  static std::vector<std::int64_t> sorted(std::vector<std::int64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  std::vector<std::vector<std::string>> names_;  // by length
  std::vector<std::string> weak_;
  std::vector<std::int64_t> values_, common_;  // sorted
  std::int64_t least_ = 1;                     // of the values above 0
  std::array<std::vector<std::string>, 8> signs_;
  Anchors anchors_, sign_anchors_;
  Search search_;
};

// The length of the escape that starts at `p`, or 0: a colour of the terminal, or an escape of JSON.
std::size_t escape_length(const Byte* p, const Byte* end) {
  const auto left = static_cast<std::size_t>(end - p);
  std::size_t n = 0;
  if (*p == 0x1b) {
    n = 1;
  } else if (left >= 6 && std::memcmp(p, "\\u001b", 6) == 0) {
    n = 6;
  }
  if (n && n < left && p[n] == '[') {
    std::size_t i = n + 1;
    while (i < left && i <= n + 32 && (is_digit(p[i]) || p[i] == ';')) ++i;
    if (i < left && is_letter(p[i])) return i + 1;
  }
  if (*p != '\\' || left < 2) return 0;
  if (p[1] == 'u' && left >= 6) {
    const auto lower = [](Byte c) { return hex_digit(c) >= 0 && !(c >= 'A' && c <= 'F'); };
    if (std::all_of(p + 2, p + 6, lower)) return 6;
  }
  return p[1] == 'n' || p[1] == 'r' || p[1] == 't' || p[1] == '"' ? 2 : 0;
}

// A stretch of text around an anchor, with blanks for escapes.
struct Stretch {
  const Byte* text;
  std::size_t size;
  std::size_t anchor;  // where the anchor is in it

  Byte at(std::size_t i) const { return i < size ? text[i] : Byte{0}; }
  bool starts(std::size_t i) const { return i == 0 || !is_word(text[i - 1]); }
  bool ends(std::size_t i) const { return !is_word(at(i)); }
  bool has(std::size_t i, std::string_view word) const {
    return i <= size && size - i >= word.size() && std::memcmp(text + i, word.data(), word.size()) == 0;
  }
  bool has_before(std::size_t i, std::string_view word) const { return i >= word.size() && has(i - word.size(), word); }
  std::size_t after_spaces(std::size_t i, std::size_t most = kSpaces) const {
    std::size_t n = 0;
    while (n < most && is_space(at(i + n))) ++n;
    return i + n;
  }
  // Where no word, fraction or group of a UUID goes on.
  bool ends_number(std::size_t i) const {
    if (!ends(i) || (at(i) == '.' && is_digit(at(i + 1)))) return false;
    return !(at(i) == '-' && hex_digit(at(i + 1)) >= 0 && hex_digit(at(i + 2)) >= 0 && hex_digit(at(i + 3)) >= 0 &&
             hex_digit(at(i + 4)) >= 0);
  }
};

struct Number {
  enum Form { kNone, kHexadecimal, kSigned, kBare, kDecimal } form = kNone;
  std::size_t end = 0;      // behind it
  std::int64_t value = -1;  // -1 for what is too long; negative for signed ones
};

Number read_number(const Stretch& s, std::size_t i) {
  Number number;
  std::size_t p = i;
  int base = 10;
  if (s.at(p) == '0' && (s.at(p + 1) | 32) == 'x' && hex_digit(s.at(p + 2)) >= 0) {
    number.form = Number::kHexadecimal;
    base = 16;
    p += 2;
  } else if (s.at(p) == '-' && is_digit(s.at(p + 1))) {
    number.form = Number::kSigned;
    ++p;
  } else {
    std::size_t n = 0, letters = 0;
    while (n < 8 && hex_digit(s.at(p + n)) >= 0 && !(s.at(p + n) >= 'A' && s.at(p + n) <= 'F')) {
      letters += !is_digit(s.at(p + n));
      ++n;
    }
    if (n == 8 && letters) {
      number.form = Number::kBare;
    } else if (is_digit(s.at(p))) {
      number.form = Number::kDecimal;
    } else {
      return number;
    }
    base = number.form == Number::kBare ? 16 : 10;
  }
  const std::size_t first = p;
  std::uint64_t value = 0;
  const std::size_t most = number.form == Number::kBare ? first + 8 : s.size;
  for (; p < most; ++p) {
    const int digit = hex_digit(s.at(p));
    if (digit < 0 || digit >= base) break;
    if (p - first < kNumber && value < (std::uint64_t{1} << 56)) {
      value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
    }
  }
  const bool suffix = number.form == Number::kHexadecimal || number.form == Number::kDecimal;
  if (suffix && (s.at(p) | 32) == 'u') ++p;
  number.end = p;
  const bool fits = p - i <= kNumber && value < (std::uint64_t{1} << 40);
  number.value = !fits                            ? -1
                 : number.form == Number::kSigned ? -static_cast<std::int64_t>(value)
                                                  : static_cast<std::int64_t>(value);
  if (!fits)
    number.form = number.form == Number::kSigned ? Number::kDecimal : number.form;  // -1 is then no value of it
  return number;
}

struct Candidate {
  std::size_t start;  // of its token, label included, in the buffer
  Offset line;        // its line's number, from 1
  Offset line_start;  // where its line starts, from the beginning of all
};

// Finds candidates in one stream of bytes that is handed over piece by piece.
class Scanner {
 public:
  // `start` is where the first line starts that is scanned.
  Scanner(std::shared_ptr<const Tables> tables, Offset start)
      : tables_(std::move(tables)), line_start_(start), line_checked_(start) {}

  py::tuple scan(const py::buffer& buffer, std::size_t begin, std::size_t end, Offset base, bool final) {
    const py::buffer_info info = buffer.request();
    if (info.itemsize != 1 || info.ndim != 1)
      throw std::invalid_argument("the buffer must be of bytes, in one dimension");
    if (begin > end || end > static_cast<std::size_t>(info.size))
      throw std::invalid_argument("begin or end is outside the buffer");
    std::size_t next = 0;
    std::vector<Candidate> found;
    {
      const py::gil_scoped_release released;
      const std::lock_guard<std::mutex> lock(mutex_);
      next = run(static_cast<const Byte*>(info.ptr), begin, end, base, final, found);
    }
    py::list candidates(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      candidates[i] = py::make_tuple(found[i].start, found[i].line, found[i].line_start);
    }
    return py::make_tuple(next, candidates);
  }

  Offset newlines() const { return lines_; }
  Offset line_start() const { return line_start_; }

 private:
  std::size_t run(const Byte* data, std::size_t begin, std::size_t end, Offset base, bool final,
                  std::vector<Candidate>& found) {
    data_ = data;
    end_ = end;
    base_ = base;
    const std::size_t stop = final ? end : stop_before(data, begin, end);
    const Byte* const next = for_each_anchor(tables_->search(), tables_->anchors(), data + begin, data + stop,
                                             data + end, lines_, [&](const Byte* p, unsigned kinds) {
                                               const auto at = static_cast<std::size_t>(p - data);
                                               if (base + at >= consumed_) examine(at, kinds, found);
                                               return found.size() < kBatch;
                                             });
    line_start(static_cast<std::size_t>(next - data));  // the buffer may not hold it the next time
    return static_cast<std::size_t>(next - data);
  }

  // As far as everything is there that decides about a token: to the last line end, or some way before the end.
  static std::size_t stop_before(const Byte* data, std::size_t begin, std::size_t end) {
    const std::size_t sure = end > begin + kAhead ? end - kAhead : begin;
    const Byte* const newline = last_newline(data + sure, data + end);
    return newline ? static_cast<std::size_t>(newline - data) + 1 : sure;
  }

  void examine(std::size_t at, unsigned kinds, std::vector<Candidate>& found) {
    if (kinds & (1U << kName | 1U << kOtherName) && examine_name(at, found)) return;
    if (kinds & 1U << kHex && examine_hex(at, found)) return;
    std::size_t end = at + 3;
    while (end > at && end <= end_ && is_space(data_[end - 1])) --end;
    if (end > at && (kinds & kOfLabels)) examine_label(end, found);
  }

  Stretch stretch(std::size_t at, std::size_t before, std::size_t after) {
    const std::size_t from = at > before + kEscape ? at - before - kEscape : 0;
    const std::size_t to = std::min(end_, at + after);
    const Byte* const text = data_ + from;
    const std::size_t size = to - from;
    if (!std::memchr(text, '\\', size) && !std::memchr(text, 0x1b, size)) return {text, size, at - from};
    scratch_.assign(text, text + size);
    for (std::size_t i = 0; i < size;) {
      const std::size_t length = is_escape(text[i]) ? escape_length(text + i, data_ + end_) : 0;
      for (std::size_t n = 0; n < length && i + n < size; ++n) scratch_[i + n] = ' ';
      i += length ? length : 1;
    }
    return {scratch_.data(), size, at - from};
  }

  void emit(const Stretch& s, std::size_t at, std::size_t start, std::size_t end, std::vector<Candidate>& found) {
    consumed_ = base_ + at - s.anchor + end;
    const std::size_t place = at - s.anchor + start;
    found.push_back({place, lines_ + 1, line_start(at)});
  }

  // Whether the token is settled: what else could start at the anchor need not be looked at.
  bool examine_name(std::size_t at, std::vector<Candidate>& found) {
    std::size_t length = 0;
    while (length < tables_->longest_name() && at + length < end_ && is_word(data_[at + length])) ++length;
    const std::string_view word(reinterpret_cast<const char*>(data_ + at), length);
    if (!tables_->is_name(word)) return false;
    const Stretch s = stretch(at, 24, length + 64);
    const std::size_t name = s.anchor, behind = name + length;
    if (!s.starts(name) || s.at(name) != data_[at]) return false;
    std::size_t start = name;
    const bool official = s.has_before(name, kOfficial);
    if (official || s.has_before(name, kOwn)) {
      const std::size_t enumeration = name - (official ? kOfficial : kOwn).size();
      const std::size_t closed = enumeration > 0 && s.text[enumeration - 1] == '<' ? end_of_repr(s, behind) : 0;
      if (closed && s.starts(enumeration - 1)) {
        emit(s, at, enumeration - 1, closed, found);
        return true;
      }
      if (official && s.starts(enumeration)) start = enumeration;
    }
    for (const std::string_view prefix : {"llm_datadist::", "ge::"}) {
      if (start != name || !s.has_before(name, prefix) || !s.starts(name - prefix.size())) continue;
      start = name - prefix.size();
    }
    if (start == name && tables_->is_weak(word) && !compares(s, name, behind) && !has_sign(at, at + length)) {
      consumed_ = base_ + at + length;
      return true;
    }
    emit(s, at, start, behind, found);
    return true;
  }

  // Behind the ">" of a repr whose name ends at `i`, or 0.
  static std::size_t end_of_repr(const Stretch& s, std::size_t i) {
    if (!s.has(i, ": ")) return 0;
    i += 2;
    const bool hexadecimal = s.has(i, "0x");
    i += hexadecimal ? 2 : s.at(i) == '-';
    std::size_t digits = 0;
    while (digits < kNumber && (hexadecimal ? hex_digit(s.at(i)) >= 0 : is_digit(s.at(i)))) ++i, ++digits;
    return digits && s.at(i) == '>' ? i + 1 : 0;
  }

  static bool compares(const Stretch& s, std::size_t start, std::size_t end) {
    const auto equals = [&s](std::size_t i) { return (s.at(i) == '=' || s.at(i) == '!') && s.at(i + 1) == '='; };
    std::size_t before = s.has_before(start, "::") ? start - 2 : start;
    while (before > 0 && start - before < 8 && is_space(s.text[before - 1])) --before;
    return (before >= 2 && equals(before - 2)) || equals(s.after_spaces(end));
  }

  bool examine_hex(std::size_t at, std::vector<Candidate>& found) {
    const Stretch raw = {data_ + at, std::min<std::size_t>(end_ - at, 2 * kNumber), 0};
    const std::int64_t value = read_number(raw, 0).value;
    if (value < 0 || !tables_->known(value) || tables_->common(value)) return false;
    const Stretch s = stretch(at, 1, 64);
    if (!s.starts(s.anchor)) return false;
    const Number number = read_number(s, s.anchor);
    if (number.form != Number::kHexadecimal) return false;
    if (number.value >= 0 && tables_->known(number.value) && !tables_->common(number.value) &&
        s.ends_number(number.end)) {
      emit(s, at, s.anchor, number.end, found);
    }
    return true;
  }

  // The label that ends at `end`, or nothing. Their last letters differ.
  std::string_view label_before(std::size_t end) const {
    for (const Label& label : kLabels) {
      std::size_t left = label.text.size();
      if (label.text[left - 1] != static_cast<char>(data_[end - 1])) continue;
      const Byte* p = data_ + end;
      if (end < left) return {};
      while (left && static_cast<Byte>(label.text[left - 1]) == *--p) --left;
      return left ? std::string_view() : label.text;
    }
    return {};
  }

  // Whether an escape may end or go on at `at`.
  bool escape_near(std::size_t at) const {
    const std::size_t from = at > kEscape ? at - kEscape : 0;
    return std::memchr(data_ + from, '\\', at - from) || std::memchr(data_ + from, 0x1b, at - from);
  }

  // `end` is where a label may end.
  void examine_label(std::size_t end, std::vector<Candidate>& found) {
    if (end > end_) return;
    const std::string_view label = label_before(end);
    if (label.empty()) return;
    // Most often this is no label, which can be told without looking far.
    const bool returned = label == kRetLabel;
    const Byte before = end > label.size() ? data_[end - label.size() - 1] : Byte{0};
    const bool prefixed = returned && before == '_';
    if (is_word(before) && !prefixed && !escape_near(end - label.size())) return;
    std::size_t place = end;
    while (place < end_ && is_space(data_[place])) ++place;
    if (place == end_ || !(is_escape(data_[place]) || is_sign_of_label(data_[place]))) return;
    if (!is_word(before) && base_ + end - label.size() >= consumed_ && is_sign_of_label(data_[place])) {
      // A number of no interest is passed over without looking around it.
      do ++place;
      while (place < end_ && is_space(data_[place]));
      const std::size_t behind = end_of_plain_number(place);
      if (behind && label != kLogLabel && is_of_no_interest(place, behind, end - label.size())) {
        consumed_ = base_ + behind;
        return;
      }
    }
    const Stretch s = stretch(end, label.size() + (prefixed ? kWord + 1 : 1), 2 * kSpaces + 2 * kNumber + 16);
    if (!s.has_before(s.anchor, label)) return;
    std::size_t start = s.anchor - label.size();
    if (returned && start > 0 && s.text[start - 1] == '_') {
      const std::size_t first = start > kWord ? start - kWord : 0;
      while (start > first && is_word(s.text[start - 1])) --start;
    }
    const std::size_t origin = end - s.anchor;
    if (!s.starts(start) || base_ + origin + start < consumed_) return;
    const std::size_t sign = s.after_spaces(s.anchor);
    if (!is_sign_of_label(s.at(sign))) return;
    const Number number = read_number(s, s.after_spaces(sign + 1));
    if (number.form == Number::kNone) return;
    consumed_ = base_ + origin + number.end;
    const bool readable = number.form == Number::kSigned || number.value >= 0;
    const bool bare = number.form == Number::kSigned || number.form == Number::kBare;
    if (!readable || !s.ends_number(number.end) || (bare && !returned)) return;
    const bool known = tables_->known(number.value);
    const bool logged = label == kLogLabel && number.form == Number::kDecimal;
    const bool weak = known ? returned || logged || number.form == Number::kHexadecimal : logged;
    if ((known && !tables_->common(number.value)) || (weak && has_sign(origin + start, origin + number.end))) {
      emit(s, end, start, number.end, found);
    }
  }

  // Behind the decimal number at `p`, if nothing odd is around it; else 0.
  std::size_t end_of_plain_number(std::size_t p) const {
    const std::size_t first = p;
    while (p < end_ && p - first < kNumber - 2 && is_digit(data_[p])) ++p;  // it fits into a value
    return p > first && p < end_ && !is_word(data_[p]) && !is_escape(data_[p]) ? p : 0;
  }

  // Whether the number from `first` to `behind`, with a label that starts at `start`, is no status.
  bool is_of_no_interest(std::size_t first, std::size_t behind, std::size_t start) {
    std::int64_t value = 0;
    for (std::size_t p = first; p < behind; ++p) value = 10 * value + (data_[p] - '0');
    if (!tables_->known(value)) return true;
    return tables_->common(value) && !has_sign(start, behind);
  }

  static bool is_sign_of_label(Byte c) { return c == ':' || c == '=' || c == '['; }

  // Where the line of `at` starts, from the beginning of all. The places asked for never go back.
  Offset line_start(std::size_t at) {
    const Offset place = base_ + at;
    const std::size_t from = line_checked_ > base_ ? static_cast<std::size_t>(line_checked_ - base_) : 0;
    if (from < at) {
      const Byte* const newline = last_newline(data_ + from, data_ + at);
      if (newline) line_start_ = base_ + static_cast<Offset>(newline - data_) + 1;
      line_checked_ = place;
    }
    return line_start_;
  }

  // Whether a sign of LLM-DataDist may stand on the line around a token. The line is looked at once.
  bool has_sign(std::size_t start, std::size_t end) {
    const Offset line = line_start(start);
    const std::size_t floor = start > kBefore ? start - kBefore : 0;
    const std::size_t first = line > base_ ? std::max(floor, static_cast<std::size_t>(line - base_)) : floor;
    std::size_t from = signs_checked_ > base_ ? static_cast<std::size_t>(signs_checked_ - base_) : 0;
    from = std::max(from, first);
    std::size_t to = std::min(end_, end + kAfter);
    if (const void* newline = std::memchr(data_ + end, '\n', to - end)) {
      to = static_cast<std::size_t>(static_cast<const Byte*>(newline) - data_);
    }
    if (from < to) {
      Offset lines = 0;
      for_each_anchor(tables_->search(), tables_->sign_anchors(), data_ + from, data_ + to, data_ + end_, lines,
                      [&](const Byte* p, unsigned kinds) {
                        if (tables_->is_sign(p, data_ + end_, kinds)) {
                          last_sign_ = base_ + static_cast<Offset>(p - data_) + 1;
                        }
                        return true;
                      });
      signs_checked_ = base_ + to;
    }
    return last_sign_ > base_ + first;
  }

  std::shared_ptr<const Tables> tables_;
  std::mutex mutex_;
  std::vector<Byte> scratch_;
  // Of the call that is running.
  const Byte* data_ = nullptr;
  std::size_t end_ = 0;
  Offset base_ = 0;
  // Of the stream, all from its beginning.
  Offset lines_ = 0;          // line ends passed
  Offset consumed_ = 0;       // behind the last token
  Offset line_start_;         // of the line that `line_checked_` is on
  Offset line_checked_;       // looked for line starts up to here
  Offset signs_checked_ = 0;  // looked for signs up to here
  Offset last_sign_ = 0;      // one more than where the last sign starts, or 0
};

}  // namespace

PYBIND11_MODULE(_scan, module, py::mod_gil_not_used(), py::multiple_interpreters::per_interpreter_gil()) {
  module.attr("BEFORE") = kBefore;
  module.attr("AFTER") = kAfter;
  module.attr("AHEAD") = kAhead;
  module.attr("BATCH") = kBatch;
  py::list names;
  for (const auto& [name, search] : searches()) names.append(name);
  module.attr("SEARCHES") = py::tuple(names);

  // Plain classes, with nothing of pybind11's own metaclass.
  const py::metaclass plain(reinterpret_cast<PyObject*>(&PyType_Type));
  py::class_<Tables, std::shared_ptr<Tables>>(module, "Tables", plain)
      .def(py::init<const std::vector<std::string>&, const std::vector<std::string>&, const std::vector<std::int64_t>&,
                    const std::vector<std::int64_t>&, const std::vector<std::string>&, const std::string&>(),
           py::kw_only(), py::arg("names"), py::arg("weak"), py::arg("values"), py::arg("common"), py::arg("signs"),
           py::arg("search") = "");
  py::class_<Scanner>(module, "Scanner", plain)
      .def(py::init<std::shared_ptr<Tables>, Offset>(), py::arg("tables"), py::arg("start") = 0)
      .def("scan", &Scanner::scan, py::arg("buffer"), py::arg("begin"), py::arg("end"), py::arg("base"),
           py::arg("final"))
      .def_property_readonly("newlines", &Scanner::newlines)
      .def_property_readonly("line_start", py::overload_cast<>(&Scanner::line_start, py::const_));
}
