// A backup is written and read as a stream: its length must not show in memory.
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { expect, it } from 'vitest'
import { BackupReader } from '../../src/kv/backup/backup-reader.ts'
import { writeBackup } from '../../src/kv/backup/backup-writer.ts'
import type { CopiedItem, StoreCopy } from '../../src/kv/copy.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const ITEMS = 50_000
const PAGE_ITEMS = 500
const VALUE_BYTES = 4000
const MB = 1024 * 1024

it('50,000 objects of 200 MB are written and read back with a fraction of that in memory', async () => {
  const file = path.join(await tempFolder(), 'backup')
  const out = createWriteStream(file)
  const before = process.memoryUsage().arrayBuffers
  let [most, handedOut, written] = [0, 0, 0]
  const measure = (): void => void (most = Math.max(most, process.memoryUsage().arrayBuffers - before))
  const text = randomBytes(VALUE_BYTES)
  const copy: StoreCopy = {
    revision: ITEMS,
    count: ITEMS,
    firstKey: async () => undefined,
    newestRevision: async () => ITEMS,
    close: async () => undefined,
    async *pages() {
      for (let at = 0; at < ITEMS; at += PAGE_ITEMS) {
        handedOut += PAGE_ITEMS * VALUE_BYTES
        yield Array.from({ length: PAGE_ITEMS }, (_, i): CopiedItem => {
          const key = `/registry/pods/${String(at + i).padStart(6, '0')}`
          return { key, value: Buffer.from(text), revision: at + i + 2, createRevision: at + i + 2 }
        })
      }
    },
  }
  const write = async (bytes: Buffer): Promise<void> => {
    measure()
    written += bytes.length
    if (!out.write(bytes)) await once(out, 'drain')
  }
  const order = { copy, prefix: '/registry/', time: new Date(0), version: '1.2.3', write }
  await writeBackup(order, new AbortController().signal)
  out.end()
  await once(out, 'close')
  expect(handedOut).toBe(ITEMS * VALUE_BYTES)
  expect(written).toBeLessThan(handedOut / 10)

  await using reader = await BackupReader.open(createReadStream(file), undefined)
  let items = 0
  for await (const page of reader.pages()) {
    items += page.length
    measure()
  }
  expect(items).toBe(ITEMS)
  expect(most).toBeLessThan(100 * MB)
})
