// Backups that no store gave, each with the right digest: they are refused before anything is written, and their words do nothing to a terminal.
import { writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeBackup } from '../../src/kv/backup/backup-writer.ts'
import type { CopiedItem, StoreCopy } from '../../src/kv/copy.ts'
import { newHome, runCommand } from '../rigs/server-process.ts'

const PREFIX = '/registry/'
const GOOD: CopiedItem = { key: `${PREFIX}configmaps/a/b`, value: Buffer.from('{}'), revision: 5, createRevision: 3 }

interface Forgery {
  readonly revision?: number
  readonly prefix?: string
  readonly version?: string
  readonly items?: readonly CopiedItem[]
}

async function forge(file: string, forgery: Forgery): Promise<void> {
  const { revision = 7, prefix = PREFIX, version = '1.2.3', items = [GOOD] } = forgery
  const copy: StoreCopy = {
    revision,
    count: items.length,
    firstKey: async () => undefined,
    newestRevision: async () => revision,
    close: async () => undefined,
    async *pages() {
      yield items
    },
  }
  const pieces: Buffer[] = []
  const order = { copy, prefix, time: new Date(0), version }
  const { signal } = new AbortController()
  await writeBackup({ ...order, write: async (bytes) => void pieces.push(bytes) }, signal)
  await writeFile(file, Buffer.concat(pieces))
}

describe('a forged backup', () => {
  it.each<[string, Forgery, RegExp]>([
    [
      'a key outside of the prefix',
      { items: [{ ...GOOD, key: '/other/a' }] },
      /\/other\/a: the key does not belong to an/,
    ],
    ['a negative revision', { revision: -7 }, /its header cannot be read/],
    ['no revision', { revision: 0 }, /its header cannot be read/],
    ['a revision that no store has', { revision: 2 ** 52 }, /its header cannot be read/],
    ['a prefix that is none', { prefix: 'registry' }, /its header cannot be read/],
    [
      'an item of a later revision',
      { items: [{ ...GOOD, revision: 8 }] },
      /it is of revision 8, made at 3, in a backup/,
    ],
    [
      'an item made after its last change',
      { items: [{ ...GOOD, createRevision: 6 }] },
      /it is of revision 5, made at 6/,
    ],
    ['an item that was never made', { items: [{ ...GOOD, createRevision: 0 }] }, /it is of revision 5, made at 0/],
    ['a key twice', { items: [GOOD, GOOD] }, /its keys are not in order/],
    ['keys in another order', { items: [GOOD, { ...GOOD, key: `${PREFIX}a` }] }, /its keys are not in order/],
    ['an item that expires in a million years', { items: [{ ...GOOD, ttlSeconds: 2 ** 47 }] }, /it expires in/],
  ])('with %s is refused', async (_name, forgery, message) => {
    const home = await newHome()
    await forge(path.join(home, 'a'), forgery)
    for (const args of [
      ['backup', 'verify', 'a'],
      ['restore', '--data-dir=data', 'a'],
    ]) {
      const { code, stderr } = await runCommand(args, home)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) as string })
      expect(stderr).toMatch(/^quarterdeck: a: it is damaged: [^\n]*\n$/)
    }
    expect(existsSync(path.join(home, 'data'))).toBe(false)
  })

  it.each([
    ['a value', { ...GOOD, value: Buffer.alloc(2_000_000) }],
    ['a key', { ...GOOD, key: `${PREFIX}${'a'.repeat(2000)}` }],
  ])('with %s that the store does not take is refused', async (_name, item) => {
    const home = await newHome()
    await forge(path.join(home, 'a'), { items: [item] })
    const { code, stderr } = await runCommand(['restore', '--data-dir=data', 'a'], home)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^quarterdeck: a: (key|value) is/) as string,
    })
    expect(existsSync(path.join(home, 'data'))).toBe(false)
  })

  it('tells a terminal nothing', async () => {
    const home = await newHome()
    const evil = 'x\x1b[2J\x9b31m\r\n\u202egood'
    await forge(path.join(home, 'a'), { version: evil })
    await forge(path.join(home, 'b'), { items: [{ ...GOOD, key: `${PREFIX}${evil}`, revision: 9 }] })
    for (const args of [
      ['backup', 'verify', 'a'],
      ['restore', '--data-dir=data', 'a'],
      ['backup', 'verify', 'b'],
    ]) {
      const { stdout, stderr } = await runCommand(args, home)
      expect(stdout + stderr).toMatch(/^[^\n]*x\\u001b\[2J\\u009b31m(\\u000d)? ?\\u202egood[^\n]*\n$/)
      expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]/u)
    }
  })
})
