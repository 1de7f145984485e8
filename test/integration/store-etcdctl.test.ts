// `quarterdeck store serve` as its users have it: a process of its own, and etcd's own client.
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EtcdCertificates, makeEtcdCertificates } from '../fakes/etcd-tls.ts'
import { etcdctl, etcdctlLines } from '../rigs/etcdctl.ts'
import { newHome, runCommand, startCommand } from '../rigs/server-process.ts'
import { StoreProcess } from '../rigs/store-process.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

describe('etcdctl on quarterdeck store serve', () => {
  let store: StoreProcess
  const ctl = (...args: string[]): Promise<string> => etcdctl(store.endpoint, args)

  beforeAll(async () => {
    store = await StoreProcess.start()
  })
  afterAll(() => store[Symbol.asyncDispose]())

  it('puts, gets and deletes', async () => {
    expect(await ctl('put', 'fruit/apple', 'red')).toBe('OK\n')
    expect(await ctl('put', 'fruit/pear', 'green')).toBe('OK\n')
    expect(await ctl('get', 'fruit/', '--prefix')).toBe('fruit/apple\nred\nfruit/pear\ngreen\n')
    expect(await ctl('get', 'fruit/', '--prefix', '--keys-only', '--order=DESCEND', '--limit=1')).toBe('fruit/pear\n\n')
    expect(await ctl('get', 'fruit/', '--prefix', '--count-only', '-w=fields')).toContain('"Count" : 2')
    expect(await ctl('del', 'fruit/', '--prefix', '--prev-kv')).toBe('2\nfruit/apple\nred\nfruit/pear\ngreen\n')
  })

  it('runs transactions', async () => {
    const run = (input: string): Promise<string> => etcdctl(store.endpoint, ['txn'], { input })
    expect(await run('version("t") = "0"\n\nput t 1\nget t\n\nget t\n\n')).toBe('SUCCESS\n\nOK\n\nt\n1\n')
    expect(await run('value("t") = "2"\n\nput t 3\n\nget t\n\n')).toBe('FAILURE\n\nt\n1\n')
    await expect(run('\n\nput t 1\nput t 2\n\n\n')).rejects.toThrow('duplicate key given in txn request')
  })

  it('watches, from now on and from the past', async () => {
    const revision = Number(/"Revision" : (\d+)/.exec(await ctl('get', 'none', '-w=fields'))?.[1])
    const lines: string[] = []
    const watching = etcdctlLines(store.endpoint, ['watch', 'w/', '--prefix', '--prev-kv', `--rev=${revision + 1}`])
    await ctl('put', 'w/a', '1')
    await ctl('put', 'w/a', '2')
    await ctl('del', 'w/a')
    for await (const line of watching) {
      lines.push(line)
      if (lines.length === 13) break
    }
    expect(lines.join(' ')).toBe('PUT w/a 1 PUT w/a 1 w/a 2 DELETE w/a 2 w/a ')
  })

  it('has leases', async () => {
    const id = /lease (\w+) granted with TTL\(100s\)/.exec(await ctl('lease', 'grant', '100'))?.[1] ?? ''
    expect(await ctl('put', 'l/a', '1', `--lease=${id}`)).toBe('OK\n')
    expect(await ctl('lease', 'timetolive', id, '--keys')).toMatch(
      new RegExp(`lease ${id} granted with TTL\\(100s\\), remaining\\(\\d+s\\), attached keys\\(\\[l/a\\]\\)`),
    )
    expect(await ctl('lease', 'keep-alive', '--once', id)).toContain('keepalived with TTL(100)')
    expect(await ctl('lease', 'list')).toContain(id)
    expect(await ctl('lease', 'revoke', id)).toContain('revoked')
    expect(await ctl('get', 'l/a')).toBe('')
  })

  it('compacts', async () => {
    await ctl('put', 'c', '1')
    const revision = Number(/"Revision" : (\d+)/.exec(await ctl('put', 'c', '2', '-w=fields'))?.[1])
    expect(await ctl('get', 'c', `--rev=${revision - 1}`)).toBe('c\n1\n')
    expect(await ctl('compact', `${revision}`)).toBe(`compacted revision ${revision}\n`)
    await expect(ctl('get', 'c', `--rev=${revision - 1}`)).rejects.toThrow('required revision has been compacted')
    await expect(ctl('compact', `${revision}`)).rejects.toThrow('required revision has been compacted')
  })

  it('tells of itself', async () => {
    expect(await ctl('endpoint', 'health')).toContain('is healthy')
    const [status] = JSON.parse(await ctl('endpoint', 'status', '-w=json')) as [{ Status: Record<string, unknown> }]
    expect(status.Status).toMatchObject({ version: '3.6.14', dbSize: expect.any(Number) as number })
    expect(await ctl('member', 'list', '-w=json')).toContain('"name":"quarterdeck"')
    expect(await ctl('alarm', 'list')).toBe('')
    expect(await ctl('defrag')).toContain('Finished defragmenting')
    await expect(ctl('auth', 'enable')).rejects.toThrow('Unimplemented')
    await expect(ctl('member', 'add', 'other', '--peer-urls=http://127.0.0.1:1')).rejects.toThrow('Unimplemented')
    expect(await ctl('endpoint', 'hashkv')).toMatch(/, \d+, \d+\n$/)
  })

  it('has locks', async () => {
    expect(await ctl('lock', 'mutex', 'echo', 'held')).toBe('held\n')
  })

  it('keeps what was written when it is stopped and started again', async () => {
    await ctl('put', 'kept', 'yes')
    expect(await store.stop()).toBe(0)
    await store.start()
    expect(await ctl('get', 'kept')).toBe('kept\nyes\n')
  })
})

