// The string functions, memory functions and long jumps, in C.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int id;
  char name[16];
  char note[8];
} Card;

struct Node {
  struct Node* next;
  Card card;
};

static Card s_card;
static jmp_buf s_back;
char g_text[32] = "abc";
volatile int g_zero;

static void fill(struct Node* node, const char* name) {
  node->card.id = 3;
  strcpy(node->card.name, name);
  strcat(node->card.name, g_text);
  strncpy(node->card.note, name, sizeof node->card.note);
  strncat(g_text, name, 1);
}

static int look(const struct Node* node, const char* name) {
  int n = (int)strlen(node->card.name);
  n += (int)strnlen(g_text, 2);
  n += strcmp(node->card.name, name) > 0;
  n += strncmp(node->card.name, name, 3) == 0;
  n += strchr(node->card.name, 'c') != 0;
  n += strrchr(node->card.name, 'c') != 0;
  n += strstr(node->card.name, "cd") != 0;
  n += memcmp(node->card.name, name, 4) == 0;
  n += memchr(node->card.name, 'b', 16) != 0;
  return n;
}

static void jump(int depth) {
  s_card.id = depth;
  if (depth == 0) longjmp(s_back, 2);
  jump(depth - 1);
}

int main(int argc, char** argv) {
  (void)argv;
  struct Node* node = calloc(1, sizeof *node);
  fill(node, "xy");
  int n = look(node, "xyab");
  memcpy(&s_card, &node->card, sizeof s_card);
  memmove(g_text + 1, g_text, (size_t)argc + 2);
  memset(node, 0, sizeof *node);
  char* copy = strdup(g_text);
  copy = realloc(copy, 64);
  free(copy);
  free(node);
  if (setjmp(s_back) == 0) jump(2);
  return n < 0 ? 1 : g_zero;
}
