import { describe, expect, it } from 'vitest'
import { causeOf } from '../../../../src/api/field-error.ts'
import type { StatusCause } from '../../../../src/api/status.ts'
import { isMap, type Value, type ValueMap } from '../../../../src/api/value.ts'
import { validateCreate, validateSubresource, validateUpdate } from '../../../../src/schema/validation/validation.ts'
import { ENABLED_GATES } from '../gates.ts'
import { type Attempt, attemptsIn } from '../recorded.ts'

/** Scenarios whose every attempt is judged by validation as it was by the real server. */
const SCENARIOS: readonly string[] = ['writes/validation-pod', 'writes/pod-binding', 'writes/configmap-crud']

function errorsOf({ gvk, object, stored, subresource, namespaced }: Attempt): readonly ValueMap[] {
  const context = { gates: ENABLED_GATES, namespaced }
  if (stored === undefined) return validateCreate(gvk, object, context).map(asCause)
  const change = { object, stored }
  return (
    subresource === ''
      ? validateUpdate(gvk, change, context)
      : validateSubresource(gvk, { ...change, subresource }, context)
  ).map(asCause)
}

function asCause(error: Parameters<typeof causeOf>[0]): ValueMap {
  return { ...causeOf(error) }
}

/** The causes as the recording holds them: what the scenario leaves out is left out, and their order is alphabetical. */
function causesIn(body: unknown): readonly string[] {
  const details = isMap(body as Value) ? (body as ValueMap)['details'] : undefined
  const causes = isMap(details) ? details['causes'] : undefined
  const list = Array.isArray(causes) ? (causes as readonly StatusCause[]) : []
  return list.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort()
}

/** Refusals by others than validation are none of its business. */
function isJudged({ status, answer, gvk }: Attempt): boolean {
  const details = isMap(answer['details']) ? answer['details'] : {}
  return status < 300 || (answer['reason'] === 'Invalid' && details['kind'] === gvk.kind)
}

describe('the recorded answers of the real server', () => {
  it.each(SCENARIOS)('%s', async (scenario) => {
    const attempts = (await attemptsIn(scenario)).filter(isJudged)
    expect(attempts.length).toBeGreaterThan(0)
    for (const attempt of attempts) {
      const causes = errorsOf(attempt)
      const told = attempt.pick({ kind: 'Status', apiVersion: 'v1', details: { causes } })
      expect(causesIn(told), attempt.step).toEqual(attempt.status < 300 ? [] : causesIn(attempt.answer))
    }
  })
})
