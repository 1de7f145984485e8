// A complete operator: of a Site it makes a Deployment and a Service, claims the host name, and tells in the status how far that is. One of
// several leads. `main.ts` runs it as a program.
import { type Client, type ControllerOptions, hasReason, k8s, runController, type Stored } from 'quarterdeck/client'
import { type Condition, Site } from './site.ts'

/** Whoever hands out host names. May be asked again for what is done already; throws where it cannot be done now. */
export interface HostNames {
  claim(host: string, owner: string): Promise<void>
  release(host: string, owner: string): Promise<void>
}

type Passed = 'leaderElection' | 'firstRetryMs' | 'signal' | 'onError'

export interface OperatorOptions extends Pick<ControllerOptions<Site, []>, Passed> {
  readonly client: Client
  readonly hostNames: HostNames
  /** By which transitions are dated, in milliseconds. */
  readonly now?: () => number | Promise<number>
}

const FINALIZER = 'example.com/host'
const MANAGER = 'site-operator'
const OWN = { labelSelector: { 'app.kubernetes.io/managed-by': MANAGER } }

/** Runs until it is stopped: as the one that leads, or waiting for it. */
export async function runOperator({ client, hostNames, now = Date.now, ...options }: OperatorOptions): Promise<void> {
  const reconciler = new Reconciler(client, hostNames, now)
  await runController({
    client,
    for: Site.versions.v1,
    owns: [
      { kind: k8s.Deployment, ...OWN },
      { kind: k8s.Service, ...OWN },
    ],
    leaderElection: { namespace: 'default', name: MANAGER },
    ...options,
    reconcile: async ({ object }) => object && reconciler.reconcile(object),
  })
}

/** The namespace of a site: a missing one must not become an empty one. */
function namespaceOf({ metadata: { namespace, name } }: Stored<Site>): string {
  if (namespace === undefined) throw new TypeError(`${name} has no namespace`)
  return namespace
}

/** Makes the world as a site wants it. Whatever it does it may do again: it begins anew after every failure and every change. */
class Reconciler {
  readonly #client: Client
  readonly #hostNames: HostNames
  readonly #now: () => number | Promise<number>

  constructor(client: Client, hostNames: HostNames, now: () => number | Promise<number>) {
    this.#client = client
    this.#hostNames = hostNames
    this.#now = now
  }

  async reconcile(site: Stored<Site>): Promise<void> {
    const { name, finalizers = [], deletionTimestamp } = site.metadata
    const { host, paused, replicas } = site.spec
    const owner = `${namespaceOf(site)}/${name}`
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(FINALIZER)) return
      await this.#hostNames.release(host, owner)
      // What the site owns is collected by the cluster.
      return this.#setFinalizers(
        site,
        finalizers.filter((one) => one !== FINALIZER),
      )
    }
    if (paused) return this.#report(site, ['Unknown', 'Paused', 'it is left as it is'])
    // First of all: nothing may be claimed that would not be released.
    if (!finalizers.includes(FINALIZER)) return this.#setFinalizers(site, [...finalizers, FINALIZER])
    try {
      await this.#hostNames.claim(host, owner)
    } catch (error) {
      await this.#report(site, ['False', 'HostNotClaimed', (error as Error).message])
      throw error
    }
    const apply = { fieldManager: MANAGER, force: true }
    const { status } = await this.#client.resource(k8s.Deployment).apply(deploymentOf(site), apply)
    await this.#client.resource(k8s.Service).apply(serviceOf(site), apply)
    const ready = status?.readyReplicas ?? 0
    const said = `${ready} of ${replicas} replicas are ready`
    await this.#report(site, ready >= replicas ? ['True', 'Serving', said] : ['False', 'Waiting', said], ready)
  }

  /** The change is told by the watch, and so leads to the next step. */
  async #setFinalizers(site: Stored<Site>, finalizers: readonly string[]): Promise<void> {
    const { name, resourceVersion } = site.metadata
    const sites = this.#client.resource(Site.versions.v1).inNamespace(namespaceOf(site))
    await sites.patch(name, { metadata: { finalizers, resourceVersion } }).catch(ignoreOutdated)
  }

  /** The same again changes nothing, and nobody is told. */
  async #report(
    site: Stored<Site>,
    [state, reason, message]: readonly [Condition['status'], string, string],
    readyReplicas = site.status?.readyReplicas,
  ): Promise<void> {
    const { status: old } = site
    const { name, generation: observedGeneration, resourceVersion } = site.metadata
    const before = old?.conditions?.find(({ type }) => type === 'Ready')
    const isSame = before?.status === state
    const lastTransitionTime = isSame ? before.lastTransitionTime : new Date(await this.#now()).toISOString()
    const conditions: readonly Condition[] = [{ type: 'Ready', status: state, reason, message, lastTransitionTime }]
    const patch = { metadata: { resourceVersion }, status: { observedGeneration, readyReplicas, conditions } }
    const sites = this.#client.resource(Site.versions.v1).inNamespace(namespaceOf(site))
    await sites.status.patch(name, patch).catch(ignoreOutdated)
  }
}

/** Sites are only written as they were read. One that is gone or has changed since is told by the watch, and looked at again. */
function ignoreOutdated(error: unknown): void {
  if (!hasReason(error, 'NotFound', 'Conflict')) throw error
}

function metadataOf(site: Stored<Site>) {
  const { name, uid } = site.metadata
  const owner = { apiVersion: 'example.com/v1', kind: 'Site', name, uid, controller: true, blockOwnerDeletion: true }
  const labels = { ...OWN.labelSelector, site: name }
  return { name, namespace: namespaceOf(site), labels, ownerReferences: [owner] }
}

function deploymentOf(site: Stored<Site>): k8s.Deployment {
  const { image, replicas } = site.spec
  const labels = { site: site.metadata.name }
  const containers = [{ name: 'web', image, ports: [{ containerPort: 80 }] }]
  const template = { metadata: { labels }, spec: { containers } }
  return { metadata: metadataOf(site), spec: { replicas, selector: { matchLabels: labels }, template } }
}

function serviceOf(site: Stored<Site>): k8s.Service {
  return { metadata: metadataOf(site), spec: { selector: { site: site.metadata.name }, ports: [{ port: 80 }] } }
}
