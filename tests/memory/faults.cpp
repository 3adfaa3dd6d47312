// Memory faults that do not crash, one for each number; `correct N` is the same without the fault.
// A line with `// fault N` is the place that a report must name.
#include <malloc.h>
#include <string.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static bool g_faulty;
static volatile long g_sink;

struct Node {
  long value = 1;
  Node* next = nullptr;
  char name[20] = "node";
};

template <class T>
__attribute__((noinline)) T* hidden(T* pointer) {  // what the optimiser knows nothing of
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}
static __attribute__((noinline)) int hidden(int number) {
  asm volatile("" : "+r"(number));
  return number;
}
// How far an index goes: where it should, or one too far.
static int upto(int last, int beyond) { return hidden(g_faulty ? beyond : last); }

static void read_freed() {
  Node* node = hidden(new Node);
  if (g_faulty) delete node;
  g_sink = node->value;  // fault 1
  if (!g_faulty) delete node;
}

static void write_freed() {
  Node* node = hidden(new Node);
  if (g_faulty) delete node;
  node->value = 2;  // fault 2
  if (!g_faulty) delete node;
}

static void freed_twice() {
  void* block = hidden(malloc(40));
  free(block);
  if (g_faulty) free(hidden(block));  // fault 3
}

static void deleted_twice() {
  Node* node = hidden(new Node);
  Node* again = hidden(node);
  delete node;
  if (g_faulty) delete again;  // fault 4
}

static void beyond_end() {
  int* numbers = hidden(new int[10]());
  g_sink = numbers[upto(9, 10)];  // fault 5
  delete[] numbers;
}

static void before_begin() {
  int* numbers = hidden(new int[10]());
  g_sink = numbers[upto(0, -1)];  // fault 6
  delete[] numbers;
}

static void byte_beyond_end() {
  char* text = hidden(static_cast<char*>(malloc(13)));
  text[upto(12, 13)] = 0;  // fault 7
  free(hidden(text));
}

static void long_beyond_end() {
  char* block = hidden(static_cast<char*>(malloc(20)));
  long value = 3;
  auto* at = reinterpret_cast<long*>(block + upto(8, 16));
  *hidden(at) = value;  // fault 8
  free(hidden(block));
}

static void after_realloc() {
  char* block = hidden(static_cast<char*>(calloc(16, 1)));
  char* moved = hidden(static_cast<char*>(realloc(block, 24)));
  g_sink = (g_faulty ? block : moved)[3];  // fault 9
  free(moved);
}

static void smaller_by_realloc() {
  char* block = static_cast<char*>(calloc(64, 1));
  block = hidden(static_cast<char*>(realloc(block, 10)));
  g_sink = block[upto(9, 12)];  // fault 10
  free(block);
}

static void copy_from_freed() {
  char* from = hidden(static_cast<char*>(calloc(32, 1)));
  char to[32];
  if (g_faulty) free(from);
  memcpy(hidden(to), from, hidden(32));  // fault 11
  g_sink = to[5];
  if (!g_faulty) free(from);
}

static void copy_beyond_end() {
  char from[64] = "longer than what it is copied to";
  char* to = hidden(static_cast<char*>(malloc(16)));
  memcpy(to, hidden(from), upto(16, 20));  // fault 12
  free(hidden(to));
}

static void fill_beyond_end() {
  char* block = hidden(static_cast<char*>(malloc(24)));
  memset(block, 7, upto(24, 25));  // fault 13
  free(hidden(block));
}

static void move_beyond_end() {
  char* block = hidden(static_cast<char*>(calloc(24, 1)));
  memmove(block + hidden(4), block, upto(20, 24));  // fault 14
  free(hidden(block));
}

static void text_beyond_end() {
  char* text = hidden(static_cast<char*>(malloc(8)));
  strcpy(text, hidden(g_faulty ? "12345678" : "1234567"));  // fault 15
  free(hidden(text));
}

static void appended_beyond_end() {
  char* text = hidden(static_cast<char*>(malloc(8)));
  text[0] = 0;
  strcat(text, hidden("1234"));
  strcat(text, hidden(g_faulty ? "5678" : "567"));  // fault 16
  free(hidden(text));
}

static void length_of_freed() {
  char* text = hidden(static_cast<char*>(calloc(16, 1)));
  if (g_faulty) free(text);
  g_sink = static_cast<long>(strlen(hidden(text)));  // fault 17
  if (!g_faulty) free(text);
}

static void compared_with_freed() {
  char* text = hidden(static_cast<char*>(calloc(16, 1)));
  if (g_faulty) free(text);
  g_sink = strcmp(hidden(text), hidden("word"));  // fault 18
  if (!g_faulty) free(text);
}

