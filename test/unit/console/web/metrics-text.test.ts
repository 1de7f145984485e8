import { expect, it } from 'vitest'
import { countsIn, failingWebhooks } from '../../../../src/console/web/metrics-text.ts'

const METRICS = `# TYPE apiserver_storage_objects gauge
apiserver_storage_objects{resource="pods"} 3
apiserver_storage_objects{resource="boats.sea.example"} 12
apiserver_storage_objects{resource="secrets"} 0
apiserver_admission_webhook_fail_open_count{name="a.example.com",type="validating"} 2
apiserver_admission_webhook_rejection_count{name="a.example.com",type="validating",operation="CREATE",error_type="calling_webhook_error",rejection_code="0"} 3
apiserver_admission_webhook_rejection_count{name="b.example.com",type="validating",operation="CREATE",error_type="no_error",rejection_code="400"} 9
`

const kind = (plural: string, group = '') => ({
  plural,
  group,
  version: 'v1',
  kind: plural,
  namespaced: true,
  verbs: ['list'],
  shortNames: [],
  subresources: [],
})

it('the overview counts the objects of served kinds by the metrics, the most frequent first', () => {
  const [pods, boats, secrets] = [kind('pods'), kind('boats', 'sea.example'), kind('secrets')]
  expect(countsIn(METRICS, [pods, boats, secrets, kind('unknown')])).toEqual([
    [boats, 12],
    [pods, 3],
  ])
})

it('the overview names the webhooks whose calls failed, and not those that reject', () => {
  expect(failingWebhooks(METRICS)).toEqual([{ name: 'a.example.com', failures: 5 }])
})
