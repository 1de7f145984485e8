// The defaults of webhooks and admission policies.
import { absent, always, each, type Fields, type Rule, within } from '../../schema/defaults/rule.ts'

const rules = each(within({ scope: absent('*') }))

const SELECTION: Fields = {
  matchPolicy: absent('Equivalent'),
  namespaceSelector: absent({}),
  objectSelector: absent({}),
}

const matchResources = within({ ...SELECTION, resourceRules: rules, excludeResourceRules: rules })

const policy = within({ spec: always({ failurePolicy: absent('Fail'), matchConstraints: matchResources }) })

const binding = within({ spec: within({ matchResources }) })

const webhooks = (more: Fields): Rule =>
  within({
    webhooks: each(
      within({
        failurePolicy: absent('Fail'),
        ...SELECTION,
        timeoutSeconds: absent(10),
        ...more,
        clientConfig: within({ service: within({ port: absent(443) }) }),
        rules,
      }),
    ),
  })

export const ADMISSION_REGISTRATION: Readonly<Record<string, Rule>> = {
  MutatingAdmissionPolicy: policy,
  MutatingAdmissionPolicyBinding: binding,
  MutatingWebhookConfiguration: webhooks({ reinvocationPolicy: absent('Never') }),
  ValidatingAdmissionPolicy: policy,
  ValidatingAdmissionPolicyBinding: binding,
  ValidatingWebhookConfiguration: webhooks({}),
}
