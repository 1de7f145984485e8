// A process that writes to an embedded store until it is killed, and says on its standard output what was acknowledged: run by
// the tests, as `node embedded-child.ts DIRECTORY ROUND`.
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ABSENT, type Kv, type Revision, putKey, removeKey } from '../../src/kv/kv.ts'
import { isDelete, keyOf, valueOf, WRITERS } from './embedded-script.ts'

const [dataDir = '', round = ''] = process.argv.slice(2)
const forever = new AbortController().signal

/** Written at once, so that no acknowledgement is lost with the process. */
function say(...words: (string | number)[]): void {
  process.stdout.write(`${words.join(' ')}\n`)
}

/** Goes through the script of one key: each step is acknowledged before the next one begins. */
async function followScript(kv: Kv, key: string): Promise<void> {
  let revision: Revision = ABSENT
  for (let step = 0; ; step++) {
    const result = isDelete(step)
      ? await removeKey(kv, { key, expected: revision }, forever)
      : await putKey(kv, { key, value: valueOf(key, step), expected: revision }, forever)
    if (!result.ok) throw new Error(`${key} lost at step ${step}`)
    say('done', key, step, result.revision)
    revision = isDelete(step) ? ABSENT : result.revision
  }
}

/** Raises a counter that all raise. */
async function count(kv: Kv): Promise<void> {
  const key = '/counter'
  for (;;) {
    const { item } = await kv.get(key, {}, forever)
    const value = Buffer.from(String(Number(item?.value ?? 0) + 1))
    const result = await putKey(kv, { key, value, expected: item?.revision ?? ABSENT }, forever)
    if (result.ok) say('counted', value.toString())
  }
}

async function compactNowAndThen(kv: Kv): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 25))
    const upTo = (await kv.newestRevision(forever)) - 300
    if (upTo > 1) await kv.compact(upTo, forever)
  }
}

const kv = await openEmbedded({ dataDir }, forever)
say('ready', process.pid)
await Promise.all([
  ...Array.from({ length: WRITERS }, (_, writer) => followScript(kv, keyOf(round, writer))),
  count(kv),
  count(kv),
  count(kv),
  compactNowAndThen(kv),
])
