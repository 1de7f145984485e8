// The stack of docker-compose.yml, as `make up` starts it, while its parts are killed, frozen, made anew and rolled under load.
import { readFile, writeFile } from 'node:fs/promises'
import https from 'node:https'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RollingLoad } from '../rigs/rolling-load.ts'
import { freePort } from '../rigs/free-port.ts'
import { cleanUp } from './clean-up.ts'
import { compose, COPY, copyCheckout, docker, make, NAME, needEngine } from './docker.ts'

const PORT = await freePort()
const URL_OF_BALANCER = `https://127.0.0.1:${PORT}`
/** Longer than the balancer takes to notice one that does not answer. */
const FROZEN_MS = 8_000

beforeAll(async () => {
  await needEngine()
  await cleanUp()
  await copyCheckout(PORT)
  await make('up')
})

afterAll(cleanUp)

interface Kubeconfig {
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } },
  ]
}

/** With the certificate of the kubeconfig that `make up` has made. */
async function adminAgent(): Promise<https.Agent> {
  const { users } = JSON.parse(await readFile(path.join(COPY, 'deploy/pki/admin.kubeconfig'), 'utf8')) as Kubeconfig
  const [{ user }] = users
  return new https.Agent({
    cert: Buffer.from(user['client-certificate-data'], 'base64'),
    key: Buffer.from(user['client-key-data'], 'base64'),
    rejectUnauthorized: false,
  })
}

/** A token with all rights. */
async function adminToken(): Promise<string> {
  const agent = await adminAgent()
  const account = { kind: 'ServiceAccount', name: 'load', namespace: 'default' }
  await post(agent, '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'load' } })
  await post(agent, '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'load' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [account],
  })
  const answer = await post(agent, '/api/v1/namespaces/default/serviceaccounts/load/token', {})
  return (JSON.parse(answer) as { readonly status: { readonly token: string } }).status.token
}

function post(agent: https.Agent, place: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const request = https.request(`${URL_OF_BALANCER}${place}`, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () => {
        const isThere = response.statusCode === 201 || response.statusCode === 409
        if (isThere) resolve(text)
        else reject(new Error(`${place}: ${response.statusCode} ${text}`))
      })
    })
    request.on('error', reject).end(JSON.stringify(body))
  })
}

async function containerOf(service: string): Promise<string> {
  return compose('ps', '--all', '--quiet', service)
}

async function addressOf(service: string): Promise<string> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'
  return docker('inspect', await containerOf(service), '--format', format)
}

const start = (service: string): Promise<string> => compose('up', '--detach', '--no-build', '--wait', service)

async function kill(service: string): Promise<void> {
  await docker('kill', '--signal', 'KILL', await containerOf(service))
  await delay(FROZEN_MS)
  await start(service)
}

async function freeze(service: string): Promise<void> {
  const container = await containerOf(service)
  await docker('pause', container)
  await delay(FROZEN_MS)
  await docker('unpause', container)
}

async function roll(service: string): Promise<void> {
  await compose('restart', service)
  await start(service)
}

/** Both are made anew, the one with the higher address first, which gets the lower: the lowest that is free is given out. */
async function swap(...services: readonly [string, string]): Promise<void> {
  const before = await Promise.all(services.map(addressOf))
  const lastPart = (i: number): number => Number(before[i]?.split('.').at(-1))
  const order = lastPart(0) > lastPart(1) ? services : services.toReversed()
  for (const service of services) await compose('rm', '--stop', '--force', service)
  for (const service of order) await start(service)
  expect(await Promise.all(services.map(addressOf))).toEqual(before.toReversed())
}

