// The equalities that an expression requires of a variable's fields: if the expression is true, each of these fields has one of the values.
// An index on a field then finds all candidates.
import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { AND, EQUALS, IN, INDEX } from './operators.ts'

export interface Equality {
  /** The names of members, and positions in lists. */
  readonly path: readonly string[]
  /** The values as JSON has them, without the quotes of texts. */
  readonly values: readonly string[]
}

export interface Equalities {
  readonly all: readonly Equality[]
  /** If each field has one of its values, the expression is true. */
  readonly isWhole: boolean
}

/** The equalities among the terms that `&&` joins. An index cannot use the other terms. */
export function equalitiesOf(expression: Expr, checked: Checked, variable: string): Equalities {
  const all: Equality[] = []
  const present: string[] = []
  let isWhole = true
  const left: Expr[] = [expression]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const [a, b] = node.kind === 'call' && node.target === undefined && node.name === AND ? node.args : []
    if (a !== undefined && b !== undefined) {
      left.push(b, a)
      continue
    }
    const found = equalityIn(node, checked, variable)
    if (found !== undefined) all.push(found)
    const tested = testedPath(node, checked, variable)
    if (tested !== undefined) present.push(tested)
    isWhole &&= found?.isExact === true || tested !== undefined
  }
  // A field with a value exists, and so does its parent.
  const known = all.map(({ path }) => `${path.join('\0')}\0`)
  return { all, isWhole: isWhole && present.every((path) => known.some((one) => one.startsWith(path))) }
}

interface Found extends Equality {
  /** Values with equal texts are equal. */
  readonly isExact: boolean
}

function equalityIn(node: Expr, checked: Checked, variable: string): Found | undefined {
  if (node.kind !== 'call' || node.target !== undefined) return undefined
  const [a, b] = node.args
  if (a === undefined || b === undefined) return undefined
  if (node.name === EQUALS) {
    return (
      equality({ field: a, items: [b] }, checked, variable) ?? equality({ field: b, items: [a] }, checked, variable)
    )
  }
  if (node.name !== IN || b.kind !== 'list' || b.items.some(({ optional }) => optional)) return undefined
  return equality({ field: a, items: b.items.map(({ value }) => value) }, checked, variable)
}

/** The path in `has(object.spec.nodeName)`. */
function testedPath(node: Expr, checked: Checked, variable: string): string | undefined {
  if (node.kind !== 'select' || !node.testOnly) return undefined
  const path = pathIn({ ...node, testOnly: false }, checked, variable)
  return path === undefined ? undefined : `${path.join('\0')}\0`
}

function equality(
  { field, items }: { readonly field: Expr; readonly items: readonly Expr[] },
  checked: Checked,
  variable: string,
): Found | undefined {
  const path = pathIn(field, checked, variable)
  if (path === undefined || path.length === 0) return undefined
  const kind = checked.types.get(field)?.kind
  const isInteger = kind === 'int'
  const values = new Set<string>()
  for (const item of items) {
    const value = item.kind === 'literal' ? textOf(item.value, isInteger) : undefined
    if (value === undefined) return undefined
    values.add(value)
  }
  // An absent field has the empty text too, so this text is not exact.
  const isExact = (kind === 'string' || kind === 'int' || kind === 'bool') && !values.has('')
  return { path, values: [...values], isExact }
}

/** Undefined: the value has no text, or may have several texts, such as a number of a field that is not an integer. */
function textOf(value: unknown, isInteger: boolean): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'bigint' && isInteger ? String(value) : undefined
}

/** Undefined: the expression is not a field of the variable. */
function pathIn(expression: Expr, checked: Checked, variable: string): string[] | undefined {
  if (expression.kind === 'ident') return expression.name === variable ? [] : undefined
  if (expression.kind === 'select' && !expression.testOnly) {
    const path = pathIn(expression.operand, checked, variable)
    const type = checked.types.get(expression.operand)
    const member = type?.kind === 'object' ? type.fields.get(expression.field)?.member : undefined
    path?.push(member ?? expression.field)
    return path
  }
  if (expression.kind !== 'call' || expression.name !== INDEX || expression.target !== undefined) return undefined
  const [operand, place] = expression.args
  if (operand === undefined || place?.kind !== 'literal') return undefined
  if (typeof place.value !== 'string' && typeof place.value !== 'bigint') return undefined
  const path = pathIn(operand, checked, variable)
  path?.push(String(place.value))
  return path
}
