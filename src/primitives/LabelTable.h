// SPDX-License-Identifier: Apache-2.0
#ifndef ccl_primitives_LabelTable_h
#define ccl_primitives_LabelTable_h

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace itk::ccl
{

/** Maps the labels of an image to numbers: first to their pixel counts, and later to their new labels.
 *
 * The numbers of small labels are in pages, which are allocated at their first use. So labels of connected components
 * need one memory access, and images with few labels need little memory. Negative and large labels are in a hash table.
 */
template <typename TLabel>
class LabelTable
{
public:
  /** A label and the number of its pixels. */
  struct Object
  {
    TLabel        label;
    std::uint64_t size;
  };

  /** Makes a table for an image. The labels of its connected components are not greater than its number of pixels. */
  explicit LabelTable(std::uint64_t pixels)
    : m_SmallEnd(std::min<std::uint64_t>(std::max<std::uint64_t>(pixels, 0xFFFF), std::numeric_limits<TLabel>::max()) +
                 1)
    , m_Pages(new std::atomic<Page *>[this->PageCount()])
  {
    std::for_each_n(m_Pages.get(), this->PageCount(), [](std::atomic<Page *> & page) { page = nullptr; });
  }

  ~LabelTable()
  {
    std::for_each_n(m_Pages.get(), this->PageCount(), [](std::atomic<Page *> & page) { delete page.load(); });
  }

  LabelTable(const LabelTable &) = delete;
  LabelTable &
  operator=(const LabelTable &) = delete;

  /** Counts pixels for one thread. The small cache absorbs most pixels, so that threads do not wait for each other at
   * the count of a giant component. */
  class Counter
  {
  public:
    explicit Counter(LabelTable & table)
      : m_Table(table)
    {}

    /** Adds to the size of a label other than 0. */
    void
    Add(TLabel label, std::uint64_t pixels)
    {
      Entry & entry = m_Cache[static_cast<std::uint64_t>(label) % m_Cache.size()];
      if (entry.label != label)
      {
        this->Flush(entry);
        entry.label = label;
      }
      entry.pixels += pixels;
    }

    /** Moves all counts to the table. Call it once, after the last pixel. */
    void
    Finish()
    {
      for (Entry & entry : m_Cache)
      {
        this->Flush(entry);
      }
      const std::lock_guard<std::mutex> lock(m_Table.m_Mutex);
      if (m_Table.m_Others.empty())
      {
        m_Table.m_Others.swap(m_Others);
      }
      for (const auto & [label, pixels] : m_Others)
      {
        m_Table.m_Others[label] += pixels;
      }
    }

  private:
    struct Entry
    {
      TLabel        label{ 0 };
      std::uint64_t pixels{ 0 };
    };

    void
    Flush(Entry & entry)
    {
      if (entry.pixels == 0)
      {
        return;
      }
      if (m_Table.IsSmall(entry.label))
      {
        m_Table.Small(entry.label).fetch_add(entry.pixels, std::memory_order_relaxed);
      }
      else
      {
        m_Others[entry.label] += entry.pixels;
      }
      entry.pixels = 0;
    }

    LabelTable &                              m_Table;
    std::array<Entry, 256>                    m_Cache;
    std::unordered_map<TLabel, std::uint64_t> m_Others;
  };

  /** Returns the labels and their sizes, in the order of the labels. */
  std::vector<Object>
  GetObjects() const
  {
    std::vector<Object> objects;
    const auto append = [&objects](TLabel label, std::uint64_t pixels) { objects.push_back({ label, pixels }); };
    for (const auto & [label, pixels] : m_Others)
    {
      append(label, pixels);
    }
    std::sort(objects.begin(), objects.end(), [](const Object & a, const Object & b) { return a.label < b.label; });
    const auto firstLarge =
      std::find_if(objects.begin(), objects.end(), [](const Object & object) { return object.label > 0; });
    const std::vector<Object> large(firstLarge, objects.end());
    objects.erase(firstLarge, objects.end());
    for (std::uint64_t i = 0; i < this->PageCount(); ++i)
    {
      if (const Page * const page = m_Pages[i])
      {
        for (std::uint64_t j = 0; j < PageSize; ++j)
        {
          if (page->numbers[j] != 0)
          {
            append(static_cast<TLabel>(i * PageSize + j), page->numbers[j]);
          }
        }
      }
    }
    objects.insert(objects.end(), large.begin(), large.end());
    return objects;
  }

  /** Sets the new label of a label that has been counted. */
  void
  SetNewLabel(TLabel label, std::uint64_t newLabel)
  {
    if (this->IsSmall(label))
    {
      this->Small(label).store(newLabel, std::memory_order_relaxed);
    }
    else
    {
      m_Others[label] = newLabel;
    }
  }

  /** Returns the new label of a label that has been counted. Several threads may call this function at the same time.
   */
  std::uint64_t
  GetNewLabel(TLabel label) const
  {
    if (this->IsSmall(label))
    {
      const auto i = static_cast<std::uint64_t>(label);
      return m_Pages[i / PageSize]
        .load(std::memory_order_relaxed)
        ->numbers[i % PageSize]
        .load(std::memory_order_relaxed);
    }
    return m_Others.find(label)->second;
  }

private:
  static constexpr std::uint64_t PageSize = 4096;

  struct Page
  {
    std::array<std::atomic<std::uint64_t>, PageSize> numbers;
  };

  std::uint64_t
  PageCount() const
  {
    return (m_SmallEnd + PageSize - 1) / PageSize;
  }

  bool
  IsSmall(TLabel label) const
  {
    // Negative labels turn into numbers that are too large.
    return static_cast<std::uint64_t>(label) < m_SmallEnd;
  }

  /** Returns the number of a small label. Allocates its page if necessary. */
  std::atomic<std::uint64_t> &
  Small(TLabel label)
  {
    const auto            i = static_cast<std::uint64_t>(label);
    std::atomic<Page *> & slot = m_Pages[i / PageSize];
    Page *                page = slot.load(std::memory_order_acquire);
    if (page == nullptr)
    {
      // The parentheses set all numbers to 0.
      std::unique_ptr<Page> fresh(new Page());
      if (slot.compare_exchange_strong(page, fresh.get(), std::memory_order_acq_rel))
      {
        page = fresh.release();
      }
    }
    return page->numbers[i % PageSize];
  }

  std::uint64_t                             m_SmallEnd;
  std::unique_ptr<std::atomic<Page *>[]>    m_Pages;
  std::unordered_map<TLabel, std::uint64_t> m_Others; // negative and large labels
  std::mutex                                m_Mutex;
};

} // namespace itk::ccl

#endif