static void element_of_vector() {
  std::vector<int> numbers(4, 1);
  int* first = hidden(numbers.data());
  if (g_faulty) numbers.push_back(2);
  g_sink = *first;  // fault 19
}

static void beyond_vector() {
  std::vector<long> numbers(4, 1);
  long* first = hidden(numbers.data());
  g_sink = first[upto(3, 4)];  // fault 20
}

static void iterator_of_list() {
  std::list<int> numbers{1, 2, 3};
  auto second = std::next(numbers.begin());
  int* at = hidden(&*second);
  if (g_faulty) numbers.erase(second);
  g_sink = *at;  // fault 21
}

static void value_of_map() {
  std::map<int, long> map{{1, 2}, {3, 4}};
  long* at = hidden(&map[3]);
  if (g_faulty) map.erase(3);
  g_sink = *at;  // fault 22
}

static void value_of_hash_map() {
  std::unordered_map<int, long> map{{1, 2}, {3, 4}};
  long* at = hidden(&map[3]);
  if (g_faulty) map.clear();
  *at = 5;  // fault 23
}

static void front_of_deque() {
  std::deque<int> queue(300, 1);
  int* at = hidden(&queue.front());
  if (g_faulty)
    for (int i = 0; i < 250; ++i) queue.pop_front();
  g_sink = *at;  // fault 24
}

static void text_of_string() {
  std::string text = "longer than what fits into the object itself";
  const char* at = hidden(text.data());
  if (g_faulty) text = std::string(200, 'x');
  g_sink = at[2];  // fault 25
}

static void text_of_gone_string() {
  auto* text = hidden(new std::string("short"));
  const char* at = hidden(text->data());
  if (g_faulty) delete text;
  g_sink = at[2];  // fault 26
  if (!g_faulty) delete text;
}

static void gone_unique_pointer() {
  auto node = std::make_unique<Node>();
  Node* at = hidden(node.get());
  if (g_faulty) node.reset();
  g_sink = at->value;  // fault 27
}

static void gone_shared_pointer() {
  auto node = std::make_shared<Node>();
  Node* at = hidden(node.get());
  if (g_faulty) node = nullptr;
  at->value = 3;  // fault 28
}

static void atomic_in_freed() {
  auto* count = hidden(new std::atomic<int>(1));
  if (g_faulty) delete count;
  count->fetch_add(1);  // fault 29
  if (!g_faulty) delete count;
}

static void atomic_load_of_freed() {
  auto* count = hidden(new std::atomic<long>(1));
  if (g_faulty) delete count;
  g_sink = count->load();  // fault 30
  if (!g_faulty) delete count;
}

static void freed_in_the_middle() {
  char* block = hidden(static_cast<char*>(malloc(64)));
  free(hidden(block + upto(0, 16)));  // fault 31
}

static void struct_beyond_end() {
  auto* nodes = hidden(static_cast<Node*>(calloc(2, sizeof(Node))));
  Node copy = nodes[upto(1, 2)];  // fault 32
  g_sink = copy.value;
  free(nodes);
}

static void another_thread_freed() {
  Node* node = hidden(new Node);
  std::thread([node] {
    if (g_faulty) delete node;
  }).join();
  g_sink = node->value;  // fault 33
  if (!g_faulty) delete node;
}

static void read_by_another_thread() {
  Node* node = hidden(new Node);
  if (g_faulty) delete node;
  std::thread([node] {
    g_sink = node->value;  // fault 34
  }).join();
  if (!g_faulty) delete node;
}

static void freed_twice_by_threads() {
  void* block = hidden(malloc(24));
  std::thread([block] { free(block); }).join();
  if (g_faulty) free(hidden(block));  // fault 35
}

static void aligned_block() {
  char* block = hidden(static_cast<char*>(aligned_alloc(256, 256)));
  block[upto(255, 256)] = 1;  // fault 36
  free(hidden(block));
}

static void kept_after_many() {
  Node* node = hidden(new Node);
  if (g_faulty) delete node;
  for (int i = 0; i < 500; ++i) free(hidden(malloc(sizeof(Node))));
  g_sink = node->value;  // fault 37
  if (!g_faulty) delete node;
}

static void next_of_freed() {
  Node* first = hidden(new Node);
  first->next = new Node;
  for (Node* node = first; node != nullptr;) {
    Node* next = node->next;
    delete node;
    if (g_faulty) next = hidden(node)->next;  // fault 38
    node = next;
  }
}

static void realloc_of_freed() {
  void* block = hidden(malloc(24));
  if (g_faulty) free(block);
  void* moved = realloc(hidden(block), 48);  // fault 39
  free(hidden(moved));
}

