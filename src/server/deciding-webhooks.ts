// The webhooks that decide what users may do, from the configuration.
import type { Authorizer } from '../auth/authorizer.ts'
import { webhookAuthorizer } from '../auth/webhook-authorizer.ts'
import type { ReviewOutcome } from '../auth/webhook-token.ts'
import { systemClock } from '../lib/clock.ts'
import { answerValue } from '../lib/outgoing-answer.ts'
import type { OutgoingCaller, OutgoingTarget } from '../lib/outgoing-call.ts'
import { OutgoingCallError } from '../lib/outgoing-failure.ts'
import { concernsOf } from './access-conditions.ts'
import type { DecidingWebhook } from './authorization-file.ts'
import { readTextFile } from './files.ts'
import { StartError } from './start-error.ts'
import { readWebhookKubeconfig } from './webhook-kubeconfig.ts'

const MAX_REVIEW_BYTES = 1024 * 1024
const RETRIED: ReadonlySet<number> = new Set([429, 500, 504])
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Throws a `StartError` of one line where its kubeconfig cannot be read. */
export function openDecidingWebhook(webhook: DecidingWebhook, caller: OutgoingCaller): Authorizer {
  const { kubeconfigFile, source, timeoutMs } = webhook
  const target = kubeconfigFile === undefined ? ownCluster() : readWebhookKubeconfig(kubeconfigFile, source)
  const call = { userAgent: 'quarterdeck', timeoutMs, tellTimeout: true, maxAnswerBytes: MAX_REVIEW_BYTES }
  const concerns = concernsOf(webhook.conditions)
  return webhookAuthorizer({
    ...webhook,
    ...(concerns === undefined ? {} : { concerns }),
    clock: systemClock,
    ask: async (review, signal): Promise<ReviewOutcome> => {
      try {
        const answer = await caller.call(target, { ...call, body: JSON.stringify(review) }, signal)
        const isBusy =
          RETRIED.has(answer.status) || (answer.status >= 400 && answer.headers['retry-after'] !== undefined)
        if (isBusy) return { kind: 'failed', problem: `the webhook answered ${answer.status}`, mayRetry: true }
        return { kind: 'answer', review: answerValue(answer) }
      } catch (error) {
        if (!(error instanceof OutgoingCallError)) throw error
        return { kind: 'failed', problem: error.message, mayRetry: error.kind === 'broken' }
      }
    },
  })
}

/** The server that this one runs on as a pod, as its account. */
function ownCluster(): OutgoingTarget {
  const [host, port] = [process.env['KUBERNETES_SERVICE_HOST'], process.env['KUBERNETES_SERVICE_PORT']]
  if (host === undefined || port === undefined) {
    throw new StartError('--authorization-config: InClusterConfig means nothing outside of a cluster')
  }
  const read = (name: string): string => readTextFile(`${ACCOUNT_FOLDER}/${name}`, 'InClusterConfig')
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}/`,
    tls: { ca: read('ca.crt') },
    headers: { authorization: `Bearer ${read('token').trim()}` },
  }
}
