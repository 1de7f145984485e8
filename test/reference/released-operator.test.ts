// cert-manager, a released operator, from its installation to its removal: its controllers, its injector and its webhook run against
// a server process of ours, issue a hundred certificates, and leave nothing behind.
import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import { expect, it } from 'vitest'
import { runProgram } from '../rigs/child-program.ts'
import { freePort } from '../rigs/free-port.ts'
import { buildCertManager } from '../rigs/go-client.ts'
import { PlainClient } from '../rigs/plain-client.ts'
import { readModules } from '../corpora/public-modules.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { listablePaths } from '../rigs/whole-api.ts'

const MODULE = 'github.com/cert-manager/cert-manager@v1.21.2'
const CERTIFICATES = 100
const GROUP = '/apis/cert-manager.io/v1'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const HOOKS = '/apis/admissionregistration.k8s.io/v1'
const MANY = { timeout: 240_000, interval: 500 }

interface Listed {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[]
  }
  readonly data?: Readonly<Record<string, string>>
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function list(client: PlainClient, path: string): Promise<readonly Listed[]> {
  const { items } = (await client.must(path)) as { items: readonly Listed[] }
  return items
}

const nameOf = ({ metadata }: Listed): string => metadata.name
const isReady = ({ status }: Listed): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')

/** Every object of every kind but events, which speak of what was. */
async function everything(client: PlainClient): Promise<readonly string[]> {
  const all: string[] = []
  for (const path of await listablePaths(client)) {
    if (path.endsWith('/events')) continue
    for (const { metadata } of await list(client, path))
      all.push(`${path} ${metadata.namespace ?? ''} ${metadata.name}`)
  }
  return all.sort()
}

/** Until the server has made all that it makes by itself. */
async function settled(client: PlainClient): Promise<void> {
  const names = async (path: string): Promise<readonly string[]> => (await list(client, path)).map(nameOf).sort()
  const { groups } = (await client.must('/apis')) as { groups: { name: string; versions: { version: string }[] }[] }
  const versions = groups
    .filter(({ name }) => name !== 'apiregistration.k8s.io')
    .flatMap(({ name, versions: all }) => all.map(({ version }) => `${version}.${name}`))
  await expect.poll(() => names('/apis/apiregistration.k8s.io/v1/apiservices')).toEqual(['v1.', ...versions].sort())
  await expect.poll(() => names('/api/v1/serviceaccounts')).toHaveLength(4)
  const rootAuthorities = async (): Promise<readonly string[]> =>
    (await names('/api/v1/configmaps')).filter((name) => name === 'kube-root-ca.crt')
  await expect.poll(rootAuthorities).toHaveLength(4)
  await expect.poll(() => names('/apis/coordination.k8s.io/v1/leases')).toHaveLength(1)
}

interface Wanted {
  readonly name: string
  readonly namespace: string
  readonly issuer: string
  readonly issuerKind?: string
  readonly isCA?: boolean
}

function certificate({ name, namespace, issuer, issuerKind = 'Issuer', isCA = false }: Wanted): object {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace },
    spec: {
      secretName: `${name}-tls`,
      issuerRef: { name: issuer, kind: issuerKind },
      privateKey: { algorithm: 'ECDSA', size: 256 },
      ...(isCA ? { isCA, commonName: name } : { dnsNames: [`${name}.example.com`] }),
    },
  }
}

function hooks(kind: 'Validating' | 'Mutating', url: string, rule: object): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: {
      name: 'cert-manager-webhook',
      annotations: { 'cert-manager.io/inject-ca-from-secret': 'cert-manager/cert-manager-webhook-ca' },
    },
    webhooks: [
      {
        name: 'webhook.cert-manager.io',
        rules: [{ apiGroups: ['cert-manager.io', 'acme.cert-manager.io'], apiVersions: ['v1'], ...rule }],
        admissionReviewVersions: ['v1'],
        matchPolicy: 'Equivalent',
        failurePolicy: 'Fail',
        sideEffects: 'None',
        clientConfig: { url },
      },
    ],
  }
}

