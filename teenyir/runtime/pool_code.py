"""The native half of the pool of threads, as LLVM IR (see `threads`).

    void teenyir_parallel_for(task, context, first, count, most, grain)

calls `task(context, begin, end, thread)` until every iteration from `first` on has been in one of
the calls. Each thread owns a section of the iterations, which it takes in pieces, and then helps
with the sections of others; so a thread that wakes late, or that the machine takes away, holds
nobody up. No thread is woken for fewer than `grain` iterations.

- A job is open while threads may still join it: `@tickets` holds how many may (its low half) and
  the number of the job (its high half, so that a late joiner cannot take the next job for this
  one). The caller closes the job when no piece is left, and waits for those alone who have joined.
- Who waits for work spins a little, as programs launch kernel after kernel, then sleeps. Who opens
  a job or ends its part looks whether somebody sleeps *after* it has changed what the sleeper looks
  at, and a sleeper looks again after it has said that it sleeps, all in sequential consistency: no
  wake-up is lost.
- There is one job at a time. A call that finds the pool busy, from another thread of the process or
  from a task, runs all its iterations itself.
- Threads are started when they are first needed, with all signals blocked: signals are for Python's
  threads. One that cannot be started does not join, which is no error. They run wherever the
  process may, as its first thread tells on Linux: the one that starts them may be bound to a core.
"""

from __future__ import annotations

from teenyir.lowering.uop_to_llvm.threads import PARALLEL_FOR
from teenyir.targets.cpu import MOST_THREADS

RESET = "teenyir_pool_reset"
"""`void (int32 threads)`: a pool of that many threads, the caller's included, none started yet.

For the first use, and for the child of a fork, where the threads of before are not.
"""

RESIZE = "teenyir_pool_resize"
"""`int32 (int32 threads)`: from the next job on so many threads; how many it was."""

STARTED = "teenyir_pool_started"
"""`int32 ()`: the threads that were started since the last reset."""

SYMBOLS = (PARALLEL_FOR, RESET, RESIZE, STARTED)

PIECES = 8
"""Pieces of a section that its owner would take it in, if nobody helped."""

SPINS = 2000
"""Pauses before a thread sleeps that waits: some 50 microseconds."""

_PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "i686": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
    "arm64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}
"""What tells a CPU that a thread spins, by its architecture."""


_UNBIND = """
  %mask = alloca [128 x i8], align 16
  %process = call i32 @getpid()
  %known = call i32 @sched_getaffinity(i32 %process, i64 128, ptr %mask)
  %told = icmp eq i32 %known, 0
  br i1 %told, label %unbind, label %rest
unbind:
  %set = call i32 @sched_setaffinity(i32 0, i64 128, ptr %mask)
"""
"""Has a thread run on all cores that the process may: of up to 1024, what the mask has room for."""

_AFFINITY = """
declare i32 @getpid()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @sched_setaffinity(i32, i64, ptr)
"""


def pool_code(triple: str, spins: int = SPINS) -> str:
    """The LLVM IR of the pool for an architecture; `spins` pauses before a thread sleeps."""
    declaration, pause = _PAUSES.get(triple.split("-")[0], ("", "fence seq_cst"))
    set_mask = 3 if "darwin" in triple or "macos" in triple else 2
    is_linux = "linux" in triple
    text = _TEXT
    for name, value in {
        "MOST": MOST_THREADS,
        "PIECES": PIECES,
        "SPINS": spins,
        "SETMASK": set_mask,
        "PAUSE": pause,
        "UNBIND": _UNBIND if is_linux else "",
    }.items():
        text = text.replace(f"${name}", str(value))
    return declaration + (_AFFINITY if is_linux else "") + text


_TEXT = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)

; each on cache lines of its own
@tickets = internal global [16 x i64] zeroinitializer, align 128
@finished = internal global [32 x i32] zeroinitializer, align 128
@sections = internal global [$MOST x [16 x i64]] zeroinitializer, align 128
@busy = internal global [32 x i32] zeroinitializer, align 128

; the job; written by its caller alone, while it is closed
@task = internal global ptr null, align 128
@context = internal global ptr null
@first = internal global i64 0
@count = internal global i64 0
@piece = internal global i64 0
@wanted = internal global i64 0

@size = internal global i32 1
@started = internal global i32 0
@asleep = internal global i32 0
@waiting = internal global i32 0
@mutex = internal global [128 x i8] zeroinitializer, align 64
@work = internal global [128 x i8] zeroinitializer, align 64
@done = internal global [128 x i8] zeroinitializer, align 64

define void @teenyir_pool_reset(i32 %threads) {
  store i32 %threads, ptr @size
  store i32 0, ptr @started
  store i32 0, ptr @asleep
  store i32 0, ptr @waiting
  store i32 0, ptr @busy
  store i32 0, ptr @finished
  store i64 0, ptr @tickets
  %1 = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %2 = call i32 @pthread_cond_init(ptr @work, ptr null)
  %3 = call i32 @pthread_cond_init(ptr @done, ptr null)
  ret void
}

