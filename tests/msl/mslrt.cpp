// Runs a kernel on the CPU: one fibre a thread of the group, switched in barriers and SIMD-group calls only. The kernel
// is a shared library made by shim.py. A SIMD-group call joins the lanes that stand at the same place of the program, which its
// chain of calls and the rounds of the loops around tell; lanes that wait further on stay there until no lane of the group is
// before them. Lanes meet again behind a loop, and at each round of it.
//   mslrt KERNEL.so groups=X[,Y,Z] size=X[,Y,Z] buf=INDEX:FILE ... tex=INDEX:WxHxCOMPONENTS:FILE ...   (buffers are written back
//   to FILE.out) order=forward|reverse|SEED   order in which a group's threads take their turn spurious=N every Nth
//   weak compare-exchange that would succeed fails instead
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>
#include "include/msl_launch.h"
enum St { ready, at_barrier, at_simd, done };
struct Loop {
  void *place, *frame;  // where it starts, and the frame of its function
  size_t round;
};
struct Fiber {
  ucontext_t c;
  char* stack;
  St st;
  msl_thread id;
  unsigned long put;
  std::vector<Loop> loops;      // that it is in, outermost first
  std::vector<size_t> site;     // where it waits: return addresses, before each the loops of its function (place, round)
  unsigned long all[32], mask;  // what the lanes that met here have put
};
static std::vector<Fiber> fs;
static Fiber* cur;
static ucontext_t sched;
static msl_args args;
struct Tg {
  void* p;
  size_t n;
};
static std::vector<Tg> tgs;
static unsigned spurious_every, spurious_n;
static const size_t STACK = 256 << 10;
static void die(const char* m) {
  fprintf(stderr, "mslrt: %s\n", m);
  exit(3);
}
extern "C" {
void msl_tg_register(void* p, size_t n) {
  for (auto& t : tgs)
    if (t.p == p) return;
  tgs.push_back({p, n});
  memset(p, 0xA5, n);
}
static void park(St s) {
  cur->st = s;
  swapcontext(&cur->c, &sched);
}
void msl_barrier() { park(at_barrier); }
void msl_loop_enter(void* place, void* frame) { cur->loops.push_back({place, frame, 0}); }
void msl_loop_round() { cur->loops.back().round++; }
void msl_loop_leave() { cur->loops.pop_back(); }
static void meet(void** frame) {
  const char* stack = cur->stack;
  std::vector<void**> frames;  // innermost first; frame[1] is an address in the function whose frame is frame[0]
  while ((char*)frame >= stack && (char*)frame < stack + STACK - 16 && frame[1]) {
    frames.push_back(frame);
    if ((char*)frame[0] <= (char*)frame) break;
    frame = (void**)frame[0];
  }
  cur->site.clear();
  for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
    for (const Loop& loop : cur->loops)
      if (loop.frame == (*f)[0]) cur->site.insert(cur->site.end(), {(size_t)loop.place, loop.round});
    cur->site.push_back((size_t)(*f)[1]);
  }
  park(at_simd);
}
void msl_simd_barrier() {
  cur->put = 0;
  meet((void**)__builtin_frame_address(0));
}
void msl_simd_exchange(unsigned long v, unsigned long* all, unsigned long* mask) {
  Fiber* me = cur;
  me->put = v;
  meet((void**)__builtin_frame_address(0));
  memcpy(all, me->all, sizeof me->all);
  *mask = me->mask;
}
unsigned msl_simd_lane() { return cur->id.thread_index_in_simdgroup; }
unsigned msl_quad_lane_base() { return msl_simd_lane() & ~3u; }
void msl_discard() {
  cur->st = done;
  swapcontext(&cur->c, &sched);
}
int msl_spurious() { return spurious_every && ++spurious_n % spurious_every == 0; }
static unsigned* texel(const msl_image* i, unsigned x, unsigned y, unsigned z) {
  return x < i->w && y < i->h && z < i->d * i->layers ? (unsigned*)i->texels + 4 * ((size_t(z) * i->h + y) * i->w + x)
                                                      : nullptr;
}
// What threads wrote without a fence() since: MSL 6.12.17 lets the same thread see it only after one.
static std::map<const unsigned*, std::set<const Fiber*>> unfenced;
static std::map<const unsigned*, const msl_image*> image_of;
static void wrote(const msl_image* i, const unsigned* t) {
  unfenced[t].insert(cur);
  image_of[t] = i;
}
void msl_image_fence(const msl_image* i) {
  for (auto& [t, threads] : unfenced)
    if (image_of[t] == i) threads.erase(cur);
}
// MSL 6.12: out of bounds, components that the format has are 0, a missing alpha is 1.
void msl_image_read(const msl_image* i, unsigned raw, unsigned x, unsigned y, unsigned z, unsigned level, unsigned* o) {
  unsigned* t = level < i->mips ? texel(i, x, y, z) : nullptr;
  memset(o, 0, 16);
  if (i->components < 4) o[3] = raw ? 1u : 0x3f800000u;
  if (!t) return;
  const auto found = unfenced.find(t);
  if (found != unfenced.end() && found->second.count(cur)) die("a thread reads what it wrote to a texture without fence()");
  memcpy(o, t, 4 * i->components);
}
void msl_image_write(msl_image* i, unsigned, unsigned x, unsigned y, unsigned z, unsigned level, const unsigned* v) {
  unsigned* t = level < i->mips ? texel(i, x, y, z) : nullptr;
  if (!t) return;
  memcpy(t, v, 16);
  wrote(i, t);
}
unsigned msl_image_size(const msl_image* i, unsigned what, unsigned level) {
  if (level >= i->mips) die("the size of a level that the texture does not have");
  const unsigned v[] = {i->w, i->h, i->d, i->layers, i->mips, i->samples};
  return v[what];
}
static unsigned inside(float x, int offset, unsigned size) {
  return unsigned(std::min(std::max(long(__builtin_floorf(x)) + offset, 0l), long(size) - 1));
}
void msl_image_sample(const msl_image* i, unsigned bits, float x, float y, float z, float, int dx, int dy,
                      unsigned* o) {  // nearest only
  if (!(bits & 8)) x *= i->w, y *= i->h;
  msl_image_read(i, bits >> 16 & 1, inside(x, dx, i->w), inside(y, dy, i->h), unsigned(z), 0, o);
}
void msl_image_gather(const msl_image* i, unsigned bits, float x, float y, float z, int dx, int dy, unsigned component,
                      unsigned* o) {  // the four texels of the linear footprint, against the clock from (0, 1)
  if (!(bits & 8)) x *= i->w, y *= i->h;
  const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (int k = 0; k < 4; k++) {
    unsigned texel[4];
    msl_image_read(i, bits >> 16 & 1, inside(x - 0.5f, dx + corners[k][0], i->w), inside(y - 0.5f, dy + corners[k][1], i->h),
                   unsigned(z), 0, texel);
    o[k] = texel[component];
  }
}
void msl_refuse_comparison() { die("the comparison of a sampler from outside is not simulated"); }
unsigned msl_image_atomic(msl_image* i, unsigned op, unsigned x, unsigned y, unsigned z, unsigned v, unsigned expected) {
  unsigned *t = texel(i, x, y, z), d = 0;
  if (!t) t = &d;
  unsigned o = *t;
  switch (op) {
    case 0: *t = o + v; break;
    case 1: *t = std::min(o, v); break;
    case 2: *t = std::max(o, v); break;
    case 3: *t = o & v; break;
    case 4: *t = o | v; break;
    case 5: *t = o ^ v; break;
    case 6: *t = v; break;
    case 7:
      if (o == expected) *t = v;
      break;  // 8: load
    case 9: *t = unsigned(std::min(int(o), int(v))); break;
    case 10: *t = unsigned(std::max(int(o), int(v))); break;
  }
  return o;
}
}
static decltype(&msl_call) kernel;
static void entry() {
  kernel(args, cur->id);
  cur->st = done;
  swapcontext(&cur->c, &sched);
}
static bool release(Fiber* group, size_t lanes) {
  const Fiber* first = nullptr;
  for (size_t k = 0; k < lanes; k++)
    if (group[k].st == at_simd && (!first || group[k].site < first->site)) first = &group[k];
  if (!first) return false;
  const std::vector<size_t> site = first->site;
  unsigned long all[32] = {}, mask = 0;
  for (size_t k = 0; k < lanes; k++)
    if (group[k].st == at_simd && group[k].site == site) all[k] = group[k].put, mask |= 1ul << k;
  for (size_t k = 0; k < lanes; k++)
    if (mask >> k & 1) {
      memcpy(group[k].all, all, sizeof all);
      group[k].mask = mask;
      group[k].st = ready;
    }
  return true;
}
static void run_group(std::vector<size_t>& order) {
  for (auto& t : tgs) memset(t.p, 0xA5, t.n);
  unfenced.clear();
  for (auto& f : fs) {
    getcontext(&f.c);
    f.c.uc_stack.ss_sp = f.stack;
    f.c.uc_stack.ss_size = STACK;
    f.c.uc_stack.ss_flags = 0;
    f.c.uc_link = nullptr;
    makecontext(&f.c, entry, 0);
    f.st = ready;
    f.loops.clear();
  }
  for (;;) {
    bool ran = false;
    for (size_t k : order)
      if (fs[k].st == ready) {
        cur = &fs[k];
        swapcontext(&sched, &cur->c);
        ran = true;
      }
    if (ran) continue;
    // no thread can go on: in each SIMD group those that wait earliest in the program meet, else all pass the barrier
    size_t live = 0, bar = 0;
    bool rel = false;
    for (auto& f : fs) live += f.st != done, bar += f.st == at_barrier;
    if (!live) return;
    for (size_t g = 0; g < fs.size(); g += 32) rel |= release(&fs[g], std::min<size_t>(fs.size() - g, 32));
    if (rel) continue;
    if (bar != fs.size()) die("threadgroup_barrier reached by some threads of the group only");
    for (auto& f : fs) f.st = ready;
  }
}
static void triple(const char* s, unsigned* o) {
  o[0] = o[1] = o[2] = 1;
  sscanf(s, "%u,%u,%u", o, o + 1, o + 2);
}
/// Room that ends (but for 15 bytes) where no memory is, so that a program that runs over it is told.
static char* guarded(size_t n) {
  const size_t page = 4096, rounded = (n + 15) / 16 * 16, whole = (rounded + page - 1) / page * page;
  char* p = (char*)mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + whole, page, PROT_NONE)) die("no memory for a buffer");
  return p + whole - rounded;
}
static void outside(int) {
  static const char text[] = "mslrt: access outside of a buffer\n";
  (void)!write(2, text, sizeof text - 1);
  _exit(3);
}
static void watch() {
  static char stack[64 << 10];
  stack_t own = {stack, 0, sizeof stack};
  sigaltstack(&own, nullptr);
  struct sigaction act = {};
  act.sa_handler = outside;
  act.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &act, nullptr);
  sigaction(SIGBUS, &act, nullptr);
}
int main(int c, char** v) {
  watch();
  unsigned G[3] = {1, 1, 1}, S[3] = {1, 1, 1};
  std::string ord = "forward";
  struct Out {
    std::string f;
    void* p;
    size_t n;
  };
  std::vector<Out> outs;
  auto load = [&](const char* f) {
    FILE* h = fopen(f, "rb");
    if (!h) die(f);
    fseek(h, 0, SEEK_END);
    size_t n = ftell(h);
    rewind(h);
    char* p = guarded(n);
    if (fread(p, 1, n, h) != n) die(f);
    fclose(h);
    outs.push_back({f, p, n});
    return (void*)p;
  };
  if (c < 2) die("usage: mslrt KERNEL.so ...");
  void* library = dlopen(v[1], RTLD_NOW);
  if (!library) die(dlerror());
  kernel = reinterpret_cast<decltype(kernel)>(dlsym(library, "msl_call"));
  if (!kernel) die("no msl_call in the library");
  for (int i = 2; i < c; i++) {
    const char* e = strchr(v[i], '=');
    if (!e) die(v[i]);
    std::string k(v[i], e - v[i]);
    e++;
    unsigned n, w, h, c4;
    int at = 0;
    if (k == "groups")
      triple(e, G);
    else if (k == "size")
      triple(e, S);
    else if (k == "order")
      ord = e;
    else if (k == "spurious")
      spurious_every = atoi(e);
    else if (k == "buf" && sscanf(e, "%u:%n", &n, &at) == 1 && n < 31)
      args.buffer[n] = load(e + at);
    else if (k == "tex" && sscanf(e, "%u:%ux%ux%u:%n", &n, &w, &h, &c4, &at) == 4 && n < 128 && c4 <= 4) {
      args.texture[n] = new msl_image{w, h, 1, 1, 1, 1, load(e + at), c4};
      if (outs.back().n < 16ul * w * h) die("texture file too short");
    } else
      die(v[i]);
  }
  size_t N = size_t(S[0]) * S[1] * S[2];
  fs.resize(N);
  std::vector<size_t> order(N);
  for (size_t i = 0; i < N; i++) {
    order[i] = i;
    fs[i].stack = (char*)mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  std::mt19937 rng(atoi(ord.c_str()));
  for (unsigned gz = 0; gz < G[2]; gz++)
    for (unsigned gy = 0; gy < G[1]; gy++)
      for (unsigned gx = 0; gx < G[0]; gx++) {
        unsigned g[3] = {gx, gy, gz};
        for (size_t k = 0; k < N; k++) {
          auto& t = fs[k].id;
          unsigned l[3] = {unsigned(k % S[0]), unsigned(k / S[0] % S[1]), unsigned(k / S[0] / S[1])};
          for (int a = 0; a < 3; a++) {
            t.thread_position_in_threadgroup[a] = l[a];
            t.threadgroup_position_in_grid[a] = g[a];
            t.threads_per_threadgroup[a] = S[a];
            t.threadgroups_per_grid[a] = G[a];
            t.threads_per_grid[a] = G[a] * S[a];
            t.thread_position_in_grid[a] = g[a] * S[a] + l[a];
          }
          t.thread_index_in_threadgroup = k;
          t.thread_index_in_simdgroup = k % 32;
          t.simdgroup_index_in_threadgroup = k / 32;
          t.threads_per_simdgroup = t.thread_execution_width = 32;
          t.simdgroups_per_threadgroup = (N + 31) / 32;
        }
        if (ord == "reverse") {
          for (size_t i = 0; i < N; i++) order[i] = N - 1 - i;
        } else if (ord != "forward")
          std::shuffle(order.begin(), order.end(), rng);
        run_group(order);
      }
  for (auto& o : outs) {
    FILE* h = fopen((o.f + ".out").c_str(), "wb");
    if (!h || fwrite(o.p, 1, o.n, h) != o.n) die("cannot write");
    fclose(h);
  }
}