static void printed_beyond_end() {
  char* text = hidden(static_cast<char*>(malloc(8)));
  const char* from = hidden("12345678");
  strncpy(text, from, upto(8, 9));  // fault 40
  free(hidden(text));
}

static void wide_copy() {
  struct Wide {
    double numbers[6];
  };
  auto* from = hidden(static_cast<Wide*>(calloc(1, sizeof(Wide))));
  if (g_faulty) free(from);
  Wide copy = *from;  // fault 41
  g_sink = static_cast<long>(copy.numbers[4]);
  if (!g_faulty) free(from);
}

static void compared_beyond_end() {
  char* block = hidden(static_cast<char*>(calloc(16, 1)));
  char zeros[32] = {};
  g_sink = memcmp(block, hidden(zeros), upto(16, 17));  // fault 42
  free(block);
}

// Made before main(), and as it was then in every execution.
static Node* const g_early = new Node;
static Node* const g_early_freed = new Node;
static const bool g_is_freed = (delete g_early_freed, true);

static void from_before_main() {
  if (g_early->value != 1 || !g_is_freed) abort();
  g_early->value = 2;
  if (g_faulty) delete hidden(g_early);
  g_sink = hidden(g_early)->value;  // fault 43
}

static void freed_before_main() {
  Node* node = hidden(g_faulty ? g_early_freed : g_early);
  g_sink = node->value;  // fault 44
}

static void beyond_one_from_before_main() {
  g_sink = hidden(&g_early->value)[upto(0, sizeof(Node) / sizeof(long))];  // fault 45
}

static void duplicate_of_freed() {
  char* text = hidden(static_cast<char*>(malloc(8)));
  strcpy(text, "a word");
  if (g_faulty) free(text);
  char* copy = strndup(hidden(text), hidden(4));  // fault 46
  free(hidden(copy));
  if (!g_faulty) free(text);
}

static void duplicate_beyond_end() {
  char* text = hidden(static_cast<char*>(malloc(8)));
  memset(text, 'x', 8);
  char* copy = strndup(text, upto(8, 9));  // fault 47
  free(hidden(copy));
  free(text);
}

// Reads a line into a block of the program's, which getline() makes larger if it must.
static char* line_into(char* block, size_t bytes, const char* text) {
  FILE* file = fmemopen(const_cast<char*>(text), strlen(text), "r");
  if (file == nullptr || getline(&block, &bytes, file) < 0) abort();
  fclose(file);
  if (strcmp(block, text) != 0) abort();
  return hidden(block);
}

static void line_in_freed() {
  char* line = line_into(static_cast<char*>(malloc(64)), 64, "a line\n");
  if (g_faulty) free(line);
  g_sink = line[2];  // fault 48
  if (!g_faulty) free(line);
}

static void line_before_it_grew() {
  char* old = hidden(static_cast<char*>(malloc(8)));
  char* line = line_into(old, 8, "a line that is longer than the block\n");
  if (!g_faulty) old = line;
  g_sink = old[2];  // fault 49
  free(line);
}

int main(int count, char** arguments) {
  void (*const all[])() = {read_freed,
                           write_freed,
                           freed_twice,
                           deleted_twice,
                           beyond_end,
                           before_begin,
                           byte_beyond_end,
                           long_beyond_end,
                           after_realloc,
                           smaller_by_realloc,
                           copy_from_freed,
                           copy_beyond_end,
                           fill_beyond_end,
                           move_beyond_end,
                           text_beyond_end,
                           appended_beyond_end,
                           length_of_freed,
                           compared_with_freed,
                           element_of_vector,
                           beyond_vector,
                           iterator_of_list,
                           value_of_map,
                           value_of_hash_map,
                           front_of_deque,
                           text_of_string,
                           text_of_gone_string,
                           gone_unique_pointer,
                           gone_shared_pointer,
                           atomic_in_freed,
                           atomic_load_of_freed,
                           freed_in_the_middle,
                           struct_beyond_end,
                           another_thread_freed,
                           read_by_another_thread,
                           freed_twice_by_threads,
                           aligned_block,
                           kept_after_many,
                           next_of_freed,
                           realloc_of_freed,
                           printed_beyond_end,
                           wide_copy,
                           compared_beyond_end,
                           from_before_main,
                           freed_before_main,
                           beyond_one_from_before_main,
                           duplicate_of_freed,
                           duplicate_beyond_end,
                           line_in_freed,
                           line_before_it_grew};
  if (count == 1) {
    printf("%zu\n", sizeof all / sizeof all[0]);
    return 0;
  }
  if (count != 3) return 2;
  g_faulty = strcmp(arguments[1], "faulty") == 0;
  all[atoi(arguments[2]) - 1]();
  return 0;
}
