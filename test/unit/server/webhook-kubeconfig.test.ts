import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readWebhookKubeconfig } from '../../../src/server/webhook-kubeconfig.ts'
import { tempFolder } from '../../fakes/temp-folder.ts'

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
    ['nothing', '', /current-context is not among the contexts/],
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
