// When a single container is started again: its own policy, and rules about the code that it exits with.
import type { FieldPath } from '../../../api/field-path.ts'
import { mapOrAbsent, mapsInPlace, textOrAbsent, textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'

export function checkRestartRules(container: ValueMap, at: FieldPath, check: Check): void {
  const policy = textOrAbsent(container, 'restartPolicy')
  const rules = mapsInPlace(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return
    check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  } else check.oneOf(at.child('restartPolicy'), policy, ['Always', 'Never', 'OnFailure'])
  check.fields(container, at, 'core_v1.Container', 'restartPolicyRules')
  for (const [i, rule] of rules.entries()) checkRule(rule, at.child('restartPolicyRules').index(i), check)
}

function checkRule(rule: ValueMap, at: FieldPath, check: Check): void {
  const all = check.gate('RestartAllContainersOnContainerExits')
  check.oneOf(at.child('action'), textOrEmpty(rule, 'action'), all ? ['Restart', 'RestartAllContainers'] : ['Restart'])
  check.fields(rule, at, 'core_v1.ContainerRestartRule')
  const codes = mapOrAbsent(rule, 'exitCodes')
  if (codes !== undefined) check.fields(codes, at.child('exitCodes'), 'core_v1.ContainerRestartRuleOnExitCodes')
}
