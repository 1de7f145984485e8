import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readHostCredentials, readWebhookKubeconfig } from '../../../src/config/webhook-kubeconfig.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

const FLAG = '--authentication-token-webhook-config-file'

function config(cluster: string, user = '{}', current = 'c'): string {
  return `
clusters: [{name: a, cluster: ${cluster}}]
users: [{name: u, user: ${user}}]
contexts: [{name: c, context: {cluster: a, user: u}}]
current-context: ${current}
`
}

describe('a kubeconfig of a webhook', () => {
  const read = (folder: string, text: string): ReturnType<typeof readWebhookKubeconfig> => {
    const file = join(folder, 'hook.kubeconfig')
    writeFileSync(file, text)
    return readWebhookKubeconfig(file, FLAG)
  }

  it('says whom to call, with which certificates and credentials', async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'ca.crt'), 'the authority')
    const target = read(
      folder,
      config(
        '{server: "https://hook.example:8443/check", certificate-authority: ca.crt, tls-server-name: other}',
        `{client-certificate-data: ${btoa('cert')}, client-key-data: ${btoa('key')}, token: secret}`,
      ),
    )
    expect(target).toEqual({
      url: 'https://hook.example:8443/check',
      tls: { ca: 'the authority', certificate: 'cert', key: 'key', serverName: 'other' },
      headers: { authorization: 'Bearer secret' },
    })
  })

  it('takes a name and a password too', async () => {
    const folder = await tempFolder()
    const target = read(folder, config('{server: "https://hook.example"}', '{username: a, password: b}'))
    expect(target).toEqual({
      url: 'https://hook.example/',
      tls: {},
      headers: { authorization: `Basic ${btoa('a:b')}` },
    })
  })

  it.each<[string, string, RegExp]>([
    ['nothing', '', /context of current-context does not exist/],
    ['another current context', config('{server: "https://a"}', '{}', 'd'), /current-context/],
    ['no server', config('{}'), /server of the cluster is not a URL/],
    ['a certificate without its key', config('{server: "https://a"}', '{client-certificate-data: YQ==}'), /together/],
    ['an authority that is not there', config('{server: "https://a", certificate-authority: no.crt}'), /no\.crt/],
    ['no YAML', '{', /flow|unexpected|did not find/],
  ])('refuses to start with %s', async (_name, text, message) => {
    const folder = await tempFolder()
    expect(() => read(folder, text)).toThrow(message)
    expect(() => read(folder, text)).toThrow(FLAG)
  })
})

describe('a kubeconfig with users for hosts', () => {
  const users = (...names: readonly string[]): string =>
    names.map((name) => `{name: "${name}", user: {token: "for ${name}"}}`).join(', ')
  const ALL = `users: [${users('a.b.svc:8443', '*.b.svc:8443', '*.b.svc', 'a.b.svc', '*', 'u')}]`

  it.each([
    ['a.b.svc', 8443, ALL, 'a.b.svc:8443'],
    ['x.b.svc', 8443, ALL, '*.b.svc:8443'],
    ['a.b.svc', 443, ALL, 'a.b.svc'],
    ['x.b.svc', 443, ALL, '*.b.svc'],
    ['x.b.svc', 444, ALL, '*'],
    ['elsewhere', 443, `users: [${users('u')}]\ncontexts: [{name: c, context: {user: u}}]\ncurrent-context: c`, 'u'],
  ])('has for %s:%i the one that says most', async (host, port, text, name) => {
    const file = join(await tempFolder(), 'hosts.kubeconfig')
    writeFileSync(file, text)
    const credentials = readHostCredentials(file, 'kubeConfigFile')({ host, port })
    expect(credentials).toEqual({ headers: { authorization: `Bearer for ${name}` } })
  })

  it('has nothing for hosts that it does not name, and is told where half of a pair is missing', async () => {
    const file = join(await tempFolder(), 'hosts.kubeconfig')
    writeFileSync(file, `users: [${users('a')}]`)
    expect(readHostCredentials(file, 'kubeConfigFile')({ host: 'b', port: 443 })).toEqual({})
    writeFileSync(file, `users: [{name: a, user: {client-key-data: ${btoa('key')}}}]`)
    expect(() => readHostCredentials(file, 'kubeConfigFile')).toThrow(
      'client-certificate and client-key must be set together',
    )
  })
})