define i32 @teenyir_pool_resize(i32 %threads) {
  %before = atomicrmw xchg ptr @size, i32 %threads seq_cst
  ret i32 %before
}

define i32 @teenyir_pool_started() {
  %threads = load atomic i32, ptr @started seq_cst, align 4
  ret i32 %threads
}

define void @teenyir_parallel_for(
    ptr %task, ptr %context, i64 %first, i64 %count, i64 %most, i64 %grain) {
  %size32 = load atomic i32, ptr @size monotonic, align 4
  %size = zext i32 %size32 to i64
  %some = call i64 @llvm.smax.i64(i64 %grain, i64 1)
  %shares = sdiv i64 %count, %some
  %fewer = call i64 @llvm.smin.i64(i64 %size, i64 %most)
  %threads = call i64 @llvm.smin.i64(i64 %fewer, i64 %shares)
  %alone = icmp slt i64 %threads, 2
  br i1 %alone, label %self, label %try
try:
  %taken = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue { i32, i1 } %taken, 1
  br i1 %free, label %open, label %self
self:
  %end = add i64 %first, %count
  call void %task(ptr %context, i64 %first, i64 %end, i64 0)
  ret void
open:
  store ptr %task, ptr @task
  store ptr %context, ptr @context
  store i64 %first, ptr @first
  store i64 %count, ptr @count
  store i64 %threads, ptr @wanted
  %pieces = mul i64 %threads, $PIECES
  %even = sdiv i64 %count, %pieces
  %piece = call i64 @llvm.smax.i64(i64 %even, i64 1)
  store i64 %piece, ptr @piece
  br label %divide
divide:
  %section = phi i64 [ 0, %open ], [ %section.next, %divide ]
  %begin = call i64 @section_begin(i64 %section)
  %next = getelementptr [16 x i64], ptr @sections, i64 %section
  store atomic i64 %begin, ptr %next monotonic, align 8
  %section.next = add i64 %section, 1
  %divided = icmp eq i64 %section.next, %threads
  br i1 %divided, label %publish, label %divide
publish:
  %helpers = sub i64 %threads, 1
  %helpers32 = trunc i64 %helpers to i32
  call void @start(i32 %helpers32)
  store atomic i32 0, ptr @finished monotonic, align 4
  %old = load atomic i64, ptr @tickets monotonic, align 8
  %number = and i64 %old, -4294967296
  %number.next = add i64 %number, 4294967296
  %job = or i64 %number.next, %helpers
  store atomic i64 %job, ptr @tickets seq_cst, align 8
  %sleepers = load atomic i32, ptr @asleep seq_cst, align 4
  %any = icmp sgt i32 %sleepers, 0
  br i1 %any, label %wake, label %run
wake:
  %w1 = call i32 @pthread_mutex_lock(ptr @mutex)
  %w2 = call i32 @pthread_cond_broadcast(ptr @work)
  %w3 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %run
run:
  call void @take_part(i64 0)
  %closed = atomicrmw and ptr @tickets, i64 -4294967296 seq_cst
  %left = trunc i64 %closed to i32
  %joined = sub i32 %helpers32, %left
  br label %spin
spin:
  %spun = phi i32 [ 0, %run ], [ %spun.next, %pause ]
  %ended = load atomic i32, ptr @finished seq_cst, align 4
  %all = icmp eq i32 %ended, %joined
  br i1 %all, label %over, label %more
more:
  %tired = icmp eq i32 %spun, $SPINS
  br i1 %tired, label %sleep, label %pause
pause:
  $PAUSE
  %spun.next = add i32 %spun, 1
  br label %spin
sleep:
  %s1 = call i32 @pthread_mutex_lock(ptr @mutex)
  store atomic i32 1, ptr @waiting seq_cst, align 4
  br label %look
look:
  %ended.now = load atomic i32, ptr @finished seq_cst, align 4
  %all.now = icmp eq i32 %ended.now, %joined
  br i1 %all.now, label %woken, label %wait
wait:
  %s2 = call i32 @pthread_cond_wait(ptr @done, ptr @mutex)
  br label %look
woken:
  store atomic i32 0, ptr @waiting seq_cst, align 4
  %s3 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %over
over:
  store atomic i32 0, ptr @busy release, align 4
  ret void
}

