// Metrics of pod security: violations by pods and by workloads.
import { counter, Measures } from '../lib/measure.ts'
import type { AdmissionRequest } from '../admission/admission.ts'
import { LATEST, type LevelVersion, type Mode } from './pod-security-policy.ts'

const OF_REQUEST: readonly string[] = ['request_operation', 'resource', 'subresource']

export class PodSecurityMeasures extends Measures {
  readonly evaluations = counter('pod_security_evaluations_total', 'Pod security evaluations, by decision.', [
    'decision',
    'policy_level',
    'policy_version',
    'mode',
    ...OF_REQUEST,
  ])
  readonly exemptions = counter('pod_security_exemptions_total', 'Requests exempt from pod security.', OF_REQUEST)
  readonly errors = counter(
    'pod_security_errors_total',
    'Invalid pod security labels; the restricted level applied instead.',
    ['fatal', ...OF_REQUEST],
  )

  /** The newest known minor version of the standard. Newer versions are counted as `future`. */
  readonly newestMinor: number

  constructor(newestMinor: number) {
    super()
    this.newestMinor = newestMinor
  }

  noteEvaluation(decision: 'allow' | 'deny', mode: Mode, level: LevelVersion, request: AdmissionRequest): void {
    this.evaluations.of(decision, level.level, this.#versionOf(level), mode, ...labelsOf(request)).value++
  }

  noteExemption(request: AdmissionRequest): void {
    this.exemptions.of(...labelsOf(request)).value++
  }

  noteError(request: AdmissionRequest): void {
    this.errors.of('false', ...labelsOf(request)).value++
  }

  #versionOf({ level, minor }: LevelVersion): string {
    if (minor === LATEST || level === 'privileged') return 'latest'
    return minor > this.newestMinor ? 'future' : `v1.${minor}`
  }
}

function labelsOf({ operation, resource: { group, resource }, subresource }: AdmissionRequest): readonly string[] {
  return [operation.toLowerCase(), group === '' && resource === 'pods' ? 'pod' : 'controller', subresource]
}
