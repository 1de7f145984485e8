// Bugs to plant in the sources as they are loaded, one at a time, to see that the simulator finds each: `PLANT=name make simulate`.
// Those of etcd are of the simulated members and of `kv/serve`, which stands for etcd here.

export interface Patch {
  /** From the top of the repository. */
  readonly file: string
  readonly find: string
  readonly put: string
}

export interface Plant {
  readonly name: string
  /** The real bug that it is like, or the part that it breaks. */
  readonly like: string
  readonly patches: readonly Patch[]
}

function plant(name: string, like: string, file: string, find: string, put: string): Plant {
  return { name, like, patches: [{ file, find, put }] }
}

const MEMBER = 'test/simulation/etcd-member.ts'
const WATCH_SERVICE = 'src/kv/serve/watch-service.ts'
const ASSEMBLER = 'src/kv/etcd/revisions.ts'
const WRITES = 'src/kv/etcd/writes.ts'
const VERDICT = 'src/kv/etcd/verdict.ts'
const FOLLOWER = 'src/cache/follower.ts'
const WATCHER = 'src/cache/watcher.ts'
const ELECTION = 'src/controllers/leader-election.ts'

export const PLANTS: readonly Plant[] = [
  plant(
    'member-reads-alone',
    'Jepsen on etcd 0.4: a member answers consistent reads without asking a majority',
    MEMBER,
    'this.#limited(this.#cluster.readIndex(this), signal)',
    'Promise.resolve(this.applied)',
  ),
  plant(
    'member-skips-entry',
    'etcd-io/etcd#13766: a member that crashes has lost what it had applied',
    MEMBER,
    'this.isUp = true\n',
    'this.isUp = true\n    if (this.applied > 0 && this.applied < this.#cluster.log.length) this.applied++\n',
  ),
  {
    name: 'future-watch-goes-back',
    like: 'etcd-io/etcd#20221: a watch of a future revision gets events from before it; our client drops these, and here it does not',
    patches: [
      {
        file: WATCH_SERVICE,
        find: 'revision : create.startRevision - 1',
        put: 'revision : Math.max(1, Math.min(create.startRevision - 1, revision - 3))',
      },
      { file: ASSEMBLER, find: 'if (wire.kv.revision <= this.#reached) continue', put: '' },
    ],
  },
  plant(
    'progress-before-events',
    'etcd-io/etcd#15220: progress is told before the events up to it were sent',
    WATCH_SERVICE,
    "if (revision === undefined || [...this.#asked.values()].includes('all')) return",
    'if (revision === undefined) return',
  ),
  plant(
    'watch-misses-first',
    'etcd-io/etcd#18089: a watch misses the event at the revision that it begins with',
    WATCH_SERVICE,
    'revision : create.startRevision - 1',
    'revision : create.startRevision',
  ),
  plant(
    'watch-survives-compaction',
    'etcd-io/etcd#20418: a watch goes on over a compaction as if nothing were missing',
    'src/kv/embedded/history-watch.ts',
    'if (this.#cursor + 1 < oldest) {',
    'if (this.#cursor + 1 < oldest) {\n        this.#cursor = oldest - 1\n      }\n      if (this.#cursor + 1 < oldest) {',
  ),
  plant(
    'compare-always-holds',
    'Jepsen on etcd 3.4: transactions that should have failed are carried out',
    'src/kv/serve/txn.ts',
    'return orderOf(BigInt(item.revision), number)',
    'return 0',
  ),
  plant(
    'past-off-by-one',
    'memory store: a read of the past sees a revision less',
    'src/kv/embedded/memory-history.ts',
    'const from = firstFrom(entries, revision + 1)',
    'const from = firstFrom(entries, revision)',
  ),
  plant(
    'history-piece-skipped',
    'memory store: a watcher that is behind goes on at the newest revision',
    'src/kv/embedded/history-watch.ts',
    'this.#cursor = batch.revision',
    'this.#cursor = newest',
  ),
  plant(
    'revision-split',
    'two changes of one revision come as two',
    'src/kv/embedded/memory-transaction.ts',
    'return this.entries.length === 0 ? this.before : this.before + 1',
    'return this.before + this.entries.length',
  ),
  plant(
    'lost-answer-is-loss',
    'etcd client: an update whose answer was lost is told as lost, without looking',
    WRITES,
    'if (ours !== undefined) return { ok: true, revision: ours }',
    '',
  ),
  plant(
    'lost-create-repeated',
    'etcd client: a create whose answer was lost is sent again',
    'src/kv/etcd/creates.ts',
    "if (verdict.kind === 'again' && !verdict.certain) throw",
    'if (false) throw',
  ),
  plant(
    'broken-is-refused',
    'etcd client: a broken connection is taken for a refusal',
    VERDICT,
    '14: IN_DOUBT, // UNAVAILABLE',
    '14: REFUSED, // UNAVAILABLE',
  ),
  plant(
    'resume-from-header',
    "etcd3's: a broken watch goes on from the newest revision that was seen anywhere",
    'src/kv/etcd/watch.ts',
    'startRevision: this.#after + 1,',
    'startRevision: Math.max(this.#after, this.#cluster.newestSeen) + 1,',
  ),
  plant(
    'delete-of-doubt-is-ours',
    'etcd client: a delete in doubt is told as done',
    'src/kv/etcd/outcome.ts',
    "throw new UnknownOutcome('the key was deleted, by us or by another client')",
    'return event.revision',
  ),
  plant(
    'barrier-lets-all-pass',
    'kubernetes/kubernetes#59848: a consistent read is answered from a cache that is behind',
    'src/cache/barrier.ts',
    'return this.#progress.reach(revision, { timeoutMs: PATIENCE_MS, onlyIfAskable: true })',
    'return revision > 0',
  ),
  plant(
    'barrier-joins-older-read',
    'cache: a consistent read shares an answer that was asked for before it began',
    'src/cache/barrier.ts',
    '    this.#next ??= this.#askNext()\n    return this.#next',
    '    return this.#running === undefined ? (this.#next ??= this.#askNext()) : Promise.resolve(true)',
  ),
  plant(
    'cache-resumes-late',
    'cache: after an error the stream goes on one revision too late',
    FOLLOWER,
    'after: loaded.revision, withPrevious: false',
    'after: loaded.revision + 1, withPrevious: false',
  ),
  plant(
    'cache-drops-large-batches',
    'kubernetes/kubernetes#123072: events are dropped while the cache catches up',
    FOLLOWER,
    'loaded.contents.apply(batch)',
    'if (batch.events.length < 12) loaded.contents.apply(batch)',
  ),
  plant(
    'watcher-behind-gets-live',
    'watch cache: a watcher that still catches up is told of what happens now',
    WATCHER,
    'if (this.#isBehind || this.#isEnded || record.revision <= this.#cursor) return',
    'if (this.#isEnded) return',
  ),
  plant(
    'watcher-starts-late',
    'watch cache: a watch from a revision misses the first event after it',
    WATCHER,
    'history.after(this.#cursor, matcher',
    'history.after(this.#cursor + 1, matcher',
  ),
  plant(
    'watch-from-forgotten-past',
    'watch cache: a watch from before its history begins silently with a gap',
    WATCHER,
    'if (this.#cursor < history.floor) {',
    'if (this.#cursor < 0) {',
  ),
  plant(
    'bookmark-too-new',
    'kubernetes/kubernetes#104282: a bookmark is ahead of the events',
    WATCHER,
    "this.#hand({ type: 'BOOKMARK', revision, initialEventsEnd: false })",
    "this.#hand({ type: 'BOOKMARK', revision: revision + 3, initialEventsEnd: false })",
  ),
  plant(
    'initial-end-too-new',
    'watch list: the initial events end at a revision that they do not show',
    'src/store/change.ts',
    "yield [{ type: 'BOOKMARK', revision, initialEventsEnd: true }]",
    "yield [{ type: 'BOOKMARK', revision: revision + 1, initialEventsEnd: true }]",
  ),
  plant(
    'leaving-scope-untold',
    'watch cache: an object that no longer fits the selector is not told as deleted',
    'src/store/change.ts',
    'return wasIn ? (this.#deleted',
    'return wasIn && current === undefined ? (this.#deleted',
  ),
  plant(
    'deleted-with-old-version',
    'kubernetes/kubernetes#58545: DELETED bears the version from before the delete',
    'src/store/change.ts',
    "event('DELETED', atRevision(previous, this.revision), at)",
    "event('DELETED', previous, at)",
  ),
  plant(
    'exact-list-is-newest',
    'cache: a list at an exact revision has the newest state',
    'src/cache/snapshots.ts',
    'if (revision >= this.#revision) return this.newest\n',
    'if (revision > 0) return this.newest\n',
  ),
  plant(
    'not-older-is-any',
    'cache: a list that is not to be older than a revision does not wait for it',
    'src/cache/read-plan.ts',
    "return at.revision > state.revision ? { kind: 'wait', revision: at.revision } : { kind: 'current' }",
    "return { kind: 'current' }",
  ),
  plant(
    'decided-on-stale',
    'store: a refusal that was decided on a cached object is not checked',
    'src/store/write-loop.ts',
    'let isCertain = request.assumed === undefined',
    'let isCertain = true',
  ),
  plant(
    'write-over-winner',
    'store: who loses a race writes what was decided before',
    'src/store/write-loop.ts',
    "if (result?.kind === 'lost') {\n      current = result.current\n",
    "if (result?.kind === 'lost') {\n      const won = result.current\n      if (won !== undefined && decision.kind === 'outcome' && decision.outcome.kind === 'put') {\n        const again = await attempt.carryOut(decision.outcome, won, signal)\n        if (again.kind !== 'lost') return again\n      }\n      current = won\n",
  ),
  plant(
    'dependents-forgotten',
    'garbage collector: the dependents of what is gone are not looked at',
    'src/controllers/garbage-collector.ts',
    'for (const dependent of dependents) this.#queue.add(dependent.uid)',
    '',
  ),
  plant(
    'foreground-never-ends',
    'garbage collector: an owner is not looked at when its last dependent is gone',
    'src/controllers/garbage-collector.ts',
    '    this.#enqueueOwners(node)\n  }',
    '  }',
  ),
  plant(
    'quota-by-memory',
    'quota: usage is checked in memory and never stored',
    'src/plugins/resource-quota.ts',
    'const uncounted = await ledger.update(quota, change, signal)',
    "change(quota)\n      const uncounted = { key: 'none', notAfter: 0, whenLost: '' }",
  ),
  plant(
    'quota-counted-on-the-way',
    'quota: an object is stored although its charge was counted away',
    'src/store/kv-objects.ts',
    'return { key: `${objects.prefix}/${key}`, notAfter }',
    'return { key: `${objects.prefix}/${key}`, notAfter: notAfter + 1_000_000 }',
  ),
  plant(
    'lease-taken-early',
    'leader election: another candidate takes a lease that still holds',
    ELECTION,
    'return clock.now() - this.#seen.atMs > seconds * 1000',
    'return clock.now() - this.#seen.atMs > seconds * 100',
  ),
  plant(
    'lease-by-wall-clock',
    "leader election: whether a lease has ended is judged by its holder's clock",
    ELECTION,
    'return clock.now() - this.#seen.atMs > seconds * 1000',
    "return clock.timeOfDay() - Date.parse(String(own(spec, 'renewTime'))) > seconds * 1000",
  ),
  plant(
    'lease-over-lease',
    'leader election: a candidate takes the lease although it was renewed meanwhile',
    ELECTION,
    "if (metaText(live, 'resourceVersion') !== metaText(target, 'resourceVersion')) throw new LostError()",
    '',
  ),
]

/** The source with the bug in it; undefined where it is another file. */
export function plantedSource(name: string, url: string, read: () => string): string | undefined {
  const planted = PLANTS.find((one) => one.name === name)
  if (planted === undefined) throw new Error(`there is no planted bug ${name}`)
  const patches = planted.patches.filter(({ file }) => url.endsWith(`/${file}`))
  if (patches.length === 0) return undefined
  return patches.reduce((source, { file, find, put }) => {
    if (source.split(find).length !== 2) throw new Error(`${name}: ${file} has changed`)
    return source.replace(find, () => put)
  }, read())
}
