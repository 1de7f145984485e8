// The metrics of webhooks, under the reference's names. The names of webhooks and the codes come from users. So the number of series has a
// limit: all further series are counted together, and the series of removed webhooks are forgotten.
import { counter, type Family, histogram } from '../../lib/measure.ts'

export type WebhookType = 'admit' | 'validating'

export interface WebhookCall {
  readonly name: string
  readonly type: WebhookType
  readonly operation: string
  readonly milliseconds: number
  /** The code of the response. 0: an internal error. */
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

const MOST_NAMES = 500
const MOST_SERIES = 5_000
const HIGHEST_CODE = 600
const REST = 'other'
const PREFIX = 'apiserver_admission_webhook_'

export class WebhookMeasures implements WebhookObserver {
  readonly #names = new Set<string>()
  readonly #seconds = histogram(`${PREFIX}admission_duration_seconds`, 'Admission webhook latency in seconds.', {
    labels: ['name', 'type', 'operation', 'rejected'],
    most: MOST_SERIES,
    bounds: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  })
  readonly #requests = counter(
    `${PREFIX}request_total`,
    'Admission webhook requests, by status code.',
    ['name', 'type', 'operation', 'code', 'rejected'],
    { most: MOST_SERIES },
  )
  readonly #rejections = counter(
    `${PREFIX}rejection_count`,
    'Admission webhook rejections, by whether the webhook rejected or its call failed.',
    ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    { most: MOST_SERIES },
  )
  readonly #failedOpen = counter(
    `${PREFIX}fail_open_count`,
    'Failed admission webhook calls ignored by their failure policy.',
    ['name', 'type'],
    { most: MOST_SERIES },
  )

  called({ name, type, operation, code, rejected, milliseconds }: WebhookCall): void {
    const known = this.#known(name)
    this.#seconds.of(known, type, operation, String(rejected)).observe(milliseconds / 1000)
    this.#requests.of(known, type, operation, codeText(code), String(rejected)).value++
  }

  rejected({ name, type, operation, errorType, code }: WebhookRejection): void {
    this.#rejections.of(this.#known(name), type, operation, errorType, codeText(code)).value++
  }

  failedOpen(name: string, type: WebhookType): void {
    this.#failedOpen.of(this.#known(name), type).value++
  }

  /** Removes the series of all other webhooks. */
  configured(names: ReadonlySet<string>): void {
    for (const name of this.#names) if (!names.has(name)) this.#names.delete(name)
    for (const family of this.all()) family.forget(([name]) => !names.has(name!) && name !== REST)
  }

  all(): readonly Family[] {
    return [this.#seconds, this.#requests, this.#rejections, this.#failedOpen]
  }

  #known(name: string): string {
    if (this.#names.has(name)) return name
    if (this.#names.size >= MOST_NAMES) return REST
    this.#names.add(name)
    return name
  }
}

function codeText(code: number): string {
  return String(Math.min(HIGHEST_CODE, Math.max(0, Math.trunc(code))))
}
