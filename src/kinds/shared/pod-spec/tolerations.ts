// Checks taints and tolerations.
import type { NodeSpec, Toleration } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { labelValue, qualifiedName } from '../../../schema/validation/formats.ts'
import { formOf, shownAs } from '../internal-form.ts'

export function checkTolerations(
  tolerations: readonly Toleration[],
  list: FieldPath<readonly Toleration[]>,
  check: Check,
): void {
  for (const [i, toleration] of tolerations.entries()) checkToleration(toleration, list.index(i), check)
}

function checkToleration(toleration: Toleration, at: FieldPath<Toleration>, check: Check): void {
  const { key = '', operator = '', effect = '' } = toleration
  if (key !== '') check.format(at.child('key'), key, qualifiedName(key))
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    check.invalid(at.child('operator'), operator, detail)
  }
  if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
    check.invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
  }
  checkOperator(toleration, at, check)
  check.fields(toleration, at, 'core_v1.Toleration', 'effect')
}

function checkOperator({ operator = '', value = '' }: Toleration, at: FieldPath<Toleration>, check: Check): void {
  switch (operator) {
    case 'Equal':
    case '': {
      const faults = labelValue(value)
      if (faults.length > 0) check.invalid(at.child('operator'), value, faults.join(';'))
      break
    }
    case 'Exists':
      if (value !== '') check.invalid(at.child('operator'), value, "value must be empty when `operator` is 'Exists'")
      break
    case 'Lt':
    case 'Gt':
      if (check.gate('TaintTolerationComparisonOperators')) checkNumber(value, at.child('value'), check)
      else check.notSupported(at.child('operator'), operator, ['Equal', 'Exists', 'Lt', 'Gt'])
      break
    default:
      check.notSupported(at.child('operator'), operator, ['Equal', 'Exists'])
  }
}

const MAX_INT64 = 2n ** 63n - 1n

function checkNumber(value: string, at: FieldPath<string>, check: Check): void {
  const decimal = /^(?:0|-?[1-9][0-9]{0,18})$/.test(value)
  if (!decimal || BigInt(value) > MAX_INT64 || BigInt(value) < -MAX_INT64 - 1n) {
    check.invalid(at, value, 'must be a valid decimal integer of 64 bits')
  }
}

/** The reference reports faults of taints below the metadata. */
export function checkTaints(spec: NodeSpec, at: FieldPath, check: Check): void {
  const seen = new Set<string>()
  check.each(spec, 'taints', at, (taint, place) => {
    const { value = '', effect, key } = taint
    check.fields(taint, place, 'core_v1.Taint', 'key')
    const faults = labelValue(value)
    if (faults.length > 0) check.invalid(place.child('value'), value, faults.join(';'))
    check.fields(taint, place, 'core_v1.Taint', 'effect')
    const pair = `${effect}\0${key}`
    if (seen.has(pair)) {
      check.duplicate(place, shownAs(taint, formOf('core_v1.Taint')), 'taints must be unique by key and effect pair')
    }
    seen.add(pair)
  })
}
