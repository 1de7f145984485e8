// `scale` of a custom resource: its definition has the JSON paths of the desired replicas, the actual replicas and the label selector
// (P-359).
import { type FieldError, invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { formatGoValue, goType } from '../../api/go-format.ts'
import { mapOrEmpty } from '../../api/members.ts'
import type { ApiObject, GroupVersion } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { customTable, DEFAULT_TABLE, type PrinterColumn, type TableShape } from '../../codec/table.ts'
import type { ObjectView } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import { scaleBody, scaleObject } from '../shared/scale.ts'
import type { ScalePaths } from './definition.ts'

const MAX_REPLICAS = 2_147_483_647

export function customScale(schemas: SchemaTable, parent: GroupVersion, paths: ScalePaths): ObjectView {
  const specPath = partsOf(paths.spec)
  const inObject = specPath.map((name) => `f:${name}` as const)
  const live = (stored: ApiObject): ApiObject => {
    const selector = paths.selector === '' ? undefined : valueAt(stored, partsOf(paths.selector))
    return scaleObject(stored, {
      wanted: numberOf(valueAt(stored, specPath)),
      found: numberOf(valueAt(stored, partsOf(paths.status))),
      selector: typeof selector === 'string' ? selector : '',
    })
  }
  return {
    ...scaleBody(schemas, parent, inObject),
    conversion: {
      isIdentity: false,
      fromStored: (stored) => {
        if (valueAt(stored, specPath) !== undefined) return live(stored)
        throw new ApiError('BadRequest', `the spec replicas field ${JSON.stringify(paths.spec)} does not exist`)
      },
    },
    live,
    custom: { listKind: 'ScaleList' },
    columns: COLUMNS,
    merge: (view, stored) => withValueAt(stored, specPath, own(mapOrEmpty(view, 'spec'), 'replicas') ?? 0) as ApiObject,
    validate: () => [],
  }
}

const PRINTED: readonly PrinterColumn[] = [
  { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas', description: 'Number of desired replicas' },
  { name: 'Available', type: 'integer', jsonPath: '.status.replicas', description: 'Number of actual replicas' },
  {
    name: 'Age',
    type: 'date',
    jsonPath: '.metadata.creationTimestamp',
    description:
      'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be ' +
      'set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 ' +
      'form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ' +
      'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata',
  },
]

const COLUMNS: TableShape = customTable(PRINTED) ?? DEFAULT_TABLE

/** Errors of the values under the scale paths. */
export function scaleFaults(object: ValueMap, paths: ScalePaths): readonly FieldError[] {
  return [...numberFaults(object, paths.spec), ...scaleStatusFaults(object, paths)]
}

/** The errors in the status. */
export function scaleStatusFaults(object: ValueMap, { status, selector }: ScalePaths): readonly FieldError[] {
  return [...numberFaults(object, status), ...(selector === '' ? [] : selectorFaults(object, selector))]
}

function numberFaults(object: ValueMap, path: string): readonly FieldError[] {
  const at = FieldPath.root(path)
  const { value, problem } = lookUp(object, partsOf(path))
  if (problem !== undefined) return [invalid(at, 0, problem)]
  if (value === undefined) return []
  if (!isWhole(value)) return [invalid(at, 0, `${path} accessor error: ${printed(value)}, expected int64`)]
  if (value < 0) return [invalid(at, value, 'should be a non-negative integer')]
  return value > MAX_REPLICAS ? [invalid(at, value, `should be less than or equal to ${MAX_REPLICAS}`)] : []
}

function selectorFaults(object: ValueMap, path: string): readonly FieldError[] {
  const { value, problem } = lookUp(object, partsOf(path))
  if (problem === undefined && (value === undefined || typeof value === 'string')) return []
  const found = problem ?? `${path} accessor error: ${printed(value ?? null)}, expected string`
  return [invalid(FieldPath.root(path), '', found)]
}

function isWhole(value: Value): value is number | bigint {
  return goType(value) === 'int64'
}

function partsOf(path: string): readonly string[] {
  return path.split('.').filter((part) => part !== '')
}

function valueAt(object: ValueMap, path: readonly string[]): Value | undefined {
  let value: Value | undefined = object
  for (const name of path) value = isMap(value) ? own(value, name) : undefined
  return value
}

/** `problem` says why there is no value, in the reference's words. */
function lookUp(object: ValueMap, path: readonly string[]): { value?: Value | undefined; problem?: string } {
  let value: Value | undefined = object
  for (const [i, name] of path.entries()) {
    if (value === undefined || value === null) return {}
    if (!isMap(value)) {
      const at = `.${path.slice(0, i + 1).join('.')}`
      return { problem: `${at} accessor error: ${printed(value)}, expected map[string]interface{}` }
    }
    value = own(value, name)
  }
  return { value }
}

function printed(value: Value): string {
  return `${formatGoValue(value)} is of the type ${goType(value)}`
}

function withValueAt(map: ValueMap, path: readonly string[], value: Value): ValueMap {
  const [name, ...rest] = path
  if (name === undefined) return map
  return { ...map, [name]: rest.length === 0 ? value : withValueAt(mapOrEmpty(map, name), rest, value) }
}

function numberOf(value: Value | undefined): number {
  return typeof value === 'number' ? value : 0
}
