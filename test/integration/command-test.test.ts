// `quarterdeck test -- COMMAND`, as people run it: programs in several languages that know nothing but their environment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { COMMAND } from '../rigs/command.ts'
import { buildGoClient, GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findPython } from '../rigs/python.ts'
import { newHome } from '../rigs/server-process.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Begins the command in a home of its own. */
async function begin(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = await newHome()
  const child = spawn(process.execPath, [COMMAND, 'test', ...args], {
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    stdio: 'pipe',
  })
  const exited = once(child, 'exit') as Promise<[number | null]>
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)])
  return { child, ended: ended.then(([[code], stdout, stderr]): Ended => ({ code, stdout, stderr })) }
}

async function run(args: readonly string[], input = '', env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { child, ended } = await begin(args, env)
  // One that ends before it has read all of its input is judged by how it ends.
  child.stdin.on('error', () => {}).end(input)
  return ended
}

const inShell = (script: string): readonly string[] => ['--', '/bin/sh', '-c', script]

describe('quarterdeck test', () => {
  it('runs a program in Python, which has the standard streams', async () => {
    const python = await findPython()
    const program = path.join(import.meta.dirname, 'python/plain.py')
    const { code, stdout, stderr } = await run(['--', python.path, program], 'hiss\n', python.env)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'hiss\n', stderr: '' })
  })

  it("runs Go's envtest, which starts nothing of its own", { timeout: GO_BUILD_LIMIT_MS }, async () => {
    const program = await buildGoClient('envtest')
    const { code, stdout } = await run(['--', program, '/nonexistent'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'made made 1\n' })
  })

  it('ends with the code of the command, prints the last requests, and leaves nothing behind', async () => {
    const fetched =
      "require('node:https').get(process.argv[1] + '/api/v1/nodes?limit=7', { rejectUnauthorized: false }, (answer) => answer.resume())"
    const server = `$(sed -n 's/.*"server": "\\(.*\\)".*/\\1/p' $KUBECONFIG)`
    const script = `echo $KUBECONFIG; '${process.execPath}' -e "${fetched}" "${server}"; exit 7`
    const { code, stdout, stderr } = await run(inShell(script))
    expect(code).toBe(7)
    expect(stderr).toMatch(
      /^quarterdeck test: \/bin\/sh ended with 7; the last requests to the server:\n40[13] +[\d.]+ ms +\S+ +list \/api\/v1\/nodes\?limit=7\n$/,
    )
    expect(stdout).toMatch(/^\/.+\n$/)
    expect(existsSync(path.dirname(stdout.trim()))).toBe(false)
  })

  it('prints no requests where it is told so, nor where the command succeeds', async () => {
    expect(await run(['--print-requests', '0', ...inShell('exit 9')])).toEqual({ code: 9, stdout: '', stderr: '' })
    expect(await run(inShell('exit 0'))).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('passes signals on, and tells which ended the command', async () => {
    const ready = path.join(await newHome(), 'ready')
    const { child, ended } = await begin(
      inShell(`trap 'echo asked; exit 5' TERM; : > '${ready}'; while :; do sleep 0.1; done`),
    )
    await expect.poll(() => existsSync(ready)).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 5, stdout: 'asked\n' })
    expect(await run(['--print-requests=0', ...inShell('kill -KILL $$')])).toMatchObject({ code: 137 })
  })

  it('runs no command where it is told to stop while the server starts', async () => {
    const tellWhenHeard =
      "const turn = () => process.listenerCount('SIGQUIT') > 0 ? process.kill(process.pid, 'SIGTERM') : setImmediate(turn); turn()"
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(tellWhenHeard)}`
    expect(await run(inShell('echo ran'), '', { NODE_OPTIONS })).toEqual({ code: 143, stdout: '', stderr: '' })
  })

  it('passes a signal on to a command that has hardly begun', async () => {
    const { child, ended } = await begin(inShell("trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.1; done"))
    expect(await ended).toMatchObject({ code: 5 })
    expect(child.signalCode).toBeNull()
  })

  it('hands the flags of the server on, and everything behind -- to the command', async () => {
    const { code, stdout } = await run([
      '--feature-gates=WatchList=false',
      '--',
      '/bin/echo',
      '--help',
      '--',
      '--version',
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '--help -- --version\n' })
  })

  it.each([
    [['--no-such-flag', '--', 'true'], 2, /^quarterdeck: unknown flag --no-such-flag/],
    [['true'], 2, /^quarterdeck: give the command to run: quarterdeck test -- COMMAND/],
    [['--'], 2, /^quarterdeck: give the command to run/],
    [['--print-requests', 'many', '--', 'true'], 2, /^quarterdeck: --print-requests: "many" is not a number/],
    [['--', '/nonexistent'], 127, /^quarterdeck test: cannot run .nonexistent: it does not exist$/],
    [['--', '/etc/passwd'], 126, /^quarterdeck test: cannot run .*: permission denied$/],
  ])('says in one line what is wrong: %j', async (args, code, message) => {
    const ended = await run(args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr.trimEnd()).toMatch(message)
    expect(ended.stderr.split('\n')).toHaveLength(2)
  })
})
