// A disk without room refuses writes, loses nothing, and takes writes again when there is room. A limit on the size of files
// stands in for the disk: the system refuses in the middle of a commit, and no rights are needed to set it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openEmbedded } from '../../src/kv/embedded/embedded.ts'
import { ABSENT, prefixRange, putKey } from '../../src/kv/kv.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import type { FillerReport } from './embedded-filler.ts'

const never = new AbortController().signal

/** Runs the filler with files limited to so many kilobytes. */
async function runFiller(dataDir: string, limitKb: number): Promise<{ code: number; out: string; err: string }> {
  const filler = join(import.meta.dirname, 'embedded-filler.ts')
  // Ignored, the signal for a file that is too large becomes an error of the write.
  const script = `trap '' XFSZ; ulimit -f ${limitKb}; exec "$@"`
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, filler, dataDir])
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: code as number, out, err }
}

it('a store that runs out of room keeps what it acknowledged and goes on when there is room', async () => {
  const dataDir = await tempFolder()
  const { code, out, err } = await runFiller(dataDir, 8_000)
  expect(code, err).toBe(0)
  const report = JSON.parse(out) as FillerReport
  expect(report.refusals).toEqual(['full'])
  expect(Object.keys(report.kept).length + report.deleted).toBeGreaterThan(100)

  const kv = await openEmbedded({ dataDir }, never)
  const { items } = await kv.list(prefixRange('/'), never)
  expect(Object.fromEntries(items.map((item) => [item.key, item.revision]))).toEqual(report.kept)
  for (const { key, value } of items) expect(value.equals(Buffer.alloc(value.length, key))).toBe(true)
  const more = await putKey(kv, { key: '/more', value: Buffer.alloc(1_000_000), expected: ABSENT }, never)
  expect(more.ok).toBe(true)
  await kv.close()
})

it('where there is no room for a store at all, one line says so', async () => {
  const { code, err } = await runFiller(await tempFolder(), 100)
  expect(code).toBe(1)
  expect(err).toMatch(/^full: no space left for [^\n]+\n$/)
})
