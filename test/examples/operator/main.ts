// The operator as a program, for the cluster that kubectl would use: node main.ts. Several can run: one leads, the others wait.
import { parseArgs } from 'node:util'
import { Client, k8s } from 'quarterdeck/client'
import { type HostNames, runOperator } from './operator.ts'

const { values } = parseArgs({
  options: {
    identity: { type: 'string', default: crypto.randomUUID() },
    /** How often the others try to lead. */
    'retry-period-ms': { type: 'string', default: '2000' },
    /** The delay after a first failure. */
    'retry-ms': { type: 'string', default: '1000' },
    /** Transitions have the time of a server that was started with --dev --virtual-clock. */
    'virtual-time': { type: 'boolean', default: false },
  },
})

using client = new Client()
const leases = client.resource(k8s.Lease).inNamespace('default')

/** A host name belongs to the site that is named in the Lease of that name. */
const hostNames: HostNames = {
  claim: async (host, owner) => {
    const wanted = { metadata: { name: host }, spec: { holderIdentity: owner } }
    const { spec } = (await leases.find(host)) ?? (await leases.create(wanted))
    if (spec?.holderIdentity !== owner) throw new Error(`${host} belongs to ${spec?.holderIdentity}`)
  },
  release: async (host, owner) => {
    const { metadata, spec } = (await leases.find(host)) ?? {}
    if (spec?.holderIdentity === owner) await leases.delete(host, { preconditions: { uid: metadata!.uid } })
  },
}

async function serverTime(): Promise<number> {
  const { text } = await client.request({ method: 'GET', path: '/debug/clock' })
  return Date.parse((JSON.parse(text) as { readonly now: string }).now)
}

const [identity, retryPeriodMs] = [values.identity, Number(values['retry-period-ms'])]
await runOperator({
  client,
  hostNames,
  leaderElection: { namespace: 'default', name: 'site-operator', identity, retryPeriodMs },
  firstRetryMs: Number(values['retry-ms']),
  ...(values['virtual-time'] ? { now: serverTime } : {}),
})
