// The tests of the operator: each has a server of its own, with the definition in it.
import { type Client, k8s } from 'quarterdeck/client'
import type { InferInput } from 'quarterdeck/define'
import { applyYaml, eventually, serverFixtures, type ServerFixtures, waitFor } from 'quarterdeck/testing'
import { test as base, beforeAll, describe, expect } from 'vitest'
import { type HostNames, type OperatorOptions, runOperator } from './operator.ts'
import { Site } from './site.ts'

/** Hands out host names, unless the test says otherwise. */
class FakeHostNames implements HostNames {
  readonly owners = new Map<string, string>()
  /** What the next calls throw. */
  readonly failures: Error[] = []
  onClaim = (): void => {}

  async claim(host: string, owner: string): Promise<void> {
    this.onClaim()
    this.#fail()
    const current = this.owners.get(host) ?? owner
    if (current !== owner) throw new Error(`${host} belongs to ${current}`)
    this.owners.set(host, owner)
  }

  async release(host: string, owner: string): Promise<void> {
    this.#fail()
    if (this.owners.get(host) === owner) this.owners.delete(host)
  }

  #fail(): void {
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
  }
}

interface RunningOperator {
  stop(): Promise<void>
}

function start(options: OperatorOptions): RunningOperator {
  const stop = new AbortController()
  const running = runOperator({ onError: () => {}, ...options, signal: stop.signal })
  return {
    stop: () => {
      stop.abort()
      return running
    },
  }
}

/** With the definition alone. */
const definitionTest = base.extend<ServerFixtures>(
  serverFixtures({ clock: 'virtual', setup: (server) => applyYaml(server, Site.yaml()) }, { beforeAll }),
)

/** With an operator that works on it. */
const test = definitionTest.extend<{ hostNames: FakeHostNames; operator: RunningOperator }>({
  hostNames: ({ client: _client }, use) => use(new FakeHostNames()),
  operator: [
    async ({ client, hostNames }, use) => {
      const operator = start({ client, hostNames })
      await use(operator)
      await operator.stop()
    },
    { auto: true },
  ],
})

type Spec = Partial<InferInput<typeof Site>['spec']>

function site(spec: Spec = {}): InferInput<typeof Site> {
  return { metadata: { name: 'blog', namespace: 'default' }, spec: { host: 'blog.example.com', ...spec } }
}

const PLACE = { name: 'blog', namespace: 'default' }
const SITE = { kind: Site.versions.v1, ...PLACE }
const DEPLOYMENT = { kind: k8s.Deployment, ...PLACE }
const SERVICE = { kind: k8s.Service, ...PLACE }
const LEADER = { name: 'site-operator', namespace: 'default' }
const LEASE = { kind: k8s.Lease, ...LEADER }

const sitesOf = (client: Client) => client.resource(Site.versions.v1).inNamespace('default')
const deploymentsOf = (client: Client) => client.resource(k8s.Deployment).inNamespace('default')
const condition = (status: 'True' | 'False' | 'Unknown', reason: string) => ({
  status: { conditions: [{ type: 'Ready', status, reason }] },
})
/** What happens in this process is not long in coming. */
const SOON = { interval: 2 }
const FINALIZED = { metadata: { finalizers: ['example.com/host'] } }

/** Makes a site and waits until the operator has done all it can about it. */
async function settled(client: Client, spec: Spec = {}): Promise<void> {
  await sitesOf(client).create(site(spec))
  await eventually(client, SITE, condition('False', 'Waiting'))
}

/** What a kube-controller-manager and kubelets would tell. */
async function run(client: Client, readyReplicas: number): Promise<void> {
  const status = { replicas: readyReplicas, readyReplicas, availableReplicas: readyReplicas }
  await deploymentsOf(client).status.patch('blog', { status })
}

