// Creates pods from a template and deletes them, with the events of the reference. Batches of creations grow while they succeed, so that
// a template that is refused is tried once and not a thousand times.
import type { ObjectMeta, Pod, PodTemplateSpec } from '../../api/gen/kinds.ts'
import type { ApiObject } from '../../api/object.ts'
import { metaText, withMembers } from '../../api/object-members.ts'
import { forEachAtOnce } from '../../lib/together.ts'
import { type Cluster, refusalOf } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { ownerReference } from './ownership.ts'

export interface PodOwner {
  readonly object: ApiObject
  /** The name of the controller in events. */
  readonly component: string
}

export interface NewPod {
  readonly template: PodTemplateSpec
  /** Members that extend or replace the labels, annotations and finalizers of the template. Without a name, it is generated. */
  readonly metadata?: Partial<ObjectMeta>
  readonly spec?: Partial<Pod['spec']>
}

const AT_ONCE = 16

/** Resolves to the pod, or to the reason why it was refused. An event reports the result. */
export async function createPod(
  cluster: Cluster,
  pods: Followed<Pod>,
  { object, component }: PodOwner,
  { template, metadata = {}, spec = {} }: NewPod,
): Promise<Pod | string> {
  const { labels, annotations, finalizers } = template.metadata
  const meta = withMembers<ObjectMeta>(
    { namespace: metaText(object, 'namespace'), ownerReferences: [ownerReference(object)] },
    {
      labels,
      annotations,
      finalizers,
      ...(metadata.name === undefined ? { generateName: `${metaText(object, 'name')}-` } : {}),
      ...metadata,
    },
  )
  try {
    const pod = await cluster.create(pods, meta, { spec: { ...template.spec, ...spec } })
    const message = `Created pod: ${pod.metadata.name}`
    cluster.events.record({ about: object, component, reason: 'SuccessfulCreate', message })
    return pod
  } catch (error) {
    const refusal = refusalOf(error)
    const message = `Error creating: ${refusal}`
    cluster.events.record({ about: object, type: 'Warning', component, reason: 'FailedCreate', message })
    return refusal
  }
}

/** Returns the reason why a pod is refused. Undefined: all were created. Stops at the first batch with a refusal. */
export async function createPods(
  cluster: Cluster,
  pods: Followed<Pod>,
  owner: PodOwner,
  made: readonly NewPod[],
): Promise<string | undefined> {
  for (let at = 0, size = 1; at < made.length; at += size, size *= 2) {
    let refusal: string | undefined
    const batch = made.slice(at, at + size)
    await forEachAtOnce(batch, { most: Math.min(batch.length, AT_ONCE), signal: cluster.signal }, async (one) => {
      const pod = await createPod(cluster, pods, owner, one)
      if (typeof pod === 'string') refusal = pod
    })
    if (refusal !== undefined) return refusal
  }
  return undefined
}

export async function deletePods(
  cluster: Cluster,
  pods: Followed<Pod>,
  { object, component }: PodOwner,
  deleted: readonly Pod[],
): Promise<void> {
  await forEachAtOnce(deleted, { most: AT_ONCE, signal: cluster.signal }, async (pod) => {
    if (!(await cluster.remove(pods, pod))) return
    const message = `Deleted pod: ${pod.metadata.name}`
    cluster.events.record({ about: object, component, reason: 'SuccessfulDelete', message })
  })
}
