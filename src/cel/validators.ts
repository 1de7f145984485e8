// Checks beyond types: literals that their function always refuses, and lists and maps of mixed types.
import { sameType } from './assignable.ts'
import { type Call, childrenOf, type Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { templateIssues } from './format-template.ts'
import { parseDuration, parseTimestamp } from './time.ts'
import type { SourceIssue } from './source.ts'
import { DYN, type Type, typeName } from './type.ts'
import { Fault } from './value.ts'
import type { Patterns } from './pattern.ts'

/** Literals anywhere in the arguments of these functions may mix types. */
const MIXING: ReadonlySet<string> = new Set(['format'])

export interface Validation {
  readonly mixedLiterals: boolean
  /** Compiles the patterns of `matches`. */
  readonly patterns: Patterns
}

export function validate(
  expression: Expr,
  checked: Checked,
  { mixedLiterals, patterns }: Validation,
): readonly SourceIssue[] {
  const issues: SourceIssue[] = []
  const visit = (node: Expr, mixing: boolean): void => {
    if (node.kind === 'call') issues.push(...badLiterals(node, patterns), ...templateIssues(node, checked))
    if (!mixing) issues.push(...mixedTypes(node, checked))
    const inside = mixing || (node.kind === 'call' && MIXING.has(node.name))
    for (const child of childrenOf(node)) visit(child, inside)
  }
  visit(expression, mixedLiterals)
  return issues
}

const isBad: Readonly<Record<string, (text: string, patterns: Patterns) => boolean>> = {
  duration: (text) => parseDuration(text) instanceof Fault,
  timestamp: (text) => parseTimestamp(text) instanceof Fault,
  matches: (text, patterns) => patterns.constant(text) instanceof Fault,
}

function badLiterals(node: Call, patterns: Patterns): readonly SourceIssue[] {
  const bad = Object.hasOwn(isBad, node.name) ? isBad[node.name] : undefined
  const argument = node.args.at(-1)
  if (bad === undefined || argument?.kind !== 'literal' || typeof argument.value !== 'string') return []
  return bad(argument.value, patterns) ? [{ message: `invalid ${node.name} argument`, at: argument.at }] : []
}

function mixedTypes(node: Expr, checked: Checked): readonly SourceIssue[] {
  if (node.kind === 'list') return firstMismatch(node.items, checked)
  if (node.kind !== 'map') return []
  const keys = firstMismatch(
    node.entries.map((entry) => ({ value: entry.key, optional: false })),
    checked,
  )
  return [...keys, ...firstMismatch(node.entries, checked)]
}

function firstMismatch(
  items: readonly { readonly value: Expr; readonly optional: boolean }[],
  checked: Checked,
): readonly SourceIssue[] {
  let expected: Type | undefined
  for (const { value, optional } of items) {
    const declared = checked.types.get(value) ?? DYN
    const type = optional && declared.kind === 'optional' ? declared.of : declared
    expected ??= type
    if (!sameType(expected, type)) {
      const message = `expected type '${typeName(expected)}' but found '${typeName(type)}'`
      return [{ message, at: value.at }]
    }
  }
  return []
}