describe('a site', () => {
  definitionTest('has defaults', async ({ client }) => {
    const made = await sitesOf(client).create(site())
    expect(made.spec).toEqual({ host: 'blog.example.com', image: 'nginx:1', replicas: 1, paused: false })
  })

  definitionTest.for([
    ['a host without a domain', { host: 'blog' }, /spec\.host/],
    ['a host in capitals', { host: 'Blog.example.com' }, /spec\.host/],
    ['too many replicas', { replicas: 51 }, /spec\.replicas/],
    ['no image', { image: '' }, /spec\.image/],
  ] as const)('is refused with %s', async ([, spec, message], { client }) => {
    await expect(sitesOf(client).create(site(spec))).rejects.toThrow(message)
  })

  definitionTest('keeps its host', async ({ client }) => {
    await sitesOf(client).create(site())
    const moving = sitesOf(client).patch('blog', { spec: { host: 'other.example.com' } })
    await expect(moving).rejects.toThrow('the host cannot change')
  })

  test('can be scaled', async ({ client }) => {
    await settled(client)
    await sitesOf(client)
      .subresource('scale')
      .patch('blog', { spec: { replicas: 4 } })
    await eventually(client, DEPLOYMENT, { spec: { replicas: 4 } })
  })
})

describe('what a site becomes', () => {
  test('is a deployment', async ({ client }) => {
    await sitesOf(client).create(site({ image: 'blog:7', replicas: 3 }))
    await eventually(client, DEPLOYMENT, {
      spec: { replicas: 3, template: { spec: { containers: [{ name: 'web', image: 'blog:7' }] } } },
    })
  })

  test('is a service, which leads to the pods of the deployment', async ({ client }) => {
    await settled(client)
    const { spec } = await deploymentsOf(client).get('blog')
    await eventually(client, SERVICE, {
      spec: { selector: spec!.template.metadata!.labels!, ports: [{ port: 80 }] },
    })
  })

  test('belongs to the site', async ({ client }) => {
    await settled(client)
    const { metadata } = await sitesOf(client).get('blog')
    const owner = { kind: 'Site', name: 'blog', uid: metadata.uid, controller: true }
    await eventually(client, DEPLOYMENT, { metadata: { ownerReferences: [owner] } })
    await eventually(client, SERVICE, { metadata: { ownerReferences: [owner] } })
  })

  test('follows the site', async ({ client }) => {
    await settled(client)
    await sitesOf(client).patch('blog', { spec: { image: 'blog:8', replicas: 2 } })
    await eventually(client, DEPLOYMENT, {
      spec: { replicas: 2, template: { spec: { containers: [{ image: 'blog:8' }] } } },
    })
  })

  test('is put right when somebody changes it', async ({ client }) => {
    await settled(client)
    const changed = await deploymentsOf(client).patch('blog', { spec: { replicas: 9 } })
    await waitFor(client, changed, ({ spec }) => spec?.replicas === 1)
  })

  test('keeps what others add to it', async ({ client }) => {
    await settled(client)
    await deploymentsOf(client).patch('blog', { metadata: { annotations: { note: 'mine' } }, spec: { replicas: 9 } })
    const repaired = await eventually(client, DEPLOYMENT, { spec: { replicas: 1 } })
    expect(repaired.metadata.annotations).toMatchObject({ note: 'mine' })
  })

  test('comes back when the deployment is deleted', async ({ client }) => {
    await settled(client)
    const { metadata } = await deploymentsOf(client).get('blog')
    await deploymentsOf(client).delete('blog')
    await waitFor(client, DEPLOYMENT, (now) => now.metadata.uid !== metadata.uid)
  })

  test('comes back when the service is deleted', async ({ client }) => {
    await settled(client)
    const services = client.resource(k8s.Service).inNamespace('default')
    const { metadata } = await services.get('blog')
    await services.delete('blog')
    await waitFor(client, SERVICE, (now) => now.metadata.uid !== metadata.uid)
  })

  test('is apart from what sites in other namespaces become', async ({ client }) => {
    await client.resource(k8s.Namespace).create({ metadata: { name: 'other' } })
    await settled(client, { image: 'here:1' })
    const { spec } = site({ host: 'other.example.com', image: 'there:1' })
    await client.resource(Site.versions.v1).create({ metadata: { name: 'blog', namespace: 'other' }, spec })
    const image = (text: string) => ({ spec: { template: { spec: { containers: [{ image: text }] } } } })
    await eventually(client, { ...DEPLOYMENT, namespace: 'other' }, image('there:1'))
    await eventually(client, DEPLOYMENT, image('here:1'))
  })
})

