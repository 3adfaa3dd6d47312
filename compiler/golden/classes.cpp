// Member functions, virtual calls, inheritance, templates, lambdas, and every way to be a field.
namespace bank {

struct Limits {
  int daily;
  long total;
};

class Account {
 public:
  explicit Account(int start) : id_(7), balance_(start) {}
  virtual ~Account() { balance_ = 0; }
  virtual void deposit(int amount) {
    balance_ += amount;
    limits_.total += amount;
    log(amount);
  }
  int balance() const { return balance_; }
  int id() const { return id_; }
  void transfer(Account& to, int amount) {
    balance_ -= amount;
    to.balance_ += amount;
  }
  static int count;

 private:
  void log(int amount) {
    history_[next_ % 4] = amount;
    ++next_;
  }
  const int id_;
  int balance_;
  Limits limits_ = {1, 2};
  int history_[4] = {};
  unsigned next_ = 0;
};
int Account::count = 0;

class Savings : public Account {
 public:
  explicit Savings(int start) : Account(start) {}
  void deposit(int amount) override {
    Account::deposit(amount);
    interest_ += amount * 0.5;
  }

 private:
  double interest_ = 0;
};

}  // namespace bank

struct Named {
  char name[8] = {};
  short tag = 1;
};
struct Both : Named, bank::Limits {
  int own = 3;
  int sum() { return own + tag + daily; }
};

template <class T>
struct Box {
  T value;
  int uses;
  T take() {
    ++uses;
    return value;
  }
};

union Number {
  int whole;
  float real;
  char bytes[4];
};

struct Packed {
  unsigned ready : 1;
  unsigned level : 3;
  int : 0;
  unsigned owner : 20;
  struct {
    int left, right;
  };
  Number number;
  Number numbers[2];
  bool set() {
    level = 5;
    owner = 9;
    left = right + 1;
    number.whole = 4;
    numbers[left & 1].real = 0.5f;
    return ready;
  }
};

// A local object lives in registers; what it does to the box is a unit of work all the same.
class Owner {
 public:
  explicit Owner(Box<int>& box) : box_(box) {}
  void fill() {
    box_.value = 6;
    box_.uses = 0;
  }

 private:
  Box<int>& box_;
};

int g_total;
Box<int> g_box;
static long s_counts[3];
bank::Account* g_account;

static int index_of(int i) {
  static int calls = 0;
  ++calls;
  return i % 3 + (calls & 0);
}

int main() {
  bank::Savings savings(10);
  bank::Account other(20);
  g_account = &savings;
  g_account->deposit(5);
  g_account->transfer(other, 3);
  bank::Account::count += 1;
  g_total = savings.id() + savings.balance() + other.balance();

  Both both;
  both.daily = 2;
  Both* volatile whole = &both;
  int sum = whole->sum();

  Box<bank::Limits>* volatile box = new Box<bank::Limits>{{1, 2}, 0};
  sum += box->take().daily;
  delete box;
  Box<char> small{'x', 0};
  Box<char>* volatile letter = &small;
  sum += letter->take();

  auto add = [&sum, &other](int n) {
    sum += n;
    return other.balance() + sum;
  };
  auto* volatile call = &add;
  sum = (*call)(4);

  Packed packed{};
  Packed* volatile fields = &packed;
  fields->set();
  s_counts[index_of(sum)] += sum;

  Owner(g_box).fill();
  return 0;
}
