import { describe, it } from 'vitest'
import { changes, judge, type Row, rows } from './judging.ts'

const LABEL = 'a lowercase RFC 1123 label must consist of…'
const NOT_NEGATIVE = 'must be greater than or equal to 0'
const POSITIVE = 'must be greater than 0'
const IMMUTABLE = 'field is immutable'
const RBAC = 'rbac.authorization.k8s.io/v1'
const RBAC_GROUP = 'rbac.authorization.k8s.io'

const ACCESS = [
  ...rows(
    `${RBAC} Role`,
    ['no verbs', { 'rules/0/verbs': [] }, 'rules[0].verbs: Required value: verbs must contain at least one value'],
    [
      'no groups',
      { 'rules/0/apiGroups': [] },
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      'paths in a namespace',
      { 'rules/0': { verbs: ['get'], nonResourceURLs: ['/x'] } },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ),
  ...rows(
    `${RBAC} ClusterRole`,
    [
      'paths and resources',
      { 'rules/0/resources': ['pods'], 'rules/0/apiGroups': [''] },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'nothing to gather',
      { aggregationRule: { clusterRoleSelectors: [] } },
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  ),
  ...rows(
    `${RBAC} RoleBinding`,
    ['no role', { 'roleRef/name': '' }, 'roleRef.name: Required value'],
    [
      'an unknown kind of role',
      { 'roleRef/kind': 'Odd' },
      'roleRef.kind: Unsupported value: "Odd": supported values: "Role", "ClusterRole"',
    ],
    [
      'an account in a group of the API',
      { 'subjects/0/apiGroup': RBAC_GROUP },
      `subjects[0].apiGroup: Unsupported value: "${RBAC_GROUP}": supported values: ""`,
    ],
  ),
  ...changes(`${RBAC} RoleBinding`, [
    'another role',
    {},
    { 'roleRef/name': 's' },
    `roleRef: Invalid value: {"APIGroup":"${RBAC_GROUP}","Kind":"ClusterRole","Name":"s"}: cannot change roleRef`,
  ]),
  ...rows(
    `${RBAC} ClusterRoleBinding`,
    [
      'a role of one place',
      { 'roleRef/kind': 'Role' },
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ],
    [
      'an account of nowhere',
      { subjects: [{ kind: 'ServiceAccount', name: 's' }] },
      'subjects[0].namespace: Required value',
    ],
  ),
  ...rows(
    'certificates.k8s.io/v1 CertificateSigningRequest',
    ['no uses', { 'spec/usages': [] }, 'spec.usages: Required value'],
    ['no signer', { 'spec/signerName': '' }, 'spec.signerName: Required value'],
    [
      'for too short a time',
      { 'spec/expirationSeconds': 1 },
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ),
]

const SMALL = [
  ...rows(
    'scheduling.k8s.io/v1 PriorityClass',
    [
      'above all users',
      { value: 1_000_000_001 },
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ],
    [
      'a name of the system',
      { 'metadata/name': 'system-x' },
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ],
    [
      'an unknown policy',
      { preemptionPolicy: 'Odd' },
      'preemptionPolicy: Unsupported value: "Odd": supported values: "PreemptLowerPriority", "Never"',
    ],
  ),
  ...changes('scheduling.k8s.io/v1 PriorityClass', [
    'another value',
    {},
    { value: 11 },
    'value: Forbidden: may not be changed in an update.',
  ]),
  ...rows(
    'coordination.k8s.io/v1 Lease',
    ['no time', { 'spec/leaseDurationSeconds': 0 }, `spec.leaseDurationSeconds: Invalid value: 0: ${POSITIVE}`],
    [
      'fewer changes than none',
      { 'spec/leaseTransitions': -1 },
      `spec.leaseTransitions: Invalid value: -1: ${NOT_NEGATIVE}`,
    ],
    ['a finalizer without a domain', { 'metadata/finalizers': ['x'] }],
  ),
  {
    of: 'coordination.k8s.io/v1 Lease',
    case: 'a wish without a way',
    set: { 'spec/preferredHolder': 'h' },
    gates: ['CoordinatedLeaderElection'],
    told: ['spec.preferredHolder: Forbidden: may only be specified when `strategy` is defined'],
  } satisfies Row,
  ...rows(
    'node.k8s.io/v1 RuntimeClass',
    ['a bad handler', { handler: 'A' }, `handler: Invalid value: "A": ${LABEL}`],
    ['no handler', { handler: '' }, 'handler: Required value'],
    ['a finalizer without a domain', { 'metadata/finalizers': ['x'] }],
  ),
  ...changes('node.k8s.io/v1 RuntimeClass', [
    'another handler',
    {},
    { handler: 'g' },
    `handler: Invalid value: "g": ${IMMUTABLE}`,
  ]),
  ...rows(
    'events.k8s.io/v1 Event',
    ['no time', { eventTime: undefined }, 'eventTime: Required value'],
    ['an unknown type', { type: 'Odd' }, 'type: Invalid value: "": has invalid value: Odd'],
    ['a long reason', { reason: 'r'.repeat(129) }, 'reason: Invalid value: "": can have at most 128 characters'],
  ),
  ...changes('events.k8s.io/v1 Event', [
    'another reason',
    {},
    { reason: 'S' },
    `reason: Invalid value: "S": ${IMMUTABLE}`,
    `reason: Invalid value: "S": ${IMMUTABLE}`,
  ]),
  ...changes('events.k8s.io/v1 Event', [
    'another reporter and no type',
    { type: 'Normal' },
    { reportingController: 'example.com/other', type: undefined },
    `type: Invalid value: "": ${IMMUTABLE}`,
    `reportingController: Invalid value: "example.com/other": ${IMMUTABLE}`,
  ]),
]

const FLOW = 'flowcontrol.apiserver.k8s.io/v1 FlowSchema'
const LEVEL = 'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration'

const FLOW_CONTROL = [
  ...rows(
    FLOW,
    [
      'before the first',
      { 'spec/matchingPrecedence': -1 },
      'spec.matchingPrecedence: Invalid value: -1: must be a positive value',
    ],
    [
      'first of all',
      { 'spec/matchingPrecedence': 1 },
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
    [
      'no level',
      { 'spec/priorityLevelConfiguration/name': '' },
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
    [
      'nobody',
      { 'spec/rules/0/subjects': [] },
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
    ],
    [
      'an account without its name',
      { 'spec/rules/0/subjects': [{ kind: 'ServiceAccount' }] },
      "spec.rules[0].subjects[0].serviceAccount: Required value: serviceAccount is required when subject kind is 'ServiceAccount'",
    ],
    [
      'everything and more',
      { 'spec/rules/0/resourceRules/0/verbs': ['*', 'get'] },
      'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
    ],
    [
      'a change of what is fixed',
      { 'metadata/name': 'catch-all', 'spec/matchingPrecedence': 10_000 },
      'spec: Invalid value: …',
    ],
  ),
  ...rows(
    LEVEL,
    [
      'another exempt level',
      { spec: { type: 'Exempt' } },
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
    ],
    [
      'no limits',
      { spec: { type: 'Limited' } },
      'spec.limited: Required value: must not be empty when type is Limited',
    ],
    [
      'a hand too large',
      {
        'spec/limited/limitResponse': {
          type: 'Queue',
          queuing: { queues: 1, handSize: 2, queueLengthLimit: 1 },
        },
      },
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 2: should not be greater than queues (1)',
    ],
    [
      'more than all',
      { 'spec/limited/lendablePercent': 101 },
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
    ],
  ),
]

const WEBHOOKS = 'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration'

const ADMISSION = [
  ...rows(
    WEBHOOKS,
    [
      'a short name',
      { 'webhooks/0/name': 'a' },
      'webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots',
    ],
    [
      'no way to it',
      { 'webhooks/0/clientConfig': {} },
      'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
    ],
    [
      'an open way to it',
      { 'webhooks/0/clientConfig': { url: 'http://u@example.com/?q#f' } },
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL',
    ],
    [
      'no way at all',
      { 'webhooks/0/clientConfig': { url: 'https://a b/' } },
      'webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse "https://a b/": invalid character " " in host name; desired format: https://host[/path]',
    ],
    [
      'side effects',
      { 'webhooks/0/sideEffects': 'Some' },
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      'a long wait',
      { 'webhooks/0/timeoutSeconds': 31 },
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
    [
      'an unknown version',
      { 'webhooks/0/admissionReviewVersions': ['v7'] },
      'webhooks[0].admissionReviewVersions: Invalid value: ["v7"]: must include at least one of v1, v1beta1',
    ],
    [
      'everything and more',
      { 'webhooks/0/rules/0/operations': ['*', 'CREATE'] },
      'webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if \'*\' is present, must not specify other operations',
    ],
  ),
  ...rows('admissionregistration.k8s.io/v1 MutatingWebhookConfiguration', [
    'an unknown way to be asked again',
    { 'webhooks/0/reinvocationPolicy': 'Odd' },
    'webhooks[0].reinvocationPolicy: Unsupported value: "Odd": supported values: "IfNeeded", "Never"',
  ]),
  ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', [
    'no rules',
    { 'spec/matchConstraints/resourceRules': [] },
    'spec.matchConstraints.resourceRules: Required value',
  ]),
  ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', [
    'a variable where there are none',
    { 'spec/validations/0/expression': 'variables.x ' },
    `spec.validations[0].expression: Invalid value: "variables.x ": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')…`,
  ]),
  ...rows('admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding', [
    'no policy',
    { 'spec/policyName': '' },
    'spec.policyName: Required value',
  ]),
  ...rows(
    'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy',
    [
      'no mutations',
      { 'spec/mutations': [] },
      'spec.mutations: Required value: mutations must contain at least one item',
    ],
    [
      'another mutation than it says',
      { 'spec/mutations/0/patchType': 'ApplyConfiguration' },
      'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      'a change of what is deleted',
      { 'spec/matchConstraints/resourceRules/0/operations': ['DELETE'] },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
    [
      'a patch that cannot be compiled',
      { 'spec/mutations/0/jsonPatch/expression': ' nope ' },
      `spec.mutations[0].jsonPatch.expression: Invalid value: "nope": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope'…`,
    ],
    [
      'a patch that is none of its type',
      { 'spec/mutations/0': { patchType: 'ApplyConfiguration', jsonPatch: { expression: 'nope' } } },
      'spec.mutations[0].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration',
      'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
    ],
    [
      'a patch without a type',
      { 'spec/mutations/0': { jsonPatch: { expression: 'nope' } } },
      'spec.mutations[0].patchType: Required value',
    ],
    [
      'a variable that is none',
      { 'spec/mutations/0/jsonPatch/expression': 'variables.x' },
      `spec.mutations[0].jsonPatch.expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:10: undefined field 'x'…`,
    ],
    [
      'patches in variables',
      {
        'spec/variables': [
          { name: 'x', expression: 'JSONPatch{}' },
          { name: '1', expression: 'true' },
        ],
        'spec/mutations/0/jsonPatch/expression': 'variables.x',
      },
      `spec.variables[0].expression: Invalid value: "JSONPatch{}": compilation failed: ERROR: <input>:1:10: undeclared reference to 'JSONPatch'…`,
      'spec.variables[1].name: Invalid value: "1": must be a valid CEL identifier',
      'spec.mutations[0].jsonPatch.expression: Invalid value: "variables.x": must evaluate to list(JSONPatch) but got dyn',
    ],
  ),
  ...rows('admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding', [
    'parameters by name and by labels',
    { 'spec/paramRef': { name: 'n', selector: {}, parameterNotFoundAction: 'Deny' } },
    'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
    'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
  ]),
]

describe.each([
  ['access', ACCESS],
  ['small groups', SMALL],
  ['flow control (P-205)', FLOW_CONTROL],
  ['admission', ADMISSION],
])('%s', (_, list) => {
  it.each(list)('$of: $case', judge)
})
