// Checks an applied body against its schema. The check is stricter than decoding: an unknown field is an error, and so are two items of one
// identity in a list (W-224 to W-226).
import { isList, isMap, type Value } from '../api/value.ts'
import type { ListShape, ObjectShape, Shape } from '../schema/table.ts'
import { fieldElement, formatPath, type PathElement } from './field-set.ts'
import { formatGoValue, goType } from '../api/go-format.ts'
import { itemElement } from './structure.ts'

const MAX_PROBLEMS = 10

/** The problems of the value, sorted by field name. Empty: the value fits the schema. */
export function findTypeProblems(shape: ObjectShape, value: Value): string[] {
  const problems: string[] = []
  check(shape, value, [], problems)
  return problems.slice(0, MAX_PROBLEMS)
}

function check(shape: Shape, value: Value, path: readonly PathElement[], problems: string[]): void {
  if (value === null || problems.length >= MAX_PROBLEMS) return
  const complain = (text: string): void => void problems.push(`${formatPath(path)}: ${text}`)
  switch (shape.kind) {
    case 'object':
      if (!isMap(value)) return complain(`expected map, got ${goValue(value)}`)
      for (const name of Object.keys(value).toSorted()) {
        const field = shape.byName.get(name)
        const below = [...path, fieldElement(name)]
        if (field !== undefined) check(field.shape, value[name]!, below, problems)
        else if (!(shape.preserveUnknown || (shape.typeMeta && (name === 'kind' || name === 'apiVersion')))) {
          problems.push(`${formatPath(below)}: field not declared in schema`)
          return
        }
      }
      return
    case 'map':
      if (!isMap(value)) return complain(`expected map, got ${goValue(value)}`)
      for (const name of Object.keys(value).toSorted()) {
        check(shape.value, value[name]!, [...path, fieldElement(name)], problems)
      }
      return
    case 'list':
      if (!isList(value)) return complain(`expected list, got ${goValue(value)}`)
      return checkItems(shape, value, path, problems)
    case 'int32':
    case 'int64':
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') {
        complain(`expected numeric (int or float), got ${goType(value)}`)
      }
      return
    case 'string':
    case 'bytes':
      if (typeof value !== 'string') complain(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
      return
    case 'boolean':
      if (typeof value !== 'boolean') complain(`expected boolean, got ${goValue(value)}`)
      return
    case 'time':
    case 'microTime':
    case 'duration':
    case 'quantity':
    case 'intOrString':
      if (typeof value === 'object') complain(`expected any scalar, got ${goValue(value)}`)
      return
    default:
      return
  }
}

function checkItems(list: ListShape, items: readonly Value[], path: readonly PathElement[], problems: string[]): void {
  const seen = new Set<PathElement>()
  for (const [index, item] of items.entries()) {
    if (problems.length >= MAX_PROBLEMS) return
    let element: PathElement = `i:${index}`
    if (list.listType !== 'atomic') {
      const identity = itemElement(list, item)
      if (typeof identity !== 'string') {
        problems.push(`${formatPath(path)}: element ${index}: ${identity.problem}`)
        continue
      }
      if (seen.has(identity)) {
        problems.push(`${formatPath(path)}: duplicate entries for key ${formatPath([identity])}`)
        continue
      }
      seen.add(identity)
      element = identity
    }
    check(list.item, item, [...path, element], problems)
  }
}

/** The problems as one text. Several problems are a list under a heading. */
export function formatProblems(problems: readonly string[]): string {
  return problems.length === 1 ? problems[0]! : `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`
}

function goValue(value: Value): string {
  return `&{${formatGoValue(value)}}`
}

function goSyntax(value: Value): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (isMap(value)) {
    const members = Object.keys(value).toSorted()
    return `map[string]interface {}{${members.map((key) => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`).join(', ')}}`
  }
  return value === null ? 'interface {}(nil)' : typeof value === 'string' ? JSON.stringify(value) : String(value)
}
