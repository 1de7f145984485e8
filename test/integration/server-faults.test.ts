// Whatever is wrong with the configuration or the machine: one line that says what, a non-zero exit, and nothing lost.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { newHome, runCommand, startServerProcess } from '../rigs/server-process.ts'

async function faultOf(
  args: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; line: string }> {
  const { code, stdout, stderr } = await runCommand(['serve', '--secure-port', '0', ...args], home, environment)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^quarterdeck: [^\n]+\n$/)
  return { code, line: stderr.slice('quarterdeck: '.length, -1) }
}

describe('a bad command line', () => {
  it.each([
    [['--data-dri', 'x'], 'unknown flag --data-dri; did you mean --data-dir?'],
    [
      ['--feature-gates', 'WatchLost=true'],
      '--feature-gates: unknown feature gate "WatchLost"; did you mean WatchList?',
    ],
    [['--secure-port', 'many'], '--secure-port: "many" is not an integer from 0 to 65535'],
  ])('%o', async (args, line) => {
    expect(await faultOf(args, await newHome())).toEqual({ code: 2, line })
  })

  it('an unknown command', async () => {
    const { code, stderr } = await runCommand(['sreve'], await newHome())
    expect([code, stderr]).toEqual([2, 'quarterdeck: unknown command "sreve"; did you mean serve?\n'])
  })

  it('a variable that is not ours', async () => {
    expect(await faultOf([], await newHome(), { QUARTERDECK_DATADIR: 'x' })).toEqual({
      code: 2,
      line: 'unknown environment variable QUARTERDECK_DATADIR; did you mean QUARTERDECK_DATA_DIR?',
    })
  })
})

describe('files that are not as they should be', () => {
  it.each([
    [['--token-auth-file', 'nope.csv'], /^--token-auth-file \S+nope\.csv cannot be read: it does not exist$/],
    [['--token-auth-file', 'short.csv'], /^--token-auth-file \S+short\.csv: line 1 has 2 columns where at least 3/],
    [['--client-ca-file', 'short.csv'], /^--client-ca-file \S+ does not hold a certificate in PEM form$/],
    [
      ['--tls-cert-file', 'short.csv', '--tls-private-key-file', 'short.csv'],
      /^--tls-cert-file \S+ does not hold a certificate in PEM form$/,
    ],
    [['--config', 'short.csv'], /^--config short\.csv: the file must be object$/],
    [['--token-auth-file', '.'], /^--token-auth-file \S+ cannot be read: it is a directory$/],
  ])('%o', async (args, line) => {
    const home = await newHome()
    writeFileSync(path.join(home, 'short.csv'), 'token,user')
    expect((await faultOf(['--in-memory', ...args], home)).line).toMatch(line)
  })
})

describe('a place for what is kept between starts', () => {
  it('does without where none can be made', async () => {
    const { code, stdout } = await runCommand(['version'], await newHome(), { XDG_CACHE_HOME: '/proc/nope' })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^quarterdeck /)])
  })
})

