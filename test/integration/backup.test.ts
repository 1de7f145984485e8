// `quarterdeck backup` of stores in use: one revision, whole, and nothing but that.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { BackupReader } from '../../src/kv/backup/backup-reader.ts'
import type { CopiedItem } from '../../src/kv/copy.ts'
import { openEtcd } from '../../src/kv/etcd/etcd.ts'
import { type Kv, prefixRange, putKey } from '../../src/kv/kv.ts'
import { COMMAND } from '../rigs/command.ts'
import { COPIED_STORES, PREFIX } from '../rigs/copied-stores.ts'
import { newHome, runCommand } from '../rigs/server-process.ts'
import { StoreProcess } from '../rigs/store-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { startWriteLoad } from '../rigs/write-load.ts'
import { rowsOf } from '../rigs/whole.ts'

const { signal } = new AbortController()

describe.each(rowsOf(COPIED_STORES, ['etcd', 'the folder of a store']))('a backup of %s', (_name, start) => {
  it('holds the state of one revision, though others write', async () => {
    await using store = await start()
    const home = await newHome()
    await put(store.kv, 500)
    const load = startWriteLoad(store.kv, PREFIX)
    const past = await store.kv.newestRevision(signal)
    for (const flags of [[], [`--revision=${past}`]]) {
      const { code, stdout, stderr } = await runCommand(
        ['backup', ...store.flags, ...flags, '--overwrite', 'a.backup'],
        home,
      )
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const { header, items } = await readBackup(path.join(home, 'a.backup'))
      expect(stdout).toContain(`a.backup: ${items.length} keys under /registry/ at revision ${header.revision}`)
      const place = store.flags[0]!.replace(/^--[a-z-]+=/, '')
      expect(stdout).toMatch(new RegExp(`, read from .*${place}.*; verified\\n$`))
      if (flags.length > 0) expect(header.revision).toBe(past)
      const then = await store.kv.list({ ...prefixRange(PREFIX), at: header.revision }, signal)
      expect(items).toEqual(then.items)
    }
    await load.stop()
    expect(readdirSync(home)).toEqual(['a.backup'])
    expect(statSync(path.join(home, 'a.backup')).mode & 0o777).toBe(0o600)
  })

  it('keeps the time that keys have left, and refuses revisions that it cannot have', async () => {
    await using store = await start()
    const home = await newHome()
    const put = { key: `${PREFIX}events/a`, value: Buffer.from('x'), expected: 0, ttlSeconds: 500 }
    const { revision } = await putKey(store.kv, put, signal)
    await putKey(store.kv, { key: `${PREFIX}pods/a`, value: Buffer.from('y'), expected: 0 }, signal)
    expect((await runCommand(['backup', ...store.flags, 'a.backup'], home)).code).toBe(0)
    const [event, pod] = (await readBackup(path.join(home, 'a.backup'))).items
    expect(event!.ttlSeconds).toBeGreaterThan(400)
    expect(event!.ttlSeconds).toBeLessThan(600)
    expect(pod!.ttlSeconds).toBeUndefined()

    const future = await runCommand(['backup', ...store.flags, `--revision=${revision + 100}`, 'b.backup'], home)
    expect(future).toMatchObject({ code: 1, stderr: expect.stringMatching(/^quarterdeck: .*revision.*\n$/) })
    await store.kv.compact(revision + 1, signal)
    const gone = await runCommand(['backup', ...store.flags, `--revision=${revision}`, 'b.backup'], home)
    expect(gone).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^quarterdeck: .*(compacted|no longer kept).*\n$/),
    })
    expect(readdirSync(home).filter((name) => name.startsWith('b.'))).toEqual([])
  })

  it('is refused if only other prefixes have keys, and says so of an empty store', async () => {
    await using store = await start()
    const home = await newHome()
    expect(await runCommand(['backup', ...store.flags, 'empty'], home)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^empty: 0 keys .*, which is empty; verified\n$/) as string,
    })
    await putKey(store.kv, { key: `${PREFIX}pods/a`, value: Buffer.from('x'), expected: 0 }, signal)
    for (const [command, prefix] of [
      ['backup', '/other'],
      ['backup', '/zzz'],
      ['doctor', '/other'],
    ] as const) {
      const args = [command, ...store.flags, `--etcd-prefix=${prefix}`, ...(command === 'backup' ? ['a'] : [])]
      const { code, stdout, stderr } = await runCommand(args, home)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        new RegExp(`^quarterdeck: .* has no keys under ${prefix}/, but others, such as /registry/pods/a: .*\n$`),
      )
    }
    expect(readdirSync(home).toSorted()).toEqual(['empty'])
  })
})