describe('the status', () => {
  test('says what is missing', async ({ client }) => {
    await sitesOf(client).create(site({ replicas: 2 }))
    await eventually(client, SITE, {
      status: { observedGeneration: 1, readyReplicas: 0, conditions: [{ message: '0 of 2 replicas are ready' }] },
    })
  })

  test('says when all is ready', async ({ client }) => {
    await settled(client, { replicas: 2 })
    await run(client, 2)
    await eventually(client, SITE, { ...condition('True', 'Serving') })
    await waitFor(client, SITE, { condition: 'Ready' })
  })

  test('says when that is over', async ({ client }) => {
    await settled(client)
    await run(client, 1)
    await eventually(client, SITE, condition('True', 'Serving'))
    await run(client, 0)
    await eventually(client, SITE, condition('False', 'Waiting'))
  })

  test('tells of which generation it is', async ({ client }) => {
    await settled(client)
    await sitesOf(client).patch('blog', { spec: { image: 'blog:2' } })
    await eventually(client, SITE, { metadata: { generation: 2 }, status: { observedGeneration: 2 } })
  })

  test('has the time of the last transition', async ({ client, server }) => {
    const timeOf = (one: Site) => Date.parse(one.status?.conditions?.[0]?.lastTransitionTime ?? '')
    await settled(client, { replicas: 2 })
    const began = server.clock.now()
    await server.clock.advance('10s')
    await run(client, 1)
    expect(timeOf(await eventually(client, SITE, { status: { readyReplicas: 1 } }))).toBe(began)
    await run(client, 2)
    expect(timeOf(await eventually(client, SITE, { status: { readyReplicas: 2 } }))).toBe(began + 10_000)
  })

  test('says that a site is paused, which is left alone', async ({ client }) => {
    await settled(client)
    await sitesOf(client).patch('blog', { spec: { paused: true, replicas: 5 } })
    await eventually(client, SITE, condition('Unknown', 'Paused'))
    expect((await deploymentsOf(client).get('blog')).spec?.replicas).toBe(1)
  })
})

describe('the host name', () => {
  test('is claimed for the site, but not before it is sure to be released', async ({ client, hostNames, requests }) => {
    const claimed = new Promise<readonly string[]>((resolve) => {
      hostNames.onClaim = () => resolve(requests.requests.map(({ verb, path }) => `${verb} ${path}`))
    })
    await settled(client)
    expect(await claimed).toContain('patch /apis/example.com/v1/namespaces/default/sites/blog')
    expect(hostNames.owners).toEqual(new Map([['blog.example.com', 'default/blog']]))
    await eventually(client, SITE, FINALIZED)
  })

  test('is released when the site goes, and all that belongs to it goes too', async ({ client, hostNames }) => {
    await settled(client)
    await sitesOf(client).delete('blog')
    await waitFor(client, SITE, 'deleted')
    expect(hostNames.owners.size).toBe(0)
    await waitFor(client, DEPLOYMENT, 'deleted')
    await waitFor(client, SERVICE, 'deleted')
  })

  test('keeps the site until it is released', async ({ client, hostNames }) => {
    await settled(client)
    hostNames.failures.push(new Error('the registrar is closed'), new Error('still closed'))
    await sitesOf(client).delete('blog')
    await waitFor(client, SITE, 'deleted')
    expect(hostNames.failures).toEqual([])
  })

  test('is released also for a site that is paused', async ({ client, hostNames }) => {
    await settled(client)
    await sitesOf(client).patch('blog', { spec: { paused: true } })
    await sitesOf(client).delete('blog')
    await waitFor(client, SITE, 'deleted')
    expect(hostNames.owners.size).toBe(0)
  })

  test('may belong to another, until that one lets go of it', async ({ client, hostNames }) => {
    hostNames.owners.set('blog.example.com', 'somebody')
    await sitesOf(client).create(site())
    const waiting = await eventually(client, SITE, condition('False', 'HostNotClaimed'))
    expect(waiting.status?.conditions?.[0]?.message).toBe('blog.example.com belongs to somebody')
    hostNames.owners.delete('blog.example.com')
    await eventually(client, SITE, condition('False', 'Waiting'))
  })

  test('is asked for again when that fails', async ({ client, hostNames }) => {
    hostNames.failures.push(new Error('try later'), new Error('later still'))
    await settled(client)
    expect(hostNames.owners.get('blog.example.com')).toBe('default/blog')
  })
})

