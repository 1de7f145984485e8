// The owners of an object, its dependents and the pods that it selects, each with its health.
import { ApiFailure, ask } from './api.ts'
import type { ManagedObject } from './apply-intent.ts'
import { type Fields, fieldAt, fieldsAt, isFields, itemsAt, textAt } from './fields.ts'
import { isCustom } from './kind-sections.ts'
import { canList, collectionPath, type Kind, kindOf, objectPath, resourceName } from './kind.ts'

export interface Relative {
  readonly kind: Kind
  readonly object: Fields
}

export interface Relatives {
  readonly owners: readonly Relative[]
  readonly dependents: readonly Relative[]
  /** Undefined: the object selects no pods. */
  readonly pods: readonly Relative[] | undefined
  /** The kinds that the user may not read. */
  readonly hidden: readonly string[]
}

/** The largest number of objects of each kind. */
const MOST_OBJECTS = 50

/** The kinds that controllers make for objects of a kind, without the pods that a selector finds. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  'deployments.apps': ['replicasets.apps'],
  'statefulsets.apps': ['controllerrevisions.apps'],
  'daemonsets.apps': ['controllerrevisions.apps'],
  'cronjobs.batch': ['jobs.batch'],
  services: ['endpointslices.discovery.k8s.io'],
}
/** The kinds that controllers of custom kinds make. */
const MADE_FOR_CUSTOM =
  'deployments.apps statefulsets.apps daemonsets.apps jobs.batch pods services configmaps secrets persistentvolumeclaims'

export async function readRelatives(kinds: readonly Kind[], kind: Kind, object: ManagedObject): Promise<Relatives> {
  const { uid = '', namespace = '', ownerReferences = [] } = object.metadata
  const hidden: string[] = []
  const read = async (one: Kind, path: string): Promise<readonly Relative[]> => {
    try {
      const found = await ask<Fields>(path)
      const items = 'items' in found ? itemsAt(found, 'items') : [found]
      return items.map((item) => ({ kind: one, object: { ...item, kind: one.kind } }))
    } catch (error) {
      if (!(error instanceof ApiFailure) || (error.code !== 403 && error.code !== 404)) throw error
      if (error.code === 403) hidden.push(one.kind)
      return []
    }
  }
  const list = (one: Kind, search: Readonly<Record<string, string>>): Promise<readonly Relative[]> => {
    const query = new URLSearchParams({ limit: String(MOST_OBJECTS), select: selectOf(one), ...search })
    return read(one, `${collectionPath(one, namespace)}?${query.toString()}`)
  }
  const find = (resource: string): Kind | undefined =>
    kinds.find((one) => resourceName(one) === resource && canList(one))
  const resource = resourceName(kind)
  const made = MADE[resource] ?? (isCustom(kind) && namespace !== '' ? MADE_FOR_CUSTOM.split(' ') : [])
  const where = `object.metadata.?ownerReferences.orValue([]).exists(o, o.uid == '${uid}')`
  const selected =
    resource === 'nodes' ? { fieldSelector: `spec.nodeName=${object.metadata.name}` } : podSelector(object)
  const pods = find('pods')
  const owners = ownerReferences.map(async (owner): Promise<readonly Relative[]> => {
    const served = kindOf(kinds, owner)
    return served === undefined ? [] : read(served, objectPath(served, { namespace, name: owner.name }))
  })
  const dependents = made.map(find).flatMap((one) => (one === undefined ? [] : [list(one, { where })]))
  return {
    owners: (await Promise.all(owners)).flat(),
    dependents: (await Promise.all(dependents)).flat(),
    pods: selected === undefined || pods === undefined ? undefined : await list(pods, selected),
    hidden,
  }
}

/** The fields that tell the health of an object. */
function selectOf({ plural }: Kind): string {
  const replicas = /^(deployments|replicasets|statefulsets)$/.test(plural) ? ['spec.replicas'] : []
  const status = /^(configmaps|secrets|controllerrevisions|endpointslices)$/.test(plural) ? [] : ['status']
  const metadata = ['creationTimestamp', 'deletionTimestamp', 'annotations'].map((name) => `metadata.${name}`)
  return [...metadata, ...replicas, ...status].join(',')
}

/**
 * The selector of a workload, a service, a budget or a network policy. Some kinds have a map of labels, others the members `matchLabels`
 * and `matchExpressions`.
 */
function podSelector(object: unknown): Readonly<Record<string, string>> | undefined {
  const selector = fieldAt(object, 'spec.podSelector') ?? fieldAt(object, 'spec.selector')
  if (!isFields(selector)) return undefined
  const isLong = 'matchLabels' in selector || 'matchExpressions' in selector
  const labels = Object.entries(isLong ? fieldsAt(selector, 'matchLabels') : selector)
  if (labels.some(([, value]) => typeof value !== 'string')) return undefined
  const rules = [
    ...labels.map(([key, value]) => `${key}=${String(value)}`),
    ...itemsAt(selector, 'matchExpressions').map((rule) => {
      const [key, operator, values] = ['key', 'operator', 'values'].map((name) => textAt(rule, name))
      if (operator === 'Exists') return key
      return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator === 'In' ? 'in' : 'notin'} (${values})`
    }),
  ]
  return rules.length === 0 ? undefined : { labelSelector: rules.join(',') }
}