; where a section starts; the one behind the last starts at the end
define internal i64 @section_begin(i64 %section) alwaysinline {
  %first = load i64, ptr @first
  %count = load i64, ptr @count
  %wanted = load i64, ptr @wanted
  ; (count * section / wanted, which does not overflow in this order)
  %share = sdiv i64 %count, %wanted
  %rest = srem i64 %count, %wanted
  %whole = mul i64 %share, %section
  %parts = mul i64 %rest, %section
  %part = sdiv i64 %parts, %wanted
  %far = add i64 %whole, %part
  %begin = add i64 %first, %far
  ret i64 %begin
}

; take pieces of the thread's own section, then of the others', until there are none
define internal void @take_part(i64 %thread) {
  %task = load ptr, ptr @task
  %context = load ptr, ptr @context
  %piece = load i64, ptr @piece
  %wanted = load i64, ptr @wanted
  br label %section
section:
  %visited = phi i64 [ 0, %0 ], [ %visited.next, %empty ]
  %number = add i64 %thread, %visited
  %own = urem i64 %number, %wanted
  %behind = add i64 %own, 1
  %end = call i64 @section_begin(i64 %behind)
  %next = getelementptr [16 x i64], ptr @sections, i64 %own
  br label %take
take:
  %begin = atomicrmw add ptr %next, i64 %piece monotonic
  %there = icmp slt i64 %begin, %end
  br i1 %there, label %run, label %empty
run:
  %far = add i64 %begin, %piece
  %until = call i64 @llvm.smin.i64(i64 %far, i64 %end)
  call void %task(ptr %context, i64 %begin, i64 %until, i64 %thread)
  br label %take
empty:
  %visited.next = add i64 %visited, 1
  %all = icmp eq i64 %visited.next, %wanted
  br i1 %all, label %over, label %section
over:
  ret void
}

; have so many threads beside the caller's
define internal void @start(i32 %helpers) {
  %there = load i32, ptr @started
  %enough = icmp sge i32 %there, %helpers
  br i1 %enough, label %over, label %block
block:
  %every = alloca [128 x i8], align 16
  %before = alloca [128 x i8], align 16
  %thread = alloca [16 x i8], align 16
  %1 = call i32 @sigfillset(ptr %every)
  %2 = call i32 @pthread_sigmask(i32 $SETMASK, ptr %every, ptr %before)
  br label %create
create:
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr null)
  %started = icmp eq i32 %failed, 0
  br i1 %started, label %count, label %unblock
count:
  %id = load ptr, ptr %thread
  %3 = call i32 @pthread_detach(ptr %id)
  %now = atomicrmw add ptr @started, i32 1 seq_cst
  %total = add i32 %now, 1
  %all = icmp sge i32 %total, %helpers
  br i1 %all, label %unblock, label %create
unblock:
  %4 = call i32 @pthread_sigmask(i32 $SETMASK, ptr %before, ptr null)
  br label %over
over:
  ret void
}

define internal ptr @worker(ptr %unused) {
  $UNBIND
  br label %rest
rest:
  br label %spin
spin:
  %spun = phi i32 [ 0, %rest ], [ %spun.next, %pause ]
  %job = load atomic i64, ptr @tickets acquire, align 8
  %room = trunc i64 %job to i32
  %open = icmp ne i32 %room, 0
  br i1 %open, label %join, label %idle
idle:
  %tired = icmp eq i32 %spun, $SPINS
  br i1 %tired, label %sleep, label %pause
pause:
  $PAUSE
  %spun.next = add i32 %spun, 1
  br label %spin
sleep:
  %s1 = call i32 @pthread_mutex_lock(ptr @mutex)
  %s2 = atomicrmw add ptr @asleep, i32 1 seq_cst
  br label %look
look:
  %job.now = load atomic i64, ptr @tickets seq_cst, align 8
  %room.now = trunc i64 %job.now to i32
  %open.now = icmp ne i32 %room.now, 0
  br i1 %open.now, label %woken, label %wait
wait:
  %s3 = call i32 @pthread_cond_wait(ptr @work, ptr @mutex)
  br label %look
woken:
  %s4 = atomicrmw sub ptr @asleep, i32 1 seq_cst
  %s5 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %rest
join:
  %one.less = sub i64 %job, 1
  %swap = cmpxchg ptr @tickets, i64 %job, i64 %one.less acq_rel monotonic
  %joined = extractvalue { i64, i1 } %swap, 1
  br i1 %joined, label %run, label %rest
run:
  %thread = zext i32 %room to i64
  call void @take_part(i64 %thread)
  %f1 = atomicrmw add ptr @finished, i32 1 seq_cst
  %waits = load atomic i32, ptr @waiting seq_cst, align 4
  %is.waiting = icmp ne i32 %waits, 0
  br i1 %is.waiting, label %tell, label %rest
tell:
  %t1 = call i32 @pthread_mutex_lock(ptr @mutex)
  %t2 = call i32 @pthread_cond_signal(ptr @done)
  %t3 = call i32 @pthread_mutex_unlock(ptr @mutex)
  br label %rest
}

declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""
