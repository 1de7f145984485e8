// When a single container is started again: its own policy, and rules about the code that it exits with.
import type { FieldPath } from '../../../api/field-path.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { listOf, partIn, partsOf, textIn, textOf } from '../../../schema/validation/members.ts'

const MAX_RULES = 20
const MAX_CODES = 255

export function checkRestartRules(container: ValueMap, at: FieldPath, check: Check): void {
  const policy = textIn(container, 'restartPolicy')
  const rules = partsOf(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return
    check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  } else check.oneOf(at.child('restartPolicy'), policy, ['Always', 'Never', 'OnFailure'])
  if (rules.length > MAX_RULES) check.tooMany(at.child('restartPolicyRules'), rules.length, MAX_RULES)
  for (const [i, rule] of rules.entries()) checkRule(rule, at.child('restartPolicyRules').index(i), check)
}

function checkRule(rule: ValueMap, at: FieldPath, check: Check): void {
  const all = check.gate('RestartAllContainersOnContainerExits')
  check.oneOf(at.child('action'), textOf(rule, 'action'), all ? ['Restart', 'RestartAllContainers'] : ['Restart'])
  const codes = partIn(rule, 'exitCodes')
  if (codes === undefined) {
    check.required(at.child('exitCodes'), 'must be specified')
    return
  }
  check.oneOf(at.child('exitCodes').child('operator'), textOf(codes, 'operator'), ['In', 'NotIn'])
  const { length } = listOf(codes, 'values')
  if (length > MAX_CODES) check.tooMany(at.child('exitCodes').child('values'), length, MAX_CODES)
}
