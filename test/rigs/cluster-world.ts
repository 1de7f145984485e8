// A cluster in the process of a test: a world with simulated nodes, whose objects a test makes, changes and reads.
import type { KindName, ObjectOf } from '../../src/api/kind-guard.ts'
import type { ApiObject } from '../../src/api/object.ts'
import { type ApiWorld, NAMESPACE, openWorld, type WorldOptions } from './api-world.ts'

const GROUPS: Readonly<Record<string, string>> = {
  deployments: 'apps',
  replicasets: 'apps',
  statefulsets: 'apps',
  daemonsets: 'apps',
  controllerrevisions: 'apps',
  jobs: 'batch',
  cronjobs: 'batch',
  endpointslices: 'discovery.k8s.io',
  poddisruptionbudgets: 'policy',
  storageclasses: 'storage.k8s.io',
  leases: 'coordination.k8s.io',
}

/** Time for what has been asked for to happen, with no time passing for pods to speak of. */
const SETTLE_MS = 3_000

export async function openCluster({ nodes = 3, flags = [], ...more }: WorldOptions & { readonly nodes?: number } = {}) {
  const world = await openWorld({ ...more, flags: [`--nodes=${nodes}`, ...flags] })
  const cluster = new ClusterWorld(world)
  await cluster.settle()
  return cluster
}

export class ClusterWorld {
  readonly world: ApiWorld

  constructor(world: ApiWorld) {
    this.world = world
  }

  resource(plural: string) {
    return this.world.resource(plural, GROUPS[plural] ?? '')
  }

  /** Moves the clock, and waits for all that follows. */
  async settle(milliseconds = SETTLE_MS): Promise<void> {
    await this.world.clock.advance(milliseconds)
  }

  apply(plural: string, object: object): Promise<ApiObject> {
    return this.world.create(this.resource(plural), object)
  }

  async get<T>(plural: string, name: string, namespace = NAMESPACE): Promise<T> {
    return (await this.world.get(this.resource(plural), name, namespace)) as T
  }

  update<N extends KindName>(kind: N, name: string, change: (live: ObjectOf<N>) => object): Promise<ApiObject> {
    return this.world.update(this.resource(pluralOf(kind)), name, (live) => change(live as ObjectOf<N>))
  }

  delete(plural: string, name: string, options: object = {}): Promise<ApiObject> {
    return this.world.delete(this.resource(plural), name, options)
  }

  async list<T>(plural: string): Promise<readonly T[]> {
    const { group, version, namespaced } = this.resource(plural)
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    const list = await this.world.must('GET', `${root}/${namespaced ? `namespaces/${NAMESPACE}/` : ''}${plural}`)
    return (list as unknown as { readonly items: readonly T[] }).items
  }

  /** A workload with a template of one container. */
  workload(name: string, spec: object = {}, template: { metadata?: object; spec?: object } = {}): object {
    const labels = { app: name }
    return {
      metadata: { name },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, ...template.metadata },
          spec: { containers: [{ name: 'web', image: 'nginx' }], ...template.spec },
        },
        ...spec,
      },
    }
  }
}

/** `apps_v1.Deployment`: `deployments`. */
function pluralOf(kind: string): string {
  const [, name = ''] = kind.split('.').slice(-2)
  return `${name.toLowerCase()}s`
}
