// The newest revision in a file: what is read is what was written last, or nothing.
import fs, { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openMemory } from '../../../../src/kv/embedded/memory.ts'
import { ABSENT, putKey } from '../../../../src/kv/kv.ts'
import { openLink } from '../../../../src/kv/link/link.ts'
import { serveLink } from '../../../../src/kv/link/link-server.ts'
import { revisionFileOf, RevisionReader, RevisionWriter } from '../../../../src/kv/link/revision-file.ts'

const never = new AbortController().signal

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-revision-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function open(file: string): { writer: RevisionWriter; reader: RevisionReader } {
  const writer = new RevisionWriter(file)
  const reader = new RevisionReader(file)
  onTestFinished(() => reader.close())
  return { writer, reader }
}

/** Has every write to a file fail in this thread, as on a full disk. */
function failWrites(): void {
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw new Error('ENOSPC: no space left on device')
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

describe('the file', () => {
  it('has nothing until a revision is published, and then the newest that was noted', () => {
    const file = path.join(newFolder(), 'revision')
    const { writer, reader } = open(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(reader.read()).toBeUndefined()
    writer.note(7)
    expect(reader.read()).toBeUndefined()
    writer.publish()
    expect(reader.read()).toBe(7)
    writer.note(2 ** 40)
    writer.note(8)
    writer.publish()
    expect(reader.read()).toBe(2 ** 40)
    writer.close()
    expect(existsSync(file)).toBe(false)
    writer.note(2 ** 41)
    writer.publish()
  })

  it('is nobody else’s', () => {
    const file = path.join(newFolder(), 'revision')
    writeFileSync(file, '')
    expect(() => new RevisionWriter(file)).toThrow('EEXIST')
  })

  it.each([
    ['half of it was written', Buffer.from([0, 0, 0, 0, 0, 0, 0x20, 0x40, 0, 0, 0, 0, 0, 0, 0x1c, 0x40])],
    ['it is short', Buffer.alloc(8, 1)],
    ['it is empty', Buffer.alloc(0)],
  ])('says nothing where %s', (_what, bytes) => {
    const file = path.join(newFolder(), 'revision')
    writeFileSync(file, bytes)
    const reader = new RevisionReader(file)
    onTestFinished(() => reader.close())
    expect(reader.read()).toBeUndefined()
  })
})

describe('a file that cannot be written any more', () => {
  it('costs the links that read it, and the next ones ask', async () => {
    const socket = path.join(newFolder(), 'store.sock')
    const onFault = vi.fn()
    const kv = openMemory()
    const served = await serveLink({ kv, path: socket, onFault })
    onTestFinished(async () => {
      await served.close()
      await kv.close()
    })
    const first = await openLink(socket, never)
    await first.newestRevision(never)
    failWrites()
    const write = { key: '/a', value: Buffer.from('x'), expected: ABSENT }
    await expect(putKey(first, write, never)).rejects.toMatchObject({ code: 'unknown' })
    expect(onFault).toHaveBeenCalledOnce()
    expect(existsSync(revisionFileOf(socket))).toBe(false)
    const next = await openLink(socket, never)
    const { revision } = await putKey(next, { ...write, key: '/b' }, never)
    expect(await next.newestRevision(never)).toBe(revision)
    await next.close()
    expect(onFault).toHaveBeenCalledOnce()
  })
})
