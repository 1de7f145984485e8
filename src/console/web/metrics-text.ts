// Finds the numbers of the overview in the text of the metrics. This file needs no browser.
import { canList, type Kind, resourceName } from './kind.ts'

export type Counts = readonly (readonly [kind: Kind, count: number])[]

export interface FailingWebhook {
  readonly name: string
  readonly failures: number
}

/** The kinds that have objects, the largest first. */
export function shownCounts(counts: Counts): Counts {
  return counts.filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one)
}

export function countsIn(metrics: string, kinds: readonly Kind[]): Counts {
  const byName = new Map(
    samplesOf(metrics, 'apiserver_storage_objects').map(({ label, value }) => [label('resource'), value]),
  )
  return shownCounts(kinds.filter(canList).map((kind) => [kind, byName.get(resourceName(kind)) ?? 0] as const))
}

/** The webhooks whose calls have failed, by name. A webhook's own rejections are not failures. */
export function failingWebhooks(metrics: string): readonly FailingWebhook[] {
  const failed = [
    ...samplesOf(metrics, 'apiserver_admission_webhook_fail_open_count'),
    ...samplesOf(metrics, 'apiserver_admission_webhook_rejection_count').filter(
      ({ label }) => label('error_type') !== 'no_error',
    ),
  ]
  const byName = Map.groupBy(failed, ({ label }) => label('name'))
  return [...byName].map(([name, samples]) => ({ name, failures: samples.reduce((sum, { value }) => sum + value, 0) }))
}

interface Sample {
  readonly label: (name: string) => string
  readonly value: number
}

function samplesOf(metrics: string, name: string): readonly Sample[] {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => {
      const end = line.lastIndexOf('}')
      const labels = new Map([...line.slice(0, end).matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]))
      return {
        label: (wanted) => labels.get(wanted) ?? '',
        value: Number(
          line
            .slice(end + 1)
            .trim()
            .split(' ', 1)[0],
        ),
      }
    })
}
