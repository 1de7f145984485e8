// What signals do to a server: two ask it to stop, one has it read its files again, and none opens a debugger or ends it by chance.
import { once } from 'node:events'
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import https from 'node:https'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newHome, ServerProcess, startServerProcess } from '../rigs/server-process.ts'
import { workerPids } from '../rigs/worker-pids.ts'

async function isUp(server: ServerProcess): Promise<boolean> {
  return (await server.request('/readyz')).status === 200
}

function stderrOf(server: ServerProcess): { text: string } {
  const said = { text: '' }
  server.child.stderr?.on('data', (chunk: Buffer) => (said.text += chunk.toString()))
  return said
}

describe('a hang-up', () => {
  it('has the tokens read again, and leaves them where the file is no good', async () => {
    const home = await newHome()
    const tokens = path.join(home, 'tokens.csv')
    writeFileSync(tokens, 'first,ann,1,system:masters\n')
    const server = await startServerProcess(['--in-memory', '--token-auth-file', tokens, '--workers', '1'], home)
    const said = stderrOf(server)
    const statusWith = async (token: string): Promise<number> =>
      (await server.request('/api/v1/namespaces', { token })).status
    expect([await statusWith('first'), await statusWith('second')]).toEqual([200, 401])
    writeFileSync(tokens, 'second,bob,2,system:masters\n')
    server.child.kill('SIGHUP')
    await expect.poll(() => statusWith('second')).toBe(200)
    expect(await statusWith('first')).toBe(401)
    writeFileSync(tokens, 'half a li')
    server.child.kill('SIGHUP')
    await expect.poll(() => said.text).toContain('could not reload --token-auth-file; keeping the previous tokens')
    expect([await statusWith('second'), await isUp(server)]).toEqual([200, true])
  })

  it('replaces no worker where the tokens are no good', async () => {
    const home = await newHome()
    const tokens = path.join(home, 'tokens.csv')
    writeFileSync(tokens, 'first,ann,1,system:masters\n')
    const server = await startServerProcess(['--in-memory', '--token-auth-file', tokens, '--workers', '2'], home)
    const said = stderrOf(server)
    const pids = workerPids(server)
    writeFileSync(tokens, 'half a li')
    server.child.kill('SIGHUP')
    await expect
      .poll(() => said.text)
      .toMatch(/line 1 has 1 columns.*"msg":"could not replace a worker; keeping the previous ones"/)
    expect(workerPids(server)).toEqual(pids)
    expect((await server.request('/api/v1/namespaces', { token: 'first' })).status).toBe(200)
  })

  it('has the audit policy read again and the log opened under its name', async () => {
    const home = await newHome()
    const [policy, log] = [path.join(home, 'policy.yaml'), path.join(home, 'audit.log')]
    const write = (level: string): void =>
      writeFileSync(policy, `{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"${level}"}]}`)
    write('None')
    const flags = [
      '--in-memory',
      '--audit-policy-file',
      policy,
      '--audit-log-path',
      log,
      '--audit-log-mode',
      'blocking',
    ]
    const server = await startServerProcess(flags, home)
    const ask = (): Promise<unknown> => server.request('/api/v1/nodes', { token: server.adminToken })
    await ask()
    expect(readFileSync(log, 'utf8')).toBe('')
    write('Metadata')
    server.child.kill('SIGHUP')
    const written = async (): Promise<string> => {
      await ask()
      return readFileSync(log, 'utf8')
    }
    await expect.poll(written).toContain('/api/v1/nodes')
    renameSync(log, `${log}.old`)
    appendFileSync(log, '')
    server.child.kill('SIGHUP')
    await expect.poll(written).toContain('/api/v1/nodes')
  })

  it('does not end a server that is still starting', async () => {
    const server = new ServerProcess(['serve', '--in-memory', '--secure-port', '0'], await newHome(), {})
    onTestFinished(() => void server.child.kill('SIGKILL'))
    await expect.poll(() => catchesHangUp(server.child.pid!)).toBe(true)
    expect(server.url).toBe('')
    server.child.kill('SIGHUP')
    await server.listening()
    expect(await isUp(server)).toBe(true)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})

describe('signals that mean nothing to it', () => {
  it.each(['SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const)('%s leaves it as it is', async (signal) => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    const said = stderrOf(server)
    server.child.kill(signal)
    server.child.kill(signal)
    for (let i = 0; i < 3; i++) expect(await isUp(server)).toBe(true)
    expect(said.text).not.toContain('Debugger')
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it('neither does nobody reading what it says', async () => {
    const flags = ['--in-memory', '--log-level', 'debug', '--audit-log-path', '-', '--audit-log-mode', 'blocking']
    const home = await newHome()
    const policy = path.join(home, 'policy.yaml')
    writeFileSync(policy, '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')
    const server = await startServerProcess([...flags, '--audit-policy-file', policy], home)
    server.child.stdout?.destroy()
    server.child.stderr?.destroy()
    for (let i = 0; i < 10; i++) expect(await isUp(server)).toBe(true)
  })
})

describe('asking it to stop', () => {
  it('twice ends it without waiting for what is under way', async () => {
    const server = await startServerProcess(['--in-memory'], await newHome())
    const held = https.request(`${server.url}/api/v1/namespaces`, {
      method: 'POST',
      agent: false,
      rejectUnauthorized: false,
      headers: {
        authorization: `Bearer ${server.adminToken}`,
        'content-type': 'application/json',
        'content-length': 100,
      },
    })
    held.on('error', () => {})
    held.write('{')
    await once(held, 'socket')
    await isUp(server)
    server.child.kill('SIGINT')
    await expect.poll(() => isOpen(server)).toBe(false)
    expect(await server.stop('SIGINT')).toMatchObject({ code: 1 })
  })
})

/** As the kernel tells it: the lowest bit is signal 1. */
function catchesHangUp(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  return (BigInt(`0x${caught}`) & 1n) === 1n
}

async function isOpen(server: ServerProcess): Promise<boolean> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
