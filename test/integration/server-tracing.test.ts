// Traces of requests, as a collector gets them.
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeAuthority, makeServing, makeSigned } from '../../src/pki/certificate-maker.ts'
import { startEtcd } from '../rigs/etcd-server.ts'
import { openOtlpReceiver, type ReceivedSpan } from '../fakes/otlp-receiver.ts'
import { openReplica, type OpenServer, openServer, openServerWith } from '../rigs/running-server.ts'
import { tempFolder } from '../rigs/temp-folder.ts'
import { ALLOW, openWebhookServer } from '../fakes/webhook-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const TRACED = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=x' }

async function tracingFile(endpoint: string, rate = 1_000_000): Promise<string> {
  const file = path.join(await tempFolder(), 'tracing.yaml')
  const lines = ['apiVersion: apiserver.config.k8s.io/v1', 'kind: TracingConfiguration', `endpoint: ${endpoint}`]
  await writeFile(file, [...lines, `samplingRatePerMillion: ${rate}`].join('\n'))
  return file
}

/** What a server tells a collector of what is done; all of it is there when the server has stopped. */
async function spansOf(
  use: (server: OpenServer) => Promise<void>,
  { over = 'grpc', rate = 1_000_000 }: { over?: 'grpc' | 'unix' | 'http'; rate?: number } = {},
): Promise<readonly ReceivedSpan[]> {
  await using receiver = await openOtlpReceiver()
  const file = await tracingFile(receiver[`${over}Endpoint`], rate)
  const tokens = path.join(await tempFolder(), 'tokens.csv')
  await writeFile(tokens, 'someone,someone,1\nmonitor,monitor,2,system:monitoring\n')
  {
    await using server = await openServer(['--tracing-config-file', file, '--token-auth-file', tokens])
    await use(server)
  }
  return receiver.spans
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

describe('a traced request', () => {
  it.each(['grpc', 'unix', 'http'] as const)('is a span of a server with its steps below it, over %s', async (over) => {
    const made = { metadata: { name: 'c' } }
    const spans = await spansOf(async (server) => void (await server.must(MAPS, { method: 'POST', body: made })), {
      over,
    })
    const root = named(spans, 'POST /api/v1/namespaces/{:namespace}/configmaps')
    expect(root).toMatchObject({ service: 'apiserver', parentId: '', kind: 2, links: [] })
    expect(root.attributes).toMatchObject({
      'http.request.method': 'POST',
      'url.path': MAPS,
      'http.response.status_code': 201,
      'audit-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    const steps = spans.filter(({ parentId }) => parentId === root.spanId).map(({ name }) => name)
    expect(new Set(steps)).toEqual(
      new Set([
        'Authentication',
        'Priority and fairness',
        'Authorization',
        'Mutating admission',
        'Validating admission',
        'Write',
        'Response',
      ]),
    )
    const write = named(spans, 'Write')
    expect(write.attributes).toEqual({ resource: 'configmaps' })
    expect(named(spans, 'Storage commit')).toMatchObject({ parentId: write.spanId, kind: 3 })
    for (const span of spans) expect(span.traceId).toBe(root.traceId)
    for (const span of spans) expect(span.milliseconds).toBeLessThanOrEqual(root.milliseconds + 1)
  })

  it('goes on with the trace of an administrator or a monitor, and links to those of others', async () => {
    const spans = await spansOf(async (server) => {
      await server.must(`${MAPS}/kube-root-ca.crt`, { headers: TRACED }).catch(() => {})
      await server.request('/version', { headers: TRACED, token: 'monitor' })
      await server.request(MAPS, { headers: TRACED, token: 'someone' })
      await server.request('/livez', { headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` } })
    })
    expect(named(spans, 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}')).toMatchObject({
      traceId: TRACE,
      parentId: PARENT,
      state: 'vendor=x',
      links: [],
    })
    const list = named(spans, 'GET /api/v1/namespaces/{:namespace}/configmaps')
    expect(list).toMatchObject({ parentId: '', links: [TRACE] })
    expect(list.traceId).not.toBe(TRACE)
    expect(list.attributes['http.response.status_code']).toBe(403)
    const paths = spans.filter(({ name }) => name === 'GET')
    expect(paths.find(({ attributes }) => attributes['url.path'] === '/version')?.parentId).toBe(PARENT)
    expect(paths.find(({ attributes }) => attributes['url.path'] === '/livez')).toMatchObject({
      parentId: '',
      links: [],
    })
  })

  it('is one that was chosen, or that is part of a trace that was', async () => {
    const spans = await spansOf(
      async (server) => {
        await server.must(MAPS)
        await server.must(`${MAPS}?limit=1`, { headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
        await server.must('/api/v1/nodes', { headers: TRACED })
      },
      { rate: 0 },
    )
    expect(spans.filter(({ kind }) => kind === 2).map(({ name }) => name)).toEqual(['GET /api/v1/nodes'])
  })

  it('lasts as long as its answer', async () => {
    const spans = await spansOf(async (server) => void (await server.request(`${MAPS}?watch=1&timeoutSeconds=1`)))
    expect(named(spans, 'GET /api/v1/namespaces/{:namespace}/configmaps').milliseconds).toBeGreaterThan(900)
  })

  it('takes webhooks with it', async () => {
    await using hooks = await openWebhookServer()
    hooks.on('/hook', ALLOW)
    const spans = await spansOf(async (server) => {
      const webhook = {
        name: 'hook.example.com',
        clientConfig: { url: `${hooks.url}/hook`, caBundle: hooks.caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      }
      const configuration = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'hook' },
        webhooks: [webhook],
      }
      const at = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
      await server.must(at, { method: 'POST', body: configuration })
      await expect
        .poll(async () => {
          const body = { metadata: { generateName: 'c-' } }
          await server.must(MAPS, { method: 'POST', body, headers: { 'content-type': 'application/json', ...TRACED } })
          return hooks.calls.length
        })
        .toBeGreaterThan(0)
    })
    const call = named(spans, 'Outgoing call')
    expect(call).toMatchObject({ traceId: TRACE, kind: 3, attributes: { 'url.full': `${hooks.url}/hook` } })
    expect(hooks.calls[0]?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${call.spanId}-01`,
      tracestate: 'vendor=x',
    })
    const around = spans.find(({ spanId }) => spanId === call.parentId)
    expect(around?.name).toBe('Validating admission')
  })

  it('goes on in a server behind this one, which serves the group', async () => {
    await using receiver = await openOtlpReceiver()
    const tracing = ['--tracing-config-file', await tracingFile(receiver.grpcEndpoint)]
    const pki = await makeAggregationPki()
    {
      const { authority } = pki
      await using behind = await openServerWith(['--in-memory', ...tracing, ...pki.behind], { authority })
      await using front = await openServer([...tracing, ...pki.front])
      await serveBehind(front, behind)
      await front.must(REMOTE, { headers: TRACED })
    }
    const ofTrace = receiver.spans.filter(({ traceId }) => traceId === TRACE)
    const [asked, answered] = ofTrace
      .filter(({ kind, name }) => kind === 2 && name.endsWith('/widgets'))
      .toSorted((a, b) => b.milliseconds - a.milliseconds)
    expect([asked?.parentId, asked?.state]).toEqual([PARENT, 'vendor=x'])
    const call = ofTrace.find(({ spanId }) => spanId === answered?.parentId)
    expect(call).toMatchObject({ name: 'Outgoing call', parentId: asked?.spanId, kind: 3 })
    expect(answered?.state).toBe('vendor=x')
  })

  it('takes etcd with it', async () => {
    await using etcd = await startEtcd()
    const sent: Buffer[] = []
    const proxy = createServer((client) => {
      const upstream = connect(Number(new URL(etcd.endpoint).port), '127.0.0.1')
      client.on('data', (chunk) => sent.push(chunk))
      client.pipe(upstream).pipe(client)
      for (const socket of [client, upstream]) socket.on('error', () => {})
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => void proxy.close())
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    await using receiver = await openOtlpReceiver()
    const file = await tracingFile(receiver.grpcEndpoint)
    {
      await using server = await openReplica(endpoint, ['--tracing-config-file', file])
      await server.must(MAPS, { method: 'POST', body: { metadata: { name: 'c' } } })
    }
    const put = receiver.spans.find(
      ({ name, traceId }) => name === 'Storage commit' && isOfMaps(receiver.spans, traceId),
    )
    expect(Buffer.concat(sent).toString('latin1')).toContain(`00-${put?.traceId}-${put?.spanId}-01`)
  })
})

function isOfMaps(spans: readonly ReceivedSpan[], traceId: string): boolean {
  return spans.some((span) => span.traceId === traceId && span.name.startsWith('POST '))
}

const REMOTE = '/apis/remote.example.com/v1/namespaces/default/widgets'

interface AggregationPki {
  /** Of the certificate of the server behind, PEM. */
  readonly authority: string
  readonly front: readonly string[]
  readonly behind: readonly string[]
}

/** What a server needs to stand behind another, which tells it for whom it asks. */
async function makeAggregationPki(): Promise<AggregationPki> {
  const folder = await tempFolder()
  const hour = 3_600_000
  const save = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(folder, name), text)
    return path.join(folder, name)
  }
  const [authority, proxies] = [makeAuthority(hour), makeAuthority(hour)]
  const serving = makeServing(authority, { dns: ['behind.default.svc'], addresses: ['127.0.0.1'] }, hour)
  const proxy = makeSigned(proxies, { commonName: 'front', usages: ['client'] }, hour)
  return {
    authority: authority.certificate,
    front: [
      `--proxy-client-cert-file=${await save('proxy.crt', proxy.certificate)}`,
      `--proxy-client-key-file=${await save('proxy.key', proxy.key)}`,
    ],
    behind: [
      `--tls-cert-file=${await save('behind.crt', serving.certificate)}`,
      `--tls-private-key-file=${await save('behind.key', serving.key)}`,
      `--requestheader-client-ca-file=${await save('proxies.crt', proxies.certificate)}`,
    ],
  }
}

/** Resolves when a group of the one is served by the other. */
async function serveBehind(front: OpenServer, behind: OpenServer): Promise<void> {
  const group = 'remote.example.com'
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const definition = {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  }
  await behind.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body: definition })
  const service = { metadata: { name: 'behind' }, spec: { type: 'ExternalName', externalName: 'localhost' } }
  await front.must('/api/v1/namespaces/default/services', { method: 'POST', body: service })
  const caBundle = Buffer.from(behind.authority).toString('base64')
  const port = Number(new URL(behind.url).port)
  const apiService = {
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: 'v1',
      service: { namespace: 'default', name: 'behind', port },
      caBundle,
      groupPriorityMinimum: 1000,
      versionPriority: 10,
    },
  }
  await front.must('/apis/apiregistration.k8s.io/v1/apiservices', { method: 'POST', body: apiService })
  await expect.poll(async () => (await front.request(REMOTE)).status).toBe(200)
}
