// The Webhook authorizers of the configuration, and the functions that replace them.
import type { Authorizer } from '../auth/authorizer.ts'
import type { ReviewOutcome } from '../auth/review-webhook.ts'
import { webhookAuthorizer } from '../auth/webhook-authorizer.ts'
import { systemClock } from '../lib/clock.ts'
import type { OutgoingCaller, OutgoingTarget } from '../outgoing/call.ts'
import { OutgoingCallError } from '../outgoing/failure.ts'
import type { ReviewFunction } from '../outgoing/webhook-client.ts'
import { matchConditionsOf } from './config-expressions.ts'
import type { AuthorizationWebhook } from './authorization-file.ts'
import { readTextFile } from './files.ts'
import { reviewCalls } from '../auth/review-calls.ts'
import { StartError } from './start-error.ts'
import { readWebhookKubeconfig } from './webhook-kubeconfig.ts'

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Throws a `StartError` of one line if the webhook's kubeconfig cannot be read. */
export function openAuthorizationWebhook(webhook: AuthorizationWebhook, caller: OutgoingCaller): Authorizer {
  const { kubeconfigFile, source, timeoutMs } = webhook
  const target = kubeconfigFile === undefined ? ownCluster() : readWebhookKubeconfig(kubeconfigFile, source)
  const matches = matchConditionsOf(webhook.conditions)
  return webhookAuthorizer({
    ...webhook,
    ...(matches === undefined ? {} : { matches }),
    clock: systemClock,
    ask: reviewCalls(caller, target, timeoutMs),
  })
}

export interface AuthorizerFunction {
  readonly name: string
  readonly onFailure: 'no-opinion' | 'deny'
  readonly timeoutMs: number
}

/** The function's decisions are not cached: asking again costs no call over the network. */
export function authorizerFunction({ onFailure, timeoutMs }: AuthorizerFunction, answer: ReviewFunction): Authorizer {
  const ask = async (review: object, signal: AbortSignal): Promise<ReviewOutcome> => {
    try {
      return { kind: 'answer', review: await answer(JSON.stringify(review), timeoutMs, signal) }
    } catch (error) {
      if (!(error instanceof OutgoingCallError)) throw error
      return { kind: 'failed', problem: error.message, mayRetry: false }
    }
  }
  return webhookAuthorizer({ version: 'v1', allowedMs: 0, refusedMs: 0, onFailure, clock: systemClock, ask })
}

/** The API server of the cluster in which this server runs as a pod. Calls use the pod's service account. */
function ownCluster(): OutgoingTarget {
  const [host, port] = [process.env['KUBERNETES_SERVICE_HOST'], process.env['KUBERNETES_SERVICE_PORT']]
  if (host === undefined || port === undefined) {
    throw new StartError('--authorization-config: InClusterConfig requires running in a pod')
  }
  const read = (name: string): string => readTextFile(`${ACCOUNT_FOLDER}/${name}`, 'InClusterConfig')
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    tls: { ca: read('ca.crt') },
    headers: { authorization: `Bearer ${read('token').trim()}` },
  }
}
