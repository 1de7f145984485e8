// Writers that put, change and delete keys at random until they are told to stop.
import { randomBytes, randomInt } from 'node:crypto'
import { type Kv, putKey, removeKey } from '../../src/kv/kv.ts'

const WRITERS = 8

/** `stop` resolves when nothing is under way any more. */
export function startWriteLoad(kv: Kv, prefix: string): { stop(): Promise<void> } {
  const over = new AbortController()
  const { signal } = new AbortController()
  const write = async (writer: number): Promise<void> => {
    const revisions = new Map<string, number>()
    while (!over.signal.aborted) {
      const key = `${prefix}load/${writer}-${randomInt(200)}`
      const expected = revisions.get(key) ?? 0
      const isDelete = expected !== 0 && randomInt(4) === 0
      const { revision } = isDelete
        ? await removeKey(kv, { key, expected }, signal)
        : await putKey(kv, { key, value: randomBytes(randomInt(2000)), expected }, signal)
      revisions.set(key, isDelete ? 0 : revision)
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  return {
    async stop() {
      over.abort()
      await Promise.all(writers)
    },
  }
}