it('a store that is killed and started again during a backup goes on, and so does the backup', async () => {
  const folder = await tempFolder()
  await using store = await StoreProcess.start([`--data-dir=${folder}`])
  const kv = await openEtcd({ endpoints: [store.endpoint], prefix: PREFIX }, signal)
  const values = Array.from({ length: 40 }, () => randomBytes(500_000))
  const keys = values.map((_, i) => `${PREFIX}configmaps/default/${i}`)
  await Promise.all(keys.map((key, i) => putKey(kv, { key, value: values[i]!, expected: 0 }, signal)))
  const { revision } = await kv.list(prefixRange(PREFIX), signal)
  const backup = spawn(process.execPath, [COMMAND, 'backup', `--data-dir=${folder}`, '-'])
  // It waits for whoever reads it.
  await once(backup.stdout, 'readable')

  await store.kill()
  await store.start()
  for (const key of keys) {
    const { item } = await kv.get(key, {}, signal)
    await putKey(kv, { key, value: Buffer.from('new'), expected: item!.revision }, signal)
  }
  const { revision: newest } = await kv.list(prefixRange(PREFIX), signal)
  await kv.compact(newest, signal)
  await kv.close()

  await using reader = await BackupReader.open(backup.stdout, undefined)
  expect(reader.header.revision).toBe(revision)
  const read = new Map<string, Buffer>()
  for await (const page of reader.pages()) for (const { key, value } of page) read.set(key, value)
  expect(keys.every((key, i) => read.get(key)?.equals(values[i]!))).toBe(true)
})

describe('the file of a backup', () => {
  it('goes to standard output, and is verified later, with its key', async () => {
    await using store = await COPIED_STORES['the folder of a store']!()
    const home = await newHome()
    await put(store.kv, 50)
    await writeFile(path.join(home, 'key'), randomBytes(32).toString('base64'))
    await writeFile(path.join(home, 'other'), randomBytes(32).toString('base64'))
    const sealed = ['--encryption-key-file', 'key']
    const streamed = await runCommand(['backup', ...store.flags, '-'], home)
    expect(streamed.stderr).toMatch(/^50 keys under \/registry\/ at revision \d+/)
    expect((await runCommand(['backup', ...store.flags, ...sealed, 'a'], home)).code).toBe(0)

    const verified = await runCommand(['backup', 'verify', ...sealed, 'a'], home)
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^a: 50 keys .*, encrypted; verified\n$/) })
    expect(await runCommand(['backup', 'verify', 'a'], home)).toMatchObject({
      code: 1,
      stderr: 'quarterdeck: a: it is encrypted: give its key with --encryption-key-file\n',
    })
    expect(await runCommand(['backup', 'verify', '--encryption-key-file=other', 'a'], home)).toMatchObject({
      code: 1,
      stderr: 'quarterdeck: a: it is encrypted with another key\n',
    })
    const bytes = await readFile(path.join(home, 'a'))
    await writeFile(path.join(home, 'cut'), bytes.subarray(0, -40))
    expect(await runCommand(['backup', 'verify', ...sealed, 'cut'], home)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^quarterdeck: cut: it is .*\n$/),
    })
    const missing = await runCommand(['backup', 'verify', 'nothing'], home)
    expect(missing).toMatchObject({ code: 1, stderr: 'quarterdeck: nothing: it does not exist\n' })
  })

  it('does not take the place of another one, unless that is asked for', async () => {
    await using store = await COPIED_STORES['the folder of a store']!()
    const home = await newHome()
    await put(store.kv, 5)
    await writeFile(path.join(home, 'precious'), 'mine')
    await symlink('nowhere', path.join(home, 'dangling'))
    await mkdir(path.join(home, 'folder'))
    const folder = store.flags[0]!.replace('--data-dir=', '')
    await symlink(path.join(folder, 'store'), path.join(home, 'linked'))
    for (const name of ['precious', 'dangling']) {
      expect(await runCommand(['backup', ...store.flags, name], home)).toMatchObject({
        code: 1,
        stderr: `quarterdeck: ${name} exists: choose another name, or give --overwrite\n`,
      })
    }
    expect(await readFile(path.join(home, 'precious'), 'utf8')).toBe('mine')
    for (const [name, reason] of [
      ['folder', 'it is not a file'],
      ['/dev/null', 'it is not a file'],
      ['none/a', 'there is no directory none'],
      ['precious/a', 'there is no directory precious'],
      ['/proc/a', 'no file can be created in /proc'],
      [`${folder}/store/data.mdb`, `it lies in the store, ${folder}/store`],
      ['linked/data.mdb', `it lies in the store, ${folder}/store`],
    ] as const) {
      expect(await runCommand(['backup', ...store.flags, '--overwrite', name], home)).toMatchObject({
        code: 1,
        stderr: `quarterdeck: ${name} cannot be written: ${reason}\n`,
      })
    }
    expect(readdirSync(home).toSorted()).toEqual(['dangling', 'folder', 'linked', 'precious'])
    expect((await runCommand(['backup', ...store.flags, '--overwrite', 'precious'], home)).code).toBe(0)
    expect((await readBackup(path.join(home, 'precious'))).items).toHaveLength(5)
  })

  it('is not made where there is no store', async () => {
    const home = await newHome()
    expect(await runCommand(['backup', '--data-dir=empty', 'a'], home)).toMatchObject({
      code: 1,
      stderr: `quarterdeck: there is no store in ${path.join(home, 'empty/store')}\n`,
    })
    expect(readdirSync(home)).not.toContain('empty')
  })
})

async function put(kv: Kv, count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, i) => `${PREFIX}configmaps/default/${i}`)
  await Promise.all(keys.map((key) => putKey(kv, { key, value: randomBytes(300), expected: 0 }, signal)))
}

async function readBackup(file: string) {
  await using reader = await BackupReader.open(createReadStream(file), undefined)
  const items: CopiedItem[] = []
  for await (const page of reader.pages()) items.push(...page)
  return { header: reader.header, items }
}
