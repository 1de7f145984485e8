// One call of a webhook. The failure policy applies to failed calls, not to denials (W-492 to W-495).
import { randomUUID } from 'node:crypto'
import { mapOrAbsent, mapsOnly, numberOrAbsent, textOrEmpty } from '../../api/members.ts'
import { ApiError, type StatusDetails, type StatusReason } from '../../api/status.ts'
import { isList, own, type ValueMap } from '../../api/value.ts'
import { WEBHOOK_USER_AGENT } from '../../outgoing/webhook-client.ts'
import { answerValue } from '../../outgoing/answer.ts'
import type { OutgoingCaller } from '../../outgoing/call.ts'
import { OutgoingCallError } from '../../outgoing/failure.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { Invocation } from './invocation.ts'
import { encodeReview, readVerdict, type Review, ReviewError, type Verdict } from './review.ts'

/** Thrown if the call failed or the response is invalid. The failure policy of the webhook applies. */
export class HookFailure extends Error {
  /** The code in the metrics. */
  readonly code: number

  constructor(hook: string, why: string, code: number) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${why}`)
    this.code = code
  }
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const HARMLESS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun'])

export interface HookCall {
  readonly invocation: Invocation
  readonly request: AdmissionRequest
  readonly isMutating: boolean
}

/**
 * The verdict of a webhook that allows the request. Throws `HookFailure`, `ApiError` for a denial, and `CancelledError` when the
 * signal fires.
 */
export async function callHook(caller: OutgoingCaller, call: HookCall, signal: AbortSignal): Promise<Verdict> {
  const { invocation, request, isMutating } = call
  const { hook } = invocation
  checkDryRun(call)
  if (hook.reviewVersion === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)'
    throw new HookFailure(hook.name, `could not create admission objects: ${why}`, 400)
  }
  const review: Review = { version: hook.reviewVersion, uid: randomUUID(), request }
  const answer = await ask(caller, { invocation, review }, signal)
  let verdict: Verdict
  try {
    verdict = readVerdict(answer, review, isMutating)
  } catch (error) {
    if (!(error instanceof ReviewError)) throw error
    throw new HookFailure(hook.name, `received invalid webhook response: ${error.message}`, 503)
  }
  for (const [key, value] of Object.entries(verdict.auditAnnotations)) request.annotate(`${hook.name}/${key}`, value)
  for (const warning of verdict.warnings) request.warn(warning)
  if (!verdict.allowed) throw denial(hook.name, verdict.status)
  return verdict
}

function checkDryRun({ invocation: { hook }, request }: HookCall): void {
  if (!request.dryRun) return
  if (hook.sideEffects === undefined) throw new HookFailure(hook.name, 'Webhook SideEffects is nil', 400)
  if (HARMLESS.has(hook.sideEffects)) return
  throw new ApiError('BadRequest', `admission webhook ${JSON.stringify(hook.name)} does not support dry run`)
}

async function ask(
  caller: OutgoingCaller,
  { invocation, review }: { readonly invocation: Invocation; readonly review: Review },
  signal: AbortSignal,
): Promise<unknown> {
  const { hook } = invocation
  const left = (review.request.deadline ?? Number.POSITIVE_INFINITY) - performance.now()
  if (left <= 0) throw tooLate()
  const body = encodeReview(invocation, review)
  const timeoutMs = Math.min(hook.timeoutMs, left)
  try {
    if (typeof hook.target === 'function') return await hook.target(body, timeoutMs, signal)
    const answer = await caller.call(
      hook.target,
      { body, userAgent: WEBHOOK_USER_AGENT, timeoutMs, tellTimeout: true, maxAnswerBytes: MAX_ANSWER_BYTES },
      signal,
    )
    return answerValue(answer)
  } catch (error) {
    if (!(error instanceof OutgoingCallError)) throw error
    if (left < hook.timeoutMs && (error.kind === 'deadline' || error.kind === 'cut')) throw tooLate()
    const doing = error.kind === 'settings' ? 'could not get REST client' : 'failed to call webhook'
    throw new HookFailure(hook.name, `${doing}: ${error.message}`, error.status ?? 503)
  }
}

/** The error if the timeout of the whole request has passed (W-017). */
function tooLate(): ApiError {
  const why = 'request did not complete within requested timeout - context deadline exceeded'
  return new ApiError('Timeout', `Timeout: ${why}`, { details: {} })
}

/** The error for a denial: the Status of the webhook, with a valid code (W-493). */
function denial(hook: string, status: ValueMap = {}): ApiError {
  const sent = numberOrAbsent(status, 'code') ?? 0
  const code = Number.isInteger(sent) && sent >= 400 && sent <= 599 ? sent : 400
  const reason = textOrEmpty(status, 'reason')
  const denied = `admission webhook ${JSON.stringify(hook)} denied the request`
  const why = textOrEmpty(status, 'message') || reason
  const details = mapOrAbsent(status, 'details')
  return new ApiError(reason as StatusReason, why === '' ? `${denied} without explanation` : `${denied}: ${why}`, {
    code,
    ...(details === undefined ? {} : { details: readDetails(details) }),
  })
}

function readDetails(details: ValueMap): StatusDetails {
  const retry = numberOrAbsent(details, 'retryAfterSeconds')
  return {
    ...textsIn(details, 'name', 'group', 'kind', 'uid'),
    ...(isList(own(details, 'causes')) && {
      causes: mapsOnly(details, 'causes').map((cause) => textsIn(cause, 'reason', 'message', 'field')),
    }),
    ...(retry !== undefined && retry > 0 && { retryAfterSeconds: Math.floor(retry) }),
  }
}

/** The named members that are not empty. */
function textsIn(map: ValueMap, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, textOrEmpty(map, name)]).filter(([, text]) => text !== ''))
}

export function internal(text: string, cause?: unknown): ApiError {
  return new ApiError('InternalError', `Internal error occurred: ${text}`, {
    details: { causes: [{ message: text }] },
    ...(cause === undefined ? {} : { cause }),
  })
}
