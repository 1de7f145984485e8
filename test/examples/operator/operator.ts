// A complete operator: for each Site it makes a Deployment and a Service, claims the host name, and reports the progress in the status. One of
// several processes leads. `main.ts` runs it as a program.
import { type ControllerOptions, k8s, runController, type Stored } from 'quarterdeck/client'
import { Site } from './site.ts'

/** Gives out host names. Both functions may be called again for the same site, and throw if they cannot succeed now. */
export interface HostNames {
  claim(host: string, owner: string): Promise<void>
  release(host: string, owner: string): Promise<void>
}

type Passed = 'client' | 'leaderElection' | 'firstRetryMs' | 'now' | 'signal' | 'onError'

export interface OperatorOptions extends Pick<ControllerOptions<Site, []>, Passed> {
  readonly hostNames: HostNames
}

const MANAGER = 'site-operator'
const OWN = { labelSelector: { 'app.kubernetes.io/managed-by': MANAGER } }

/** Runs until it is stopped. */
export async function runOperator({ hostNames, ...options }: OperatorOptions): Promise<void> {
  await runController({
    for: Site.versions.v1,
    owns: [k8s.Deployment, k8s.Service].map((kind) => ({ kind, ...OWN })),
    fieldManager: MANAGER,
    leaderElection: { namespace: 'default', name: MANAGER },
    finalizer: {
      name: 'example.com/host',
      cleanUp: ({ key, object: { spec } }) => hostNames.release(spec.host, key),
    },
    ...options,
    reconcile: async ({ key, object: site, apply, patchStatus }) => {
      if (site === undefined) return
      const { host, paused, replicas } = site.spec
      const report = (status: 'True' | 'False' | 'Unknown', reason: string, message: string, ready?: number) => {
        const progress = { observedGeneration: site.metadata.generation, readyReplicas: ready }
        return patchStatus(progress, { type: 'Ready', status, reason, message })
      }
      if (paused) return report('Unknown', 'Paused', 'the site is paused')
      try {
        await hostNames.claim(host, key)
      } catch (error) {
        await report('False', 'HostNotClaimed', (error as Error).message)
        throw error
      }
      const { status } = await apply(k8s.Deployment, deploymentOf(site))
      await apply(k8s.Service, serviceOf(site))
      const ready = status?.readyReplicas ?? 0
      const message = `${ready} of ${replicas} replicas are ready`
      if (ready < replicas) await report('False', 'Waiting', message, ready)
      else await report('True', 'Serving', message, ready)
    },
  })
}

function deploymentOf({ metadata: { name }, spec: { image, replicas } }: Stored<Site>): k8s.Deployment {
  const labels = { site: name }
  const containers = [{ name: 'web', image, ports: [{ containerPort: 80 }] }]
  const template = { metadata: { labels }, spec: { containers } }
  return { metadata: metadataOf(name), spec: { replicas, selector: { matchLabels: labels }, template } }
}

function serviceOf({ metadata: { name } }: Stored<Site>): k8s.Service {
  return { metadata: metadataOf(name), spec: { selector: { site: name }, ports: [{ port: 80 }] } }
}

function metadataOf(site: string) {
  return { name: site, labels: { ...OWN.labelSelector, site } }
}
