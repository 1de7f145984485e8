// A process that fills an embedded store until there is no room, looks at what is there, deletes what it can, and says what
// must be there. Run by the tests under a limit on the size of files, as `node embedded-filler.ts DIRECTORY`.
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ABSENT, type KvError, prefixRange, type Revision, putKey, removeKey } from '../../src/kv/kv.ts'

export interface FillerReport {
  /** By key, the revision that it was acknowledged at. */
  readonly kept: Readonly<Record<string, Revision>>
  readonly deleted: number
  /** The codes that writes were refused with. */
  readonly refusals: readonly string[]
}

const forever = new AbortController().signal
const WRITERS = 8

const kv = await openEmbedded({ dataDir: process.argv[2] ?? '' }, forever).catch((error: KvError) => {
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exit(1)
})

const kept = new Map<string, Revision>()
const refusals = new Set<string>()

/** Puts until it is refused. */
async function fill(prefix: string): Promise<void> {
  for (let i = 0; ; i++) {
    const key = `${prefix}/${i}`
    try {
      const value = Buffer.alloc(200 + ((i * 7919) % 30_000), key)
      kept.set(key, (await putKey(kv, { key, value, expected: ABSENT }, forever)).revision)
    } catch (error) {
      refusals.add((error as KvError).code)
      return
    }
  }
}

async function checkAll(): Promise<void> {
  const { items } = await kv.list(prefixRange('/'), forever)
  const wrong = items.find((item) => kept.get(item.key) !== item.revision)
  if (items.length !== kept.size || wrong !== undefined) throw new Error(`not what was acknowledged: ${wrong?.key}`)
}

/** A delete may find no room either, and then has not happened. */
async function deleteEverySecond(): Promise<number> {
  const chosen = [...kept].filter((_, index) => index % 2 === 0)
  const outcomes = await Promise.allSettled(chosen.map(([key, expected]) => removeKey(kv, { key, expected }, forever)))
  let deleted = 0
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') refusals.add((outcome.reason as KvError).code)
    else if (outcome.value.ok && kept.delete(chosen[index]![0])) deleted++
  }
  return deleted
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => fill(`/${writer}`)))
await checkAll()
const deleted = await deleteEverySecond()
await checkAll()
await kv.close()
const report: FillerReport = { kept: Object.fromEntries(kept), deleted, refusals: [...refusals] }
process.stdout.write(JSON.stringify(report))
