// What is counted of webhooks, under the names that dashboards know. Names of webhooks come from users: after
// so many the rest is counted as one.
import { counterFamily, type Family, histogramFamily } from '../../lib/measure.ts'
import type { WebhookCall, WebhookObserver, WebhookRejection, WebhookType } from './observer.ts'

const MOST_NAMES = 500
const PREFIX = 'apiserver_admission_webhook_'

export class WebhookMeasures implements WebhookObserver {
  readonly #names = new Set<string>()
  readonly #seconds = histogramFamily({
    name: `${PREFIX}admission_duration_seconds`,
    help: 'How long calls of admission webhooks took.',
    labels: ['name', 'type', 'operation', 'rejected'],
    bounds: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  })
  readonly #requests = counterFamily({
    name: `${PREFIX}request_total`,
    help: 'Calls of admission webhooks.',
    labels: ['name', 'type', 'operation', 'code', 'rejected'],
  })
  readonly #rejections = counterFamily({
    name: `${PREFIX}rejection_count`,
    help: 'Requests that were refused because of an admission webhook, and whether by it or because it failed.',
    labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  })
  readonly #failedOpen = counterFamily({
    name: `${PREFIX}fail_open_count`,
    help: 'Failed calls of admission webhooks that were overlooked.',
    labels: ['name', 'type'],
  })

  called({ name, type, operation, code, rejected, milliseconds }: WebhookCall): void {
    const known = this.#known(name)
    this.#seconds.of(known, type, operation, String(rejected)).observe(milliseconds / 1000)
    this.#requests.of(known, type, operation, String(code), String(rejected)).value++
  }

  rejected({ name, type, operation, errorType, code }: WebhookRejection): void {
    this.#rejections.of(this.#known(name), type, operation, errorType, String(code)).value++
  }

  failedOpen(name: string, type: WebhookType): void {
    this.#failedOpen.of(this.#known(name), type).value++
  }

  all(): readonly Family[] {
    return [this.#seconds, this.#requests, this.#rejections, this.#failedOpen]
  }

  #known(name: string): string {
    if (this.#names.has(name)) return name
    if (this.#names.size >= MOST_NAMES) return 'other'
    this.#names.add(name)
    return name
  }
}