describe('the operator', () => {
  test('writes nothing when nothing has changed', async ({ client, server }) => {
    await settled(client)
    const { metadata } = await sitesOf(client).get('blog')
    using record = server.recordRequests()
    await deploymentsOf(client).patch('blog', { metadata: { labels: { touched: 'yes' } } })
    await expect
      .poll(() => record.requests.filter(({ path }) => path.endsWith('/sites/blog/status')).length, SOON)
      .toBeGreaterThan(0)
    await eventually(client, SITE, { metadata: { resourceVersion: metadata.resourceVersion } })
  })

  test('goes on after a restart with what happened meanwhile', async ({ client, hostNames, operator }) => {
    await settled(client)
    await operator.stop()
    await sitesOf(client).patch('blog', { spec: { replicas: 6 } })
    const next = start({ client, hostNames })
    await eventually(client, DEPLOYMENT, { spec: { replicas: 6 } })
    await next.stop()
  })

  test('tries again what the server refuses', async ({ client, server }) => {
    const refused = server.faults.fail({ verb: 'patch', resource: 'deployments.apps' }, { status: 500, times: 3 })
    await settled(client)
    expect(refused.hits).toBe(3)
  })

  test('gives way where somebody else was faster', async ({ client, server }) => {
    const outdated = server.faults.fail({ verb: 'patch', resource: 'sites.example.com' }, { status: 409 })
    await sitesOf(client).create(site())
    await expect.poll(() => outdated.hits, SOON).toBe(1)
    await sitesOf(client).patch('blog', { spec: { replicas: 3 } })
    await eventually(client, DEPLOYMENT, { spec: { replicas: 3 } })
  })

  test('misses nothing while its watches are cut', async ({ client, server }) => {
    await settled(client)
    expect(server.faults.watches({ resource: 'sites.example.com' }).cut().hits).toBeGreaterThan(0)
    await sitesOf(client).patch('blog', { spec: { replicas: 3 } })
    await eventually(client, DEPLOYMENT, { spec: { replicas: 3 } })
  })

  test('waits while another leads, and takes over when that one ends', async ({
    client,
    server,
    hostNames,
    operator,
  }) => {
    const others = new FakeHostNames()
    const claimed = new Promise<void>((resolve) => (others.onClaim = resolve))
    await settled(client)
    const next = start({ client, hostNames: others, leaderElection: { ...LEADER, identity: 'next' } })
    // Longer than a lease lasts that nobody renews.
    await server.clock.advance('20s')
    await sitesOf(client).patch('blog', { spec: { replicas: 2 } })
    await eventually(client, DEPLOYMENT, { spec: { replicas: 2 } })
    expect(others.owners.size).toBe(0)
    await operator.stop()
    await server.clock.advance('3s')
    await eventually(client, LEASE, { spec: { holderIdentity: 'next' } })
    await claimed
    expect(others.owners).toEqual(hostNames.owners)
    await next.stop()
  })
})