it('etcdctl comes over a Unix socket', async () => {
  const folder = await tempFolder()
  await using store = await StoreProcess.start(['--in-memory', `--listen-client-urls=unix://${folder}/store.sock`])
  expect((await stat(`${folder}/store.sock`)).mode & 0o777).toBe(0o600)
  expect(await etcdctl(store.endpoint, ['put', 'a', '1'])).toBe('OK\n')
  expect(await etcdctl(store.endpoint, ['get', 'a'])).toBe('a\n1\n')
  // What a process that was killed has left behind is in nobody's way.
  await store.kill()
  await store.start()
  expect(await etcdctl(store.endpoint, ['get', 'a'])).toBe('')
})

it('certificates that are replaced are used from then on', async () => {
  const folder = await tempFolder()
  /** Of another authority each time, and for the server in the same files: those, and the flags of a client. */
  const issue = async (): Promise<[files: EtcdCertificates['files'], flags: readonly string[]]> => {
    const { ca, client, files } = await makeEtcdCertificates(folder)
    const own = await tempFolder()
    const flags = Object.entries({ cacert: ca, cert: client.certificate, key: client.key }).map(([name, pem]) => {
      writeFileSync(path.join(own, name), pem)
      return `--${name}=${path.join(own, name)}`
    })
    return [files, [...flags, '--dial-timeout=1s', '--command-timeout=1s']]
  }
  const [files, before] = await issue()
  await using store = await StoreProcess.start([
    '--in-memory',
    '--listen-client-urls=https://127.0.0.1:0',
    `--cert-file=${files.certificate}`,
    `--key-file=${files.key}`,
    `--trusted-ca-file=${files.ca}`,
  ])
  const put = (flags: readonly string[]): Promise<string> =>
    etcdctl(store.endpoint, ['put', 'a', '1', ...flags]).catch(() => 'refused')
  expect(await put(before)).toBe('OK\n')
  const [, after] = await issue()
  await expect.poll(() => put(after)).toBe('OK\n')
  expect(await put(before)).toBe('refused')
})

it('a store that demands no certificates of clients says so where it is served with TLS', async () => {
  const home = await newHome()
  const { files } = await makeEtcdCertificates(home)
  const https = [
    '--listen-client-urls=https://127.0.0.1:0',
    `--cert-file=${files.certificate}`,
    `--key-file=${files.key}`,
  ]
  for (const [flags, warns] of [
    [https, true],
    [[...https, `--trusted-ca-file=${files.ca}`], false],
    [['--listen-client-urls=http://127.0.0.1:0'], false],
  ] as const) {
    const store = startCommand(['store', 'serve', '--in-memory', ...flags], home)
    await expect.poll(() => store.stdout).toMatch(/serves its store on/)
    const { stderr } = await store.stop()
    expect(/^quarterdeck: warning: every client that reaches https:.*--trusted-ca-file/m.test(stderr)).toBe(warns)
  }
})

it.each([
  ['127.0.0.1:2379', 'is not http://host:port, https://host:port or unix:///path'],
  ['localhost:2379', 'is not http://host:port'],
  ['http://127.0.0.1:2379/path', 'is not http://host:port'],
  ['http://127.evil.example.com:2379', 'without TLS a store is served on a loopback address'],
  ['unix://', 'is not http://host:port'],
])('a store is not served on %s', async (url, message) => {
  const home = await newHome()
  const { code, stderr } = await runCommand(['store', 'serve', `--listen-client-urls=${url}`], home)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string })
  expect(readdirSync(home)).toEqual([])
})

it('a store does not ignore certificates that its URL does not use', async () => {
  const refused = await runCommand(['store', 'serve', '--trusted-ca-file=ca.crt'], await newHome())
  expect(refused).toMatchObject({ code: 2, stderr: 'quarterdeck: --trusted-ca-file requires an https: URL\n' })
})

it('a store does not ignore a directory that it would not write to', async () => {
  const refused = await runCommand(['store', 'serve', '--in-memory', '--data-dir=data'], await newHome())
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^quarterdeck: --in-memory and --data-dir are mutually exclusive/) as string,
  })
})

it('a store says why it cannot listen on a path', async () => {
  const home = await newHome()
  writeFileSync(path.join(home, 'file'), 'mine')
  symlinkSync('nowhere', path.join(home, 'dangling'))
  const store = startCommand(['store', 'serve', '--in-memory', `--listen-client-urls=unix://${home}/taken`], home)
  await expect.poll(() => store.stdout).toMatch(/serves its store on/)
  for (const [name, reason] of [
    ['file', 'a file of that name exists, and is not a socket'],
    ['dangling', 'a file of that name exists, and is not a socket'],
    ['taken', 'another process listens there'],
    ['none/socket', `there is no directory ${home}/none`],
    ['x'.repeat(120), 'the path is longer than 107 bytes'],
  ] as const) {
    const url = `unix://${home}/${name}`
    const { code, stderr } = await runCommand(['store', 'serve', '--in-memory', `--listen-client-urls=${url}`], home)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `quarterdeck: cannot listen on ${url}: ${reason}\n` })
  }
  expect(readFileSync(path.join(home, 'file'), 'utf8')).toBe('mine')
})
