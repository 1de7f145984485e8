import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { defaultConnection, readKubeconfig } from '../../../src/client/kubeconfig.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'quarterdeck-kubeconfig-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

function write(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

const YAML = `
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: main
  cluster:
    server: https://main:6443
    certificate-authority-data: ${base64('authority')}
- name: other
  cluster: { server: "https://other", certificate-authority: ca.pem, tls-server-name: kube, insecure-skip-tls-verify: true }
contexts:
- { name: one, context: { cluster: main, user: robot, namespace: here } }
- { name: two, context: { cluster: other, user: person } }
- { name: three, context: { cluster: other, user: plugin } }
- { name: anonymous, context: { cluster: main } }
- { name: lost, context: { cluster: nowhere, user: robot } }
users:
- { name: robot, user: { token: secret, as: somebody, as-groups: [a, b] } }
- { name: person, user: { client-certificate: cert.pem, client-key-data: ${base64('key')}, tokenFile: token } }
- name: plugin
  user:
    exec: { apiVersion: client.authentication.k8s.io/v1, command: ./bin/login, args: [now], env: null, interactiveMode: Never }
`

describe('a kubeconfig', () => {
  it('is text, of which the current context counts', () => {
    expect(readKubeconfig(YAML)).toEqual({
      url: 'https://main:6443',
      ca: 'authority',
      token: 'secret',
      impersonate: { user: 'somebody', groups: ['a', 'b'] },
    })
  })

  it('is a file, to which paths in it are relative', () => {
    write('ca.pem', 'authority of a file')
    write('cert.pem', 'certificate of a file')
    const file = write('config', YAML)
    expect(readKubeconfig(file, 'two')).toEqual({
      url: 'https://other',
      ca: 'authority of a file',
      serverName: 'kube',
      insecureSkipTlsVerify: true,
      clientCertificate: 'certificate of a file',
      clientKey: 'key',
      tokenFile: path.join(folder, 'token'),
    })
    expect(readKubeconfig(file, 'three').exec).toMatchObject({ command: path.join(folder, 'bin/login'), args: ['now'] })
  })

  it('is an object, or JSON', () => {
    const config = {
      'current-context': 'x',
      clusters: [{ name: 'x', cluster: { server: 'https://x' } }],
      contexts: [{ name: 'x', context: { cluster: 'x' } }],
    }
    expect(readKubeconfig(config)).toEqual({ url: 'https://x' })
    expect(readKubeconfig(JSON.stringify(config))).toEqual({ url: 'https://x' })
  })

  it.each([
    ['a context that is not there', () => readKubeconfig(YAML, 'four'), 'has no context named "four"'],
    ['a cluster that is not there', () => readKubeconfig(YAML, 'lost'), 'has no cluster named "nowhere"'],
    ['no current context', () => readKubeconfig({}), 'has no current-context: give the context to use'],
    ['nothing at all', () => readKubeconfig('\n'), 'the kubeconfig is neither YAML nor JSON: expected a document'],
  ])('says what is wrong: %s', (_, read, message) => {
    expect(read).toThrow(message)
  })

  it('may be several files, of which the first that has a name counts', () => {
    const main = write('main', YAML.replace('current-context: one', ''))
    const first = `current-context: anonymous\nclusters: [{ name: main, cluster: { server: "https://first" } }]\n`
    vi.stubEnv('KUBECONFIG', [write('first', first), path.join(folder, 'missing'), main].join(path.delimiter))
    expect(defaultConnection()).toEqual({ url: 'https://first' })
    expect(defaultConnection('one').token).toBe('secret')
  })

  it('is not looked for elsewhere where KUBECONFIG names none that exists', () => {
    vi.stubEnv('KUBECONFIG', ['/nowhere/config', '/nowhere/other'].join(path.delimiter))
    expect(() => defaultConnection()).toThrow('KUBECONFIG names no file that exists: /nowhere/config:/nowhere/other')
  })

  it('is looked for at home, and it is said where it could be', () => {
    vi.stubEnv('KUBECONFIG', '')
    vi.stubEnv('HOME', path.join(folder, 'nobody'))
    expect(() => defaultConnection()).toThrow('give url or kubeconfig, set KUBECONFIG, or have a ~/.kube/config')
  })
})
