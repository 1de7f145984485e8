// `quarterdeck init` and `quarterdeck completion`.
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Client, k8s } from '../../src/client/client.ts'
import { COMMAND } from '../fakes/command.ts'
import { startEtcd } from '../fakes/etcd-server.ts'
import { freePort } from '../fakes/free-port.ts'
import { newHome, startServerProcess } from '../fakes/server-process.ts'

const run = promisify(execFile)

function quarterdeck(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return run(process.execPath, [COMMAND, ...args])
}

describe('quarterdeck init', () => {
  it('makes what several replicas share: each takes the kubeconfig, the tokens and the secrets of the others', async () => {
    await using etcd = await startEtcd()
    const [home, port] = [await newHome(), await freePort()]
    const folder = path.join(home, 'made')
    const url = `https://127.0.0.1:${port}`
    const { stdout } = await quarterdeck('init', '--url', url, '--etcd-servers', etcd.endpoint, folder)
    expect(stdout).toContain(`quarterdeck serve --config ${folder}/quarterdeck.yaml`)
    for (const file of ['quarterdeck.yaml', 'admin.kubeconfig', 'pki/api-ca.key', 'pki/encryption.yaml']) {
      expect(statSync(path.join(folder, file)).mode & 0o077, file).toBe(0)
    }
    const serve = ['--config', path.join(folder, 'quarterdeck.yaml')]
    const kubeconfig = path.join(folder, 'admin.kubeconfig')
    const first = await startServerProcess([...serve, '--secure-port', String(port)], await newHome())
    const metadata = { name: 'shared', namespace: 'default' }
    using admin = new Client({ kubeconfig })
    await admin.resource(k8s.Secret).create({ metadata, stringData: { word: 'found' } })
    await first.stop()
    const second = await startServerProcess([...serve, '--secure-port', String(port)], await newHome())
    using again = new Client({ kubeconfig })
    const secret = await again.resource(k8s.Secret).inNamespace('default').get('shared')
    expect(secret.data).toEqual({ word: Buffer.from('found').toString('base64') })
    await second.stop()
  })

  it('names its hosts in the certificate and the kubeconfig, and listens for them', async () => {
    const folder = path.join(await newHome(), 'made')
    await quarterdeck('init', '--hosts', 'api.example.com,10.1.2.3', folder)
    const certificate = new X509Certificate(readFileSync(path.join(folder, 'pki/api.crt')))
    expect(certificate.checkHost('api.example.com')).toBe('api.example.com')
    expect(certificate.checkIP('10.1.2.3')).toBe('10.1.2.3')
    expect(readFileSync(path.join(folder, 'admin.kubeconfig'), 'utf8')).toContain('https://api.example.com:6443')
    expect(readFileSync(path.join(folder, 'quarterdeck.yaml'), 'utf8')).toMatch(/^bind-address: "0\.0\.0\.0"$/m)
  })

  it('overwrites nothing', async () => {
    const folder = path.join(await newHome(), 'made')
    await quarterdeck('init', folder)
    const key = readFileSync(path.join(folder, 'pki/service-account.key'), 'utf8')
    await expect(quarterdeck('init', folder)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^quarterdeck: \S+quarterdeck\.yaml exists already: [^\n]+\n$/) as string,
    })
    expect(readFileSync(path.join(folder, 'pki/service-account.key'), 'utf8')).toBe(key)
  })

  it.each([
    [[], 'give one folder'],
    [['--url', 'http://here', 'x'], '--url must be an https: URL, not http://here'],
    [['--host', 'a', 'x'], "Unknown option '--host'"],
  ])('%j is refused', async (args, message) => {
    await expect(quarterdeck('init', ...args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    })
  })
})

describe('quarterdeck completion', () => {
  /** What bash offers for a line that ends where the cursor is. */
  async function offered(...words: string[]): Promise<readonly string[]> {
    const script = `source <(${process.execPath} ${COMMAND} completion bash)
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
      _quarterdeck; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await run('bash', ['-c', script])
    return stdout.split('\n').filter((line) => line !== '')
  }

  it('offers commands, then the flags of one', async () => {
    expect(await offered('quarterdeck', 'st')).toEqual(['store'])
    expect(await offered('quarterdeck', 'serve', '--secure')).toEqual(['--secure-port'])
    expect(await offered('quarterdeck', 'top', '--')).toContain('--output')
    expect(await offered('quarterdeck', 'top', '--')).not.toContain('--secure-port')
  })

  it('leaves names of files to the shell', async () => {
    expect(await offered('quarterdeck', 'check', '')).toEqual([])
  })

  it.each(['zsh', 'fish'])('has a script for %s, with every flag of serve', async (shell) => {
    const { stdout } = await quarterdeck('completion', shell)
    expect(stdout).toMatch(/secure-port/)
    expect(stdout).toMatch(/worker-stall-timeout/)
  })

  it('knows no other shell', async () => {
    await expect(quarterdeck('completion', 'tcsh')).rejects.toMatchObject({ code: 2 })
  })
})
