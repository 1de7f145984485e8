// Reads the objects of a namespace for its graph, with the fields that the graph needs. The data of secrets and config maps stays on the
// server.
import { ask, UnreachableError } from './api.ts'
import type { Fields } from './fields.ts'
import { canList, collectionPath, type Kind, resourceName } from './kind.ts'
import { isCustom } from './kind-sections.ts'
import type { GraphObject } from './namespace-graph.ts'

const METADATA = 'metadata.uid,metadata.labels,metadata.ownerReferences,metadata.deletionTimestamp'
const CONTAINERS = ['containers', 'initContainers'].map((list) => `spec.${list}.env.valueFrom,spec.${list}.envFrom`)
const WORKLOAD = 'spec.template,status'

const FIELDS: Readonly<Record<string, string>> = {
  'ingresses.networking.k8s.io': 'spec',
  services: 'spec.selector',
  'poddisruptionbudgets.policy': 'spec.selector,status',
  'horizontalpodautoscalers.autoscaling': 'spec.scaleTargetRef,status.conditions',
  'cronjobs.batch': 'spec.jobTemplate',
  'jobs.batch': WORKLOAD,
  'deployments.apps': `spec.replicas,${WORKLOAD}`,
  'statefulsets.apps': `spec.replicas,spec.serviceName,${WORKLOAD}`,
  'daemonsets.apps': WORKLOAD,
  'replicasets.apps': `spec.replicas,${WORKLOAD}`,
  replicationcontrollers: `spec.replicas,${WORKLOAD}`,
  pods: `${CONTAINERS.join(',')},spec.volumes,spec.imagePullSecrets,spec.serviceAccountName,status`,
  serviceaccounts: '',
  persistentvolumeclaims: 'status.phase',
  configmaps: '',
  secrets: '',
}
/** Lists of kinds with more objects are cut short. */
const MOST_OBJECTS = 500
/** The fields of custom kinds are not known here, so their objects are read as a whole. */
const MOST_CUSTOM_KINDS = 20
const MOST_CUSTOM_OBJECTS = 100

export interface NamespaceObjects {
  readonly objects: readonly GraphObject[]
  /** The resources whose objects were all read. */
  readonly complete: readonly string[]
  readonly cut: readonly Kind[]
  readonly refused: readonly Kind[]
}

interface ObjectList {
  readonly items: readonly Fields[]
  readonly metadata?: { readonly continue?: string }
}

export async function readNamespace(kinds: readonly Kind[], namespace: string): Promise<NamespaceObjects> {
  const listed = kinds.filter((kind) => canList(kind) && kind.namespaced)
  const known = listed.filter((kind) => resourceName(kind) in FIELDS)
  const looked = [...listed.filter(isCustom).slice(0, MOST_CUSTOM_KINDS), ...known]
  const lists = await Promise.allSettled(looked.map(async (kind) => ({ kind, list: await readList(kind, namespace) })))
  const read = lists.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const away = lists.find((result) => result.status === 'rejected' && result.reason instanceof UnreachableError)
  if (away?.status === 'rejected') throw away.reason
  const isCut = ({ list }: (typeof read)[number]): boolean => (list.metadata?.continue ?? '') !== ''
  return {
    objects: read.flatMap(({ kind, list }) => list.items.map((object) => ({ kind, object }))).filter(isInUse),
    complete: read.filter((one) => !isCut(one)).map(({ kind }) => resourceName(kind)),
    cut: read.filter(isCut).map(({ kind }) => kind),
    refused: looked.filter((_, i) => lists[i]?.status === 'rejected'),
  }
}

function readList(kind: Kind, namespace: string): Promise<ObjectList> {
  const fields = FIELDS[resourceName(kind)]
  const query =
    fields === undefined
      ? { limit: String(MOST_CUSTOM_OBJECTS) }
      : { limit: String(MOST_OBJECTS), select: fields === '' ? METADATA : `${METADATA},${fields}` }
  return ask<ObjectList>(`${collectionPath(kind, namespace)}?${new URLSearchParams(query).toString()}`)
}

/** Earlier revisions of a deployment are replica sets without pods. */
function isInUse({ kind, object }: GraphObject): boolean {
  const { spec, status } = object as {
    readonly spec?: { readonly replicas?: number }
    readonly status?: { readonly replicas?: number }
  }
  return kind.kind !== 'ReplicaSet' || spec?.replicas !== 0 || (status?.replicas ?? 0) > 0
}
