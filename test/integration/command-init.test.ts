// `quarterdeck init` and `quarterdeck completion`.
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Client, k8s } from '../../src/client/client.ts'
import { COMMAND } from '../rigs/command.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { freePort } from '../rigs/free-port.ts'
import { findKubectls, Kubectl } from '../rigs/kubectl.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

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

  it('has the server print a kubeconfig that kubectl trusts, and so does --hosts', async () => {
    for (const hosts of [[], ['--hosts', 'api.example.com']]) {
      const home = await newHome()
      await quarterdeck('init', ...hosts, path.join(home, 'made'))
      const flags = [
        '--config',
        path.join(home, 'made/quarterdeck.yaml'),
        '--secure-port=0',
        '--bind-address=127.0.0.1',
      ]
      const server = await startServerProcess(flags, await newHome())
      const [binary] = await findKubectls()
      const kubectl = new Kubectl(binary!, { kubeconfig: server.kubeconfigFile, home })
      expect(await kubectl.run(['get', '--raw', '/readyz'])).toEqual({ code: 0, stdout: 'ok', stderr: '' })
      await server.stop()
    }
  })

  it('makes nothing where it cannot write, and does not wait', async () => {
    const home = await newHome()
    writeFileSync(path.join(home, 'file'), '')
    symlinkSync('nowhere', path.join(home, 'dangling'))
    for (const [folder, reason] of [
      ['/proc/x', 'nothing can be created there'],
      ['/proc/x/y', 'nothing can be created there'],
      [path.join(home, 'file'), 'it is not a directory'],
      [path.join(home, 'file/below'), 'it is not a directory'],
      [path.join(home, 'dangling'), 'a file of that name exists'],
    ] as const) {
      await expect(quarterdeck('init', folder), folder).rejects.toMatchObject({
        code: 1,
        stderr: `quarterdeck: cannot write to ${folder}: ${reason}\n`,
      })
    }
    expect(readdirSync(home)).toEqual(['dangling', 'file'])
  })

  it('keeps the keys that are there, also without a configuration beside them', async () => {
    for (const name of ['pki', 'admin.kubeconfig']) {
      const folder = await newHome()
      mkdirSync(path.join(folder, name))
      await expect(quarterdeck('init', folder)).rejects.toMatchObject({
        stderr: expect.stringContaining(`${name} exists already`) as string,
      })
      expect(readdirSync(folder)).toEqual([name])
    }
  })

  type Refused = readonly [args: readonly string[], message: string]
  const REFUSED: readonly Refused[] = [
    [[''], 'an argument is empty: give one folder'],
    [['127.0.0.1:6443'], 'is an address, not a directory'],
    [['--etcd-servers', 'foo', 'x'], '--etcd-servers: "foo" is not http://host:port'],
    [['--etcd-servers', 'http://etcd.example.com:2379', 'x'], 'is a remote etcd without TLS'],
    [['--etcd-servers', '', 'x'], '--etcd-servers needs a value'],
    [['--hosts', 'a b', 'x'], '--hosts: "a b" is neither a host name nor an IP address'],
    [['--hosts', 'https://a', 'x'], '--hosts: "https://a" is neither'],
    [['--url', 'https://', 'x'], '--url must be an https: URL'],
    [[' '], 'an argument is empty: give one folder'],
    [['--hosts', ',', 'x'], '--hosts needs a value'],
    ...['999.1.1.1', '1.1', '12', 'a.0x1', 'a-', '-a', 'x'.repeat(64)].map(
      (host): Refused => [['--hosts', host, 'x'], `--hosts: "${host}" is neither a host name nor an IP address`],
    ),
    ...['u:p@h:1', 'u@h', 'h?y', 'h/x?', 'h#z', 'h/#', 'h\\\\x', 'h:99999'].map(
      (rest): Refused => [['--url', `https://${rest}`, 'x'], '--url must be an https: URL without a user'],
    ),
    [[], 'give one folder'],
    [
      ['--url', 'http://here', 'x'],
      '--url must be an https: URL without a user, a query or a fragment, not http://here',
    ],
    [['--host', 'a', 'x'], 'unknown flag --host; did you mean --hosts?'],
  ]
  it.each(REFUSED)('%j is refused', async (args, message) => {
    const home = await newHome()
    await expect(run(process.execPath, [COMMAND, 'init', ...args], { cwd: home })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    })
    expect(readdirSync(home)).toEqual([])
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