/** The users of all processes, by service. */
async function users(): Promise<Readonly<Record<string, readonly string[]>>> {
  const services = (await compose('ps', '--services')).split('\n')
  const entries = services.map(async (service) => {
    const [, ...rows] = (await docker('top', await containerOf(service), '-o', 'uid,pid')).split('\n')
    return [service, rows.map((row) => row.trim().split(/\s+/)[0] ?? '')] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

it('none of its processes is root’s', async () => {
  const found = await users()
  expect(Object.keys(found)).toEqual(expect.arrayContaining(['etcd-1', 'replica-1', 'balancer']))
  expect(Object.entries(found).filter(([, ids]) => ids.includes('0'))).toEqual([])
})

it('runs on as another user after it has run as root, with its data', async () => {
  const space = { metadata: { name: 'kept' } }
  await post(await adminAgent(), '/api/v1/namespaces', space)
  await make('down')
  const toRoot = `for (const file of ['', ...fs.readdirSync('/d', { recursive: true })]) fs.lchownSync('/d/' + file, 0, 0)`
  for (const member of ['etcd-1', 'etcd-2', 'etcd-3']) {
    const place = ['--user', '0:0', '--volume', `${NAME}_${member}:/d`]
    await docker('run', '--rm', ...place, '--entrypoint', 'node', NAME, '-e', toRoot)
  }
  const environment = path.join(COPY, '.env')
  await writeFile(environment, (await readFile(environment, 'utf8')).replaceAll(/(_[UG]ID)=\d+/g, '$1=0'))
  await make('up')
  expect((await users())['etcd-1']).not.toContain('0')
  expect(await post(await adminAgent(), '/api/v1/namespaces', space)).toContain('AlreadyExists')
})

const FAULTS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a replica is killed', () => kill('replica-1')],
  ['a replica is frozen', () => freeze('replica-2')],
  [
    'every replica is rolled',
    async () => {
      for (const service of ['replica-1', 'replica-2', 'replica-3']) await roll(service)
    },
  ],
  ['replicas come back at other addresses', () => swap('replica-2', 'replica-3')],
  ['a member of etcd is killed', () => kill('etcd-1')],
  ['a member of etcd is frozen', () => freeze('etcd-2')],
  [
    'every member of etcd is rolled',
    async () => {
      for (const service of ['etcd-1', 'etcd-2', 'etcd-3']) await roll(service)
    },
  ],
  [
    'the balancer starts while a replica is missing',
    async () => {
      await compose('stop', 'replica-1')
      await compose('restart', 'balancer')
      await start('replica-1')
    },
  ],
]

it.each(FAULTS.map(([what, fault], i) => [what, `fault-${i}`, fault] as const))(
  '%s: nothing is lost, unseen or failed',
  async (_, name, fault) => {
    const target = { name: `${name}-${Date.now()}`, urls: [URL_OF_BALANCER] }
    await using load = await RollingLoad.begin([target], { token: await adminToken(), expectsFaults: true })
    await load.more(20)
    await fault()
    await load.more(20)
    await load.check()
    expect(await load.lostBy(URL_OF_BALANCER)).toEqual([])
  },
)

it('ends with its profile, and leaves neither a container nor a network', async () => {
  // The images of the profile are of no interest here, and large.
  await writeFile(
    path.join(COPY, 'docker-compose.override.yml'),
    JSON.stringify({
      services: Object.fromEntries(
        ['prometheus', 'grafana'].map((service) => [
          service,
          {
            image: NAME,
            entrypoint: ['node', '-e'],
            command: ['setInterval(() => {}, 1e6)'],
            tmpfs: ['/data', '/tmp'],
          },
        ]),
      ),
    }),
  )
  await compose('--profile', 'observe', 'up', '--detach', '--no-build', 'prometheus', 'grafana')
  expect((await users())['grafana']).toBeDefined()
  expect(await make('down')).not.toContain('still in use')
  const ofProject = ['--quiet', '--filter', `label=com.docker.compose.project=${NAME}`]
  expect(await docker('container', 'ls', '--all', ...ofProject)).toBe('')
  expect(await docker('network', 'ls', ...ofProject)).toBe('')
  expect(await docker('volume', 'ls', ...ofProject)).not.toBe('')
  await make('down', 'ARGS=--volumes')
  expect(await docker('volume', 'ls', ...ofProject)).toBe('')
})
