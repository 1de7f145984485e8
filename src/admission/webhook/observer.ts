// What is counted of webhooks. The names are those of the reference's metrics.

export type WebhookType = 'admit' | 'validating'

export interface WebhookCall {
  readonly name: string
  readonly type: WebhookType
  readonly operation: string
  readonly milliseconds: number
  /** Of the answer; 0 where we failed ourselves. */
  readonly code: number
  readonly rejected: boolean
}

export interface WebhookRejection {
  readonly name: string
  readonly type: WebhookType
  readonly operation: string
  readonly errorType: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error'
  readonly code: number
}

export interface WebhookObserver {
  called(call: WebhookCall): void
  rejected(rejection: WebhookRejection): void
  failedOpen(name: string, type: WebhookType): void
}
