// Webhooks that want to know who calls them, and a server that is asked about images: what the operator's admission file says of
// them, on the whole server.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority, makeServing, makeSigned } from '../../src/pki/certificate-maker.ts'
import { openServer, type OpenServer } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'

const HOUR = 3_600_000
const authority = makeAuthority(HOUR)
const serving = makeServing(authority, { dns: [], addresses: ['127.0.0.1'] }, HOUR)
const client = makeSigned(authority, { commonName: 'the-api-server', usages: ['client'] }, HOUR)

interface Seen {
  readonly path: string
  /** Whom the certificate names; undefined where there was none. */
  readonly by: string | undefined
  readonly authorization: string | undefined
}

interface Webhook {
  readonly url: string
  readonly seen: Seen[]
}

type Review = Readonly<Record<string, unknown>> & { readonly request: { readonly uid: string } }

async function webhook(answer: (review: Review) => object): Promise<Webhook> {
  const seen: Seen[] = []
  const options = { cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true }
  const server = createServer({ ...options, rejectUnauthorized: false }, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const [at = ''] = (request.url ?? '').split('?')
      const peer = (request.socket as TLSSocket).getPeerCertificate() as { readonly subject?: { readonly CN?: string } }
      seen.push({ path: at, by: peer.subject?.CN, authorization: request.headers.authorization })
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(JSON.parse(body) as Review)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

async function started(plugins: readonly object[], folder: string, ...flags: readonly string[]): Promise<OpenServer> {
  const file = path.join(folder, 'admission.json')
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }),
  )
  const server = await openServer(['--admission-control-config-file', file, ...flags])
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

function write(folder: string, name: string, content: object): string {
  const file = path.join(folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64')
const CERTIFICATE = {
  'client-certificate-data': inBase64(client.certificate),
  'client-key-data': inBase64(client.key),
}

describe('what webhooks are shown', () => {
  it('is what the kubeconfig of their kind has for their host', async () => {
    const folder = await tempFolder()
    const hook = await webhook(({ apiVersion, kind, request }) => ({
      apiVersion,
      kind,
      response: { uid: request.uid, allowed: true },
    }))
    const users = [
      { name: new URL(hook.url).host, user: CERTIFICATE },
      { name: '*', user: { token: 'for-all-others' } },
    ]
    const configuration = (kubeConfigFile: string): object => ({
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile,
    })
    const server = await started(
      [
        { name: 'MutatingAdmissionWebhook', configuration: configuration(write(folder, 'a.json', { users })) },
        {
          name: 'ValidatingAdmissionWebhook',
          configuration: configuration(write(folder, 'b.json', { users: users.slice(1) })),
        },
      ],
      folder,
    )
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]
    for (const [kind, resource] of [
      ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
      ['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
    ]) {
      const clientConfig = { url: `${hook.url}/${kind}`, caBundle: inBase64(authority.certificate) }
      const more = { sideEffects: 'None', admissionReviewVersions: ['v1'] }
      const webhooks = [{ name: 'hook.example.com', clientConfig, rules, ...more }]
      await server.must(`/apis/admissionregistration.k8s.io/v1/${resource}`, {
        method: 'POST',
        body: { kind, apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'h' }, webhooks },
      })
    }
    await expect
      .poll(async () => {
        await server.must('/api/v1/namespaces/default/configmaps?dryRun=All', {
          method: 'POST',
          body: { metadata: { name: 'c' } },
        })
        return new Set(hook.seen.map(({ path: at }) => at)).size
      })
      .toBe(2)
    expect(hook.seen.find(({ path: at }) => at === '/MutatingWebhookConfiguration')).toMatchObject({
      by: 'the-api-server',
      authorization: undefined,
    })
    expect(hook.seen.find(({ path: at }) => at === '/ValidatingWebhookConfiguration')).toMatchObject({
      by: undefined,
      authorization: 'Bearer for-all-others',
    })
  })
})

describe('a server that is asked about images', () => {
  it('is reached as its kubeconfig says, and decides about pods', async () => {
    const folder = await tempFolder()
    const hook = await webhook((review) => {
      const { containers } = review['spec'] as { readonly containers: readonly { readonly image: string }[] }
      const allowed = containers.every(({ image }) => image.startsWith('good/'))
      return { ...review, status: allowed ? { allowed } : { allowed, reason: 'not ours' } }
    })
    const kubeConfigFile = write(folder, 'images.json', {
      clusters: [
        { name: 'c', cluster: { server: hook.url, 'certificate-authority-data': inBase64(authority.certificate) } },
      ],
      users: [{ name: 'u', user: CERTIFICATE }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    })
    const plugin = { name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile } } }
    const server = await started([plugin], folder, '--enable-admission-plugins', 'ImagePolicyWebhook')
    const status = async (image: string): Promise<string> => {
      const body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image }] } }
      const answer = await server.request('/api/v1/namespaces/default/pods?dryRun=All', { method: 'POST', body })
      return `${answer.status} ${answer.status === 201 ? '' : (answer.json()['message'] as string)}`
    }
    await expect.poll(() => status('good/one')).toBe('201 ')
    expect(await status('bad/one')).toBe(
      '403 pods "p" is forbidden: image policy webhook backend denied one or more images: not ours',
    )
    expect(hook.seen[0]).toMatchObject({ by: 'the-api-server' })
  })

  it('has to be named where the plugin is on', async () => {
    await expect(openServer(['--enable-admission-plugins', 'ImagePolicyWebhook'])).rejects.toThrow(
      'requires a kubeconfig',
    )
  })
})
