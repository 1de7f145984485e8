// `scale`: how many replicas an object asks for, shown as the same small kind for every kind that has them (W-584, W-585).
import type { ApiObject, GroupVersion } from '../../api/object.ts'
import { formatGroupVersion, parseGroupVersion } from '../../api/object.ts'
import { formatLabelSelector } from '../../api/selector.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import type { Value, ValueMap } from '../../api/value.ts'
import { isMap, own } from '../../api/value.ts'
import { metaOf } from '../../registry/object-meta.ts'
import type { ObjectView } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import { validateCreate } from '../../schema/validation/validation.ts'
import { actionBody } from './action-body.ts'
import { scale as RULES } from '../autoscaling/horizontal-pod-autoscaler/validation.ts'
import type { Scalable } from '../kind.ts'
import { mapIn } from './members.ts'
import { textOf } from '../../schema/validation/members.ts'
import { kindVersions } from '../../registry/kind-versions.ts'

export const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const
const SHOWN_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const
const REPLICAS = ['f:spec', 'f:replicas'] as const

export const BY_LABEL_SELECTOR: Scalable = {
  selector: (spec) => {
    const selector = labelSelectorOf(own(spec, 'selector') ?? null)
    return selector === undefined ? '' : formatLabelSelector(selector)
  },
}

/** Of kinds whose selector is a map of labels (replication controllers). */
export const BY_LABELS: Scalable = {
  selector: (spec) => {
    const labels = own(spec, 'selector')
    if (!isMap(labels)) return ''
    const terms = Object.keys(labels)
      .toSorted()
      .map((key) => `${key}=${textOf(labels, key)}`)
    return terms.join(',')
  },
}

export function scaleView(schemas: SchemaTable, parent: GroupVersion, scalable: Scalable): ObjectView {
  const body = actionBody(schemas, SCALE)
  const viewVersion = formatGroupVersion(SCALE)
  return {
    ...body,
    conversion: { isIdentity: false, fromStored: (stored) => scaleOf(stored, scalable) },
    versions: kindVersions({
      shape: (apiVersion) => (apiVersion === viewVersion ? body.schema.shape : undefined),
      convert: (object) => object,
    }),
    merge: (view, stored) => ({
      ...stored,
      spec: { ...mapIn(stored, 'spec'), replicas: own(mapIn(view, 'spec'), 'replicas') ?? 0 },
    }),
    validate: (view) => validateCreate(RULES, view, { gates: new Set(), namespaced: true }),
    sharedField: {
      viewVersion,
      inView: REPLICAS,
      inObject: (apiVersion) => (parseGroupVersion(apiVersion)?.group === parent.group ? REPLICAS : undefined),
    },
  }
}

function scaleOf(stored: ApiObject, scalable: Scalable): ApiObject {
  const [spec, status] = [mapIn(stored, 'spec'), mapIn(stored, 'status')]
  return scaleObject(stored, {
    wanted: numberIn(spec, 'replicas'),
    found: numberIn(status, 'replicas'),
    selector: scalable.selector(spec),
  })
}

export interface ScaleFacts {
  readonly wanted: number
  readonly found: number
  /** Empty where there is none. */
  readonly selector: string
}

export function scaleObject(stored: ApiObject, { wanted, found, selector }: ScaleFacts): ApiObject {
  const metadata = metaOf(stored)
  const shown = SHOWN_METADATA.flatMap((name): [string, Value][] => {
    const value = own(metadata, name)
    return value === undefined ? [] : [[name, value]]
  })
  return {
    kind: SCALE.kind,
    apiVersion: formatGroupVersion(SCALE),
    metadata: Object.fromEntries(shown),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: found, ...(selector === '' ? {} : { selector }) },
  }
}

function numberIn(map: ValueMap, name: string): number {
  const value = own(map, name)
  return typeof value === 'number' ? value : 0
}
