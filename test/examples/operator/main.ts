// The operator as a program, for the cluster that kubectl would use: node main.ts. Several can run: one leads, the others wait.
import { parseArgs } from 'node:util'
import { Client, hasReason, k8s } from 'quarterdeck/client'
import { type HostNames, runOperator } from './operator.ts'

const { values } = parseArgs({
  options: {
    identity: { type: 'string', default: crypto.randomUUID() },
    // How often the others look whether there is a leader.
    'retry-period-ms': { type: 'string', default: '2000' },
    // Before what failed is tried again.
    'retry-ms': { type: 'string', default: '1000' },
    // Transitions are dated by the clock of a server that was started with --dev --virtual-clock.
    'virtual-time': { type: 'boolean', default: false },
  },
})

/** A host name belongs to whoever makes the Lease of that name, which can be made once. */
class LeasedHostNames implements HostNames {
  readonly #leases: ReturnType<typeof leasesOf>

  constructor(client: Client) {
    this.#leases = leasesOf(client)
  }

  async claim(host: string, owner: string): Promise<void> {
    try {
      await this.#leases.create({ metadata: { name: host }, spec: { holderIdentity: owner } })
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error
      const { spec } = await this.#leases.get(host)
      if (spec?.holderIdentity !== owner)
        throw new Error(`${host} belongs to ${spec?.holderIdentity}`, { cause: error })
    }
  }

  async release(host: string, owner: string): Promise<void> {
    try {
      const { metadata, spec } = await this.#leases.get(host)
      if (spec?.holderIdentity === owner) await this.#leases.delete(host, { preconditions: { uid: metadata.uid } })
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error
    }
  }
}

function leasesOf(client: Client) {
  return client.resource(k8s.Lease).inNamespace('default')
}

async function serverTime(client: Client): Promise<number> {
  const { text } = await client.request({ method: 'GET', path: '/debug/clock' })
  const { now } = JSON.parse(text) as { readonly now: string }
  return Date.parse(now)
}

using client = new Client()
await runOperator({
  client,
  hostNames: new LeasedHostNames(client),
  leaderElection: {
    namespace: 'default',
    name: 'site-operator',
    identity: values.identity,
    retryPeriodMs: Number(values['retry-period-ms']),
  },
  firstRetryMs: Number(values['retry-ms']),
  ...(values['virtual-time'] ? { now: () => serverTime(client) } : {}),
})
