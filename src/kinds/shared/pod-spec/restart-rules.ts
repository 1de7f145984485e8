// When a single container is started again: its own policy, and rules about the code that it exits with.
import type { FieldPath } from '../../../api/field-path.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { fieldRules } from '../../../schema/validation/field-rules.ts'
import { partsOf, textIn, textOf } from '../../../schema/validation/members.ts'

const checkRuleCount = fieldRules('core_v1.Container', 'restartPolicyRules')
const checkExitCodes = fieldRules('core_v1.ContainerRestartRule', 'exitCodes', 'exitCodes.operator', 'exitCodes.values')

export function checkRestartRules(container: ValueMap, at: FieldPath, check: Check): void {
  const policy = textIn(container, 'restartPolicy')
  const rules = partsOf(container, 'restartPolicyRules')
  if (policy === undefined) {
    if (rules.length === 0) return
    check.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used')
  } else check.oneOf(at.child('restartPolicy'), policy, ['Always', 'Never', 'OnFailure'])
  checkRuleCount(container, at, check)
  for (const [i, rule] of rules.entries()) checkRule(rule, at.child('restartPolicyRules').index(i), check)
}

function checkRule(rule: ValueMap, at: FieldPath, check: Check): void {
  const all = check.gate('RestartAllContainersOnContainerExits')
  check.oneOf(at.child('action'), textOf(rule, 'action'), all ? ['Restart', 'RestartAllContainers'] : ['Restart'])
  checkExitCodes(rule, at, check)
}
