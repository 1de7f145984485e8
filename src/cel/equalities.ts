// The equalities that an expression requires of a variable's fields: where the expression is true, each of these fields has one of the
// values. An index on a field then finds all candidates.
import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { AND, EQUALS, IN, INDEX } from './operators.ts'

export interface Equality {
  /** Names of members, and places in lists. */
  readonly path: readonly string[]
  /** The values as JSON has them, without the quotes of texts. */
  readonly values: readonly string[]
}

/** The equalities in the conjunction of the expression. An index cannot use the other parts of it. */
export function equalitiesOf(expression: Expr, checked: Checked, variable: string): readonly Equality[] {
  const found: Equality[] = []
  const left: Expr[] = [expression]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.kind !== 'call' || node.target !== undefined) continue
    const [a, b] = node.args
    if (a === undefined || b === undefined) continue
    if (node.name === AND) left.push(b, a)
    else if (node.name === EQUALS) {
      add(
        found,
        equality({ field: a, items: [b] }, checked, variable) ?? equality({ field: b, items: [a] }, checked, variable),
      )
    } else if (node.name === IN && b.kind === 'list' && b.items.every(({ optional }) => !optional)) {
      add(found, equality({ field: a, items: b.items.map(({ value }) => value) }, checked, variable))
    }
  }
  return found
}

function add(to: Equality[], found: Equality | undefined): void {
  if (found !== undefined) to.push(found)
}

function equality(
  { field, items }: { readonly field: Expr; readonly items: readonly Expr[] },
  checked: Checked,
  variable: string,
): Equality | undefined {
  const path = pathIn(field, checked, variable)
  if (path === undefined || path.length === 0) return undefined
  const isInteger = checked.types.get(field)?.kind === 'int'
  const values = new Set<string>()
  for (const item of items) {
    const value = item.kind === 'literal' ? textOf(item.value, isInteger) : undefined
    if (value === undefined) return undefined
    values.add(value)
  }
  return { path, values: [...values] }
}

/** Numbers of a field that is no integer may be written in several ways. */
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