function isAnswering(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(url, (answer) => resolve(answer.resume().statusCode === 200))
    request.on('error', () => resolve(false))
  })
}

it('runs cert-manager from its installation to its removal, and nothing is left', async () => {
  const [controller, cainjector, webhook] = [
    await buildCertManager('controller'),
    await buildCertManager('cainjector'),
    await buildCertManager('webhook'),
  ]
  const server = await startServerProcess([], await newHome())
  const kubeconfig = `--kubeconfig=${server.kubeconfigFile}`
  using client = new PlainClient({ url: server.url, token: server.adminToken })
  const make = (path: string, body: object): Promise<unknown> => client.must(path, { method: 'POST', body })
  const remove = (path: string, body: object = {}): Promise<unknown> => client.must(path, { method: 'DELETE', body })
  const namesIn = async (path: string): Promise<readonly string[]> => (await list(client, path)).map(nameOf).sort()
  const gone = (path: string): Promise<void> => expect.poll(() => list(client, path), MANY).toEqual([])
  await settled(client)
  const before = await everything(client)

  const definitions = (await readModules([MODULE])).filter(({ place }) => place.startsWith('deploy/crds/'))
  for (const { value } of definitions) await make(DEFINITIONS, value)
  for (const name of ['cert-manager', 'shop']) await make('/api/v1/namespaces', { metadata: { name } })
  const [port, health] = [await freePort(), await freePort()]
  const hook = runProgram(webhook, [kubeconfig, `--secure-port=${port}`, `--healthz-port=${health}`])
  const injector = runProgram(cainjector, [kubeconfig])
  const issuing = runProgram(controller, [kubeconfig, '--enable-certificate-owner-ref'])
  await hook.until(() => isAnswering(`http://127.0.0.1:${health}/healthz`))

  const everyWrite = { operations: ['CREATE', 'UPDATE'], resources: ['*/*'] }
  const requests = { operations: ['CREATE'], resources: ['certificaterequests'] }
  await make(
    `${HOOKS}/validatingwebhookconfigurations`,
    hooks('Validating', `https://localhost:${port}/validate`, everyWrite),
  )
  await make(`${HOOKS}/mutatingwebhookconfigurations`, hooks('Mutating', `https://localhost:${port}/mutate`, requests))
  for (const kind of ['validating', 'mutating']) {
    const path = `${HOOKS}/${kind}webhookconfigurations/cert-manager-webhook`
    await injector.until(async () => JSON.stringify(await client.must(path)).includes('"caBundle"'))
  }
  const nameless = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'nameless' } }
  const refused = await client.send(`${GROUP}/namespaces/shop/certificates`, {
    method: 'POST',
    body: { ...nameless, spec: { secretName: 'x', issuerRef: { name: 'any' } } },
  })
  expect({ status: refused.status, words: refused.bytes.toString() }).toMatchObject({
    status: 403,
    words: expect.stringContaining('admission webhook \\"webhook.cert-manager.io\\" denied the request') as string,
  })

  // A root that signs itself, an issuer of the cluster on that, one of the shop on an authority between, and one that signs nothing else.
  const issuer = (kind: string, name: string, spec: object): object => ({
    apiVersion: 'cert-manager.io/v1',
    kind,
    metadata: { name },
    spec,
  })
  await make(`${GROUP}/clusterissuers`, issuer('ClusterIssuer', 'itself', { selfSigned: {} }))
  const root = { name: 'root', namespace: 'cert-manager', issuer: 'itself', issuerKind: 'ClusterIssuer', isCA: true }
  await make(`${GROUP}/namespaces/cert-manager/certificates`, certificate(root))
  await make(`${GROUP}/clusterissuers`, issuer('ClusterIssuer', 'authority', { ca: { secretName: 'root-tls' } }))
  const between = { name: 'between', namespace: 'shop', issuer: 'authority', issuerKind: 'ClusterIssuer', isCA: true }
  await make(`${GROUP}/namespaces/shop/certificates`, certificate(between))
  await make(`${GROUP}/namespaces/shop/issuers`, issuer('Issuer', 'shop', { ca: { secretName: 'between-tls' } }))
  await make(`${GROUP}/namespaces/shop/issuers`, issuer('Issuer', 'itself', { selfSigned: {} }))
  for (const kind of ['clusterissuers', 'issuers']) {
    await issuing.until(async () => (await list(client, `${GROUP}/${kind}`)).filter(isReady).length === 2)
  }

  const names = Array.from({ length: CERTIFICATES }, (_, i) => `c${i}`)
  for (const [i, name] of names.entries()) {
    const one = { name, namespace: 'shop', issuer: i % 10 === 0 ? 'itself' : 'shop' }
    await make(`${GROUP}/namespaces/shop/certificates`, certificate(one))
  }
  const ofShop = `${GROUP}/namespaces/shop/certificates`
  await expect.poll(async () => (await list(client, ofShop)).filter(isReady).length, MANY).toBe(CERTIFICATES + 1)
  // The next private key of a certificate is a secret for a moment too.
  const secretNames = ['between', ...names].map((name) => `${name}-tls`).sort()
  await expect.poll(() => namesIn('/api/v1/namespaces/shop/secrets'), MANY).toEqual(secretNames)
  const secrets = await list(client, '/api/v1/namespaces/shop/secrets')
  for (const { metadata } of secrets) {
    const owner = metadata.name.replace(/-tls$/, '')
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Certificate', name: owner }])
  }
  const read = (name: string): X509Certificate => {
    const data = secrets.find(({ metadata }) => metadata.name === `${name}-tls`)?.data?.['tls.crt'] ?? ''
    return new X509Certificate(Buffer.from(data, 'base64'))
  }
  expect(read('c1').verify(read('between').publicKey)).toBe(true)
  expect(read('c10').verify(read('c10').publicKey)).toBe(true)
  expect(await list(client, `${GROUP}/namespaces/shop/certificaterequests`)).toHaveLength(CERTIFICATES + 1)

  // Half of them one by one, by either policy that takes the secrets with them.
  const first = names.slice(0, CERTIFICATES / 2)
  for (const [i, name] of first.entries()) {
    await remove(`${ofShop}/${name}`, { propagationPolicy: i % 2 === 0 ? 'Background' : 'Foreground' })
  }
  const kept = ['between', ...names.slice(CERTIFICATES / 2)].sort()
  await expect.poll(() => namesIn(ofShop), MANY).toEqual(kept)
  await expect.poll(() => namesIn('/api/v1/namespaces/shop/secrets'), MANY).toEqual(kept.map((name) => `${name}-tls`))
  const requestsOfShop = `${GROUP}/namespaces/shop/certificaterequests`
  await expect.poll(() => list(client, requestsOfShop), MANY).toHaveLength(kept.length)

  // The others with their namespace, and what is of the cluster with its definitions.
  await remove('/api/v1/namespaces/shop')
  await expect.poll(async () => (await client.send('/api/v1/namespaces/shop')).status, MANY).toBe(404)
  await gone(`${GROUP}/namespaces/shop/certificates`)
  await gone(requestsOfShop)
  await gone('/api/v1/namespaces/shop/secrets')
  await remove(`${GROUP}/namespaces/cert-manager/certificates/root`)
  await expect.poll(() => namesIn('/api/v1/namespaces/cert-manager/secrets'), MANY).toEqual(['cert-manager-webhook-ca'])
  for (const kind of ['validating', 'mutating']) {
    await remove(`${HOOKS}/${kind}webhookconfigurations/cert-manager-webhook`)
  }
  await gone('/apis/acme.cert-manager.io/v1/orders')
  for (const program of [hook, injector, issuing]) await program.stop()
  for (const { value } of definitions) {
    await remove(`${DEFINITIONS}/${(value['metadata'] as { name: string }).name}`)
  }
  await gone(DEFINITIONS)
  expect(await namesIn('/apis/coordination.k8s.io/v1/namespaces/cert-manager/leases')).toEqual([
    'cert-manager-cainjector-leader-election',
  ])
  await remove('/api/v1/namespaces/cert-manager')
  await expect.poll(() => everything(client), MANY).toEqual(before)
})