describe('an audit log', () => {
  it.each([
    ['/proc/nope/audit.log', 'nothing can be created there'],
    ['/dev/null/logs/audit.log', 'it is not a directory'],
    ['/proc', 'it is a directory'],
  ])('that cannot be written is told: %s', async (file, reason) => {
    const home = await newHome()
    const policy = path.join(home, 'policy.yaml')
    writeFileSync(policy, '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
    const flags = ['--in-memory', '--audit-policy-file', policy, '--audit-log-path', file]
    expect(await faultOf(flags, home)).toEqual({
      code: 1,
      line: `--audit-log-path ${file} cannot be written: ${reason}`,
    })
  })
})

describe('a port in use', () => {
  it('is told, and the store is free again', async () => {
    const home = await newHome()
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as { port: number }
    expect(await faultOf(['--secure-port', String(port)], home)).toEqual({
      code: 1,
      line: `cannot listen on 127.0.0.1:${port}: the port is in use`,
    })
    holder.close()
    const server = await startServerProcess([], home)
    expect((await server.request('/readyz')).status).toBe(200)
  })

  it('so is an address that is not this machine’s', async () => {
    expect(await faultOf(['--in-memory', '--bind-address', '192.0.2.1'], await newHome())).toEqual({
      code: 1,
      line: 'cannot listen on 192.0.2.1:0: the address does not belong to this machine',
    })
  })
})

describe('a data directory', () => {
  it('that another server uses stays with it', async () => {
    const home = await newHome()
    const first = await startServerProcess([], home)
    expect(await faultOf([], home)).toEqual({
      code: 1,
      line: `the data directory ${first.dataDirectory}/store is in use by process ${first.child.pid}`,
    })
    expect((await first.request('/readyz')).status).toBe(200)
  })

  it('of a newer format is not touched', async () => {
    const home = await newHome()
    const store = path.join(home, 'data/store')
    mkdirSync(store, { recursive: true, mode: 0o700 })
    writeFileSync(path.join(store, 'format'), 'quarterdeck store, format 99\n', { mode: 0o600 })
    const { code, line } = await faultOf(['--data-dir', 'data'], home)
    expect(code).toBe(1)
    expect(line).toContain('is in format 99; this version supports formats up to')
    expect(readFileSync(path.join(store, 'format'), 'utf8')).toBe('quarterdeck store, format 99\n')
    expect(readdirSync(store)).not.toContain('data.mdb')
    expect(readdirSync(path.join(home, 'data'))).toEqual(['store'])
  })

  it('on a full disk is told, and works once there is room', async () => {
    const home = await newHome()
    const store = path.join(home, 'data/store')
    mkdirSync(store, { recursive: true, mode: 0o700 })
    // What is written to this device finds no space, as on a disk that is full.
    symlinkSync('/dev/full', path.join(store, 'format.new'))
    const { code, line } = await faultOf(['--data-dir', 'data'], home)
    expect(code).toBe(1)
    expect(line).toContain('no space left on device')
    rmSync(path.join(store, 'format.new'))
    const server = await startServerProcess(['--data-dir', 'data'], home)
    expect((await server.request('/readyz')).status).toBe(200)
  })

  it('that cannot be made is told', async () => {
    const home = await newHome()
    writeFileSync(path.join(home, 'file'), '')
    expect(await faultOf(['--data-dir', 'file/data'], home)).toEqual({
      code: 1,
      line: `the data directory ${home}/file/data cannot be created: it is not a directory`,
    })
  })

  it.each([
    ['/proc/nope', 'nothing can be created there'],
    ['/proc/nope/deeper/still', 'nothing can be created there'],
    ['/dev/null/x', 'it is not a directory'],
    ['/dev/null', 'a file of that name exists'],
  ])('%s is told at once', async (directory, reason) => {
    const line = `the data directory ${directory} cannot be created: ${reason}`
    expect(await faultOf(['--data-dir', directory], await newHome())).toEqual({ code: 1, line })
  })

  it('that nothing can be made in is told', async () => {
    const { mode } = statSync('/proc')
    expect(await faultOf(['--data-dir', '/proc'], await newHome())).toEqual({
      code: 1,
      line: 'cannot make the data directory /proc/store: nothing can be created there',
    })
    // Nobody's rights but those to files of ours are changed.
    expect(statSync('/proc').mode).toBe(mode)
  })

  it('that is damaged is told', async () => {
    const home = await newHome()
    const store = path.join(home, 'data/store')
    mkdirSync(store, { recursive: true, mode: 0o700 })
    writeFileSync(path.join(store, 'format'), 'quarterdeck store, format 1\n', { mode: 0o600 })
    writeFileSync(path.join(store, 'data.mdb'), Buffer.alloc(100_000, 7), { mode: 0o600 })
    expect((await faultOf(['--data-dir', 'data'], home)).line).toContain('is corrupt, or not a store of this program')
  })
})
