import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { causeOf } from '../../../src/api/field-error.ts'
import type { StatusCause } from '../../../src/api/status.ts'
import { isMap, type Value, type ValueMap } from '../../../src/api/value.ts'
import { validateCreate, validateSubresource, validateUpdate } from '../../../src/schema/validation/validation.ts'
import { canonicalOf, rulesOf } from '../../corpora/kind-of.ts'
import { ENABLED_GATES } from '../schema/gates.ts'
import { type Attempt, attemptsIn, NAMESPACE } from '../schema/recorded.ts'

/** Scenarios whose every attempt is judged by validation as it was by the real server. */
const SCENARIOS: readonly string[] = [
  'platform/apiservice-remote',
  'platform/certificate-requests',
  'platform/crd-invalid',
  'platform/crd-lifecycle',
  'platform/events-in-both-groups',
  'platform/impersonation-headers',
  'platform/lease-election',
  'platform/policy-warn-and-invalid',
  'platform/priority-classes',
  'platform/quota-counts',
  'platform/rbac-aggregation',
  'platform/rbac-escalation',
  'platform/rbac-non-resource-urls',
  'platform/rbac-resource-names',
  'platform/rbac-subresources',
  'platform/rbac-validation',
  'platform/request-identity',
  'platform/review-self-and-local',
  'platform/review-self-subject',
  'platform/review-subject-access',
  'platform/service-accounts',
  'platform/system-objects',
  'writes/admission-quota',
  'writes/apply-and-update',
  'writes/apply-conflicts',
  'writes/apply-lists',
  'writes/configmap-crud',
  'writes/create-bodies',
  'writes/create-generated-names',
  'writes/create-media-types',
  'writes/create-names',
  'writes/create-order-of-checks',
  'writes/create-server-set-metadata',
  'writes/create-status-dropped',
  'writes/create-too-large',
  'writes/csr-approval',
  'writes/defaults-accounts-secrets',
  'writes/defaults-autoscaler-budget',
  'writes/defaults-deployment',
  'writes/defaults-job-cronjob',
  'writes/defaults-job-variants',
  'writes/defaults-limits-and-nodes',
  'writes/defaults-networking',
  'writes/defaults-pod',
  'writes/defaults-replication-controller',
  'writes/defaults-service',
  'writes/defaults-sets',
  'writes/defaults-storage',
  'writes/delete-pod-grace',
  'writes/dry-run-writes',
  'writes/events-two-versions',
  'writes/field-validation-create',
  'writes/field-validation-patch',
  'writes/gc-background',
  'writes/gc-foreground',
  'writes/json-patch-operations',
  'writes/json-patch-refused',
  'writes/managed-fields',
  'writes/merge-patch',
  'writes/namespace-lifecycle',
  'writes/namespace-terminating',
  'writes/patch-types-and-conditions',
  'writes/pod-binding',
  'writes/pod-ephemeral-containers',
  'writes/scale-deployment',
  'writes/secret-types',
  'writes/status-workloads',
  'writes/strategic-directives',
  'writes/strategic-merge-keys',
  'writes/strategic-refused',
  'writes/update-addressing',
  'writes/update-creates',
  'writes/update-generation',
  'writes/update-generation-more',
  'writes/update-immutable-others',
  'writes/update-immutable-workloads',
  'writes/update-nothing',
  'writes/update-pod',
  'writes/update-terminating',
  'writes/update-versions',
  'writes/validation-autoscaler-budget',
  'writes/validation-deployment',
  'writes/validation-events-slices',
  'writes/validation-job-cronjob',
  'writes/validation-networking',
  'writes/validation-pod',
  'writes/validation-service',
  'writes/validation-sets',
  'writes/validation-storage',
  'writes/warnings-on-write',
]

function errorsOf({ gvk, subresource, namespaced, ...attempt }: Attempt): readonly ValueMap[] {
  const object = canonicalOf(gvk, attempt.object)
  const stored = attempt.stored && canonicalOf(gvk, attempt.stored)
  const context = { gates: ENABLED_GATES, namespaced }
  if (stored === undefined) return validateCreate(rulesOf(gvk), object, context).map(asCause)
  const change = { object, stored }
  return (
    subresource === ''
      ? validateUpdate(rulesOf(gvk), change, context)
      : validateSubresource(rulesOf(gvk), { ...change, subresource }, context)
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
  return list.map(({ reason, field, message }) => `${reason} ${field}: ${message}`.replaceAll(NAMESPACE, '<ns>')).sort()
}

/** Refusals by others than validation are none of its business. */
function isJudged({ status, answer, gvk }: Attempt): boolean {
  const details = isMap(answer['details']) ? answer['details'] : {}
  return status < 300 || (answer['reason'] === 'Invalid' && details['kind'] === gvk.kind)
}

describe('the recorded answers of the real server', () => {
  // Scenarios wait for what the real server does with a delay; here nothing does, and their time flies.
  beforeEach(() => {
    vi.stubEnv('REPLAY_USER_TOKEN', 'any')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    vi.setTimerTickMode('nextTimerAsync')
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })

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
