// How messages show values of types that have no JSON form of their own: under the reference's names, in its order, with
// what is absent as null or empty. A form is a list of members; one that holds records has their form too.
import { type Shown, shownJson } from '../../api/field-error.ts'
import { isList, isMap, type Value } from '../../api/value.ts'

type Member = readonly [name: string, shown: string, absent: Value, form?: Form]
export type Form = readonly Member[]

export function shownAs(value: Value | undefined, form: Form): Shown {
  return shownJson(formed(value, form))
}

/** The same as a part of something else that is shown. */
export function formed(value: Value | undefined, form: Form): Value {
  if (isList(value)) return value.map((item) => formed(item, form))
  if (!isMap(value)) return value ?? null
  const out: Record<string, Value> = {}
  for (const [name, shown, absent, inner] of form) {
    const member = value[name]
    out[shown] = member === undefined || member === null ? absent : inner ? formed(member, inner) : member
  }
  return out
}

const ROLLING: Form = [
  ['maxUnavailable', 'MaxUnavailable', null],
  ['maxSurge', 'MaxSurge', null],
]
const ROLLING_SET: Form = [
  ['partition', 'Partition', 0],
  ['maxUnavailable', 'MaxUnavailable', null],
]

function strategy(rolling: Form): Form {
  return [
    ['type', 'Type', ''],
    ['rollingUpdate', 'RollingUpdate', null, rolling],
  ]
}

export const ROLLING_STRATEGY: Form = strategy(ROLLING)
export const SET_STRATEGY: Form = strategy(ROLLING_SET)
export const ROLLING_SET_UPDATE: Form = ROLLING_SET

export const POD_CLAIM: Form = [
  ['name', 'Name', ''],
  ['resourceClaimName', 'ResourceClaimName', null],
  ['resourceClaimTemplateName', 'ResourceClaimTemplateName', null],
]

export const SUCCESS_POLICY: Form = [
  [
    'rules',
    'Rules',
    null,
    [
      ['succeededIndexes', 'SucceededIndexes', null],
      ['succeededCount', 'SucceededCount', null],
    ],
  ],
]

export const FAILURE_POLICY: Form = [
  [
    'rules',
    'Rules',
    null,
    [
      ['action', 'Action', ''],
      [
        'onExitCodes',
        'OnExitCodes',
        null,
        [
          ['containerName', 'ContainerName', null],
          ['operator', 'Operator', ''],
          ['values', 'Values', null],
        ],
      ],
      [
        'onPodConditions',
        'OnPodConditions',
        null,
        [
          ['type', 'Type', ''],
          ['status', 'Status', ''],
        ],
      ],
    ],
  ],
]

const DEVICE_SELECTORS: Form = [['cel', 'CEL', null, [['expression', 'Expression', '']]]]
/** Of taints of nodes, and of devices. */
export const TOLERATION: Form = [
  ['key', 'Key', ''],
  ['operator', 'Operator', ''],
  ['value', 'Value', ''],
  ['effect', 'Effect', ''],
  ['tolerationSeconds', 'TolerationSeconds', null],
]
const DEVICES_BEGIN: Form = [
  ['deviceClassName', 'DeviceClassName', ''],
  ['selectors', 'Selectors', null, DEVICE_SELECTORS],
  ['allocationMode', 'AllocationMode', ''],
  ['count', 'Count', 0],
]
const DEVICES_END: Form = [
  ['tolerations', 'Tolerations', null, TOLERATION],
  ['capacity', 'Capacity', null, [['requests', 'Requests', null]]],
]
const DEVICE_REQUESTS: Form = [
  ['name', 'Name', ''],
  ['exactly', 'Exactly', null, [...DEVICES_BEGIN, ['adminAccess', 'AdminAccess', null], ...DEVICES_END]],
  ['firstAvailable', 'FirstAvailable', null, [['name', 'Name', ''], ...DEVICES_BEGIN, ...DEVICES_END]],
]
const DEVICE_CONSTRAINTS: Form = [
  ['requests', 'Requests', null],
  ['matchAttribute', 'MatchAttribute', null],
  ['distinctAttribute', 'DistinctAttribute', null],
]
const DEVICE_CONFIGURATIONS: Form = [
  ['requests', 'Requests', null],
  [
    'opaque',
    'Opaque',
    null,
    [
      ['driver', 'Driver', ''],
      ['parameters', 'Parameters', null],
    ],
  ],
]

/** The spec of a claim of devices. */
export const DEVICE_CLAIM: Form = [
  [
    'devices',
    'Devices',
    { Requests: null, Constraints: null, Config: null },
    [
      ['requests', 'Requests', null, DEVICE_REQUESTS],
      ['constraints', 'Constraints', null, DEVICE_CONSTRAINTS],
      ['config', 'Config', null, DEVICE_CONFIGURATIONS],
    ],
  ],
]

export const DEVICE_ID: Form = [
  ['driver', 'Driver', ''],
  ['pool', 'Pool', ''],
  ['device', 'Device', ''],
  ['shareID', 'ShareID', ''],
]

export const SCOPE_SELECTOR: Form = [
  [
    'matchExpressions',
    'MatchExpressions',
    null,
    [
      ['scopeName', 'ScopeName', ''],
      ['operator', 'Operator', ''],
      ['values', 'Values', null],
    ],
  ],
]

export const SECCOMP_PROFILE: Form = [
  ['type', 'Type', ''],
  ['localhostProfile', 'LocalhostProfile', null],
]

export const SECURITY_CONTEXT: Form = [
  [
    'capabilities',
    'Capabilities',
    null,
    [
      ['add', 'Add', null],
      ['drop', 'Drop', null],
    ],
  ],
  ['privileged', 'Privileged', null],
  [
    'seLinuxOptions',
    'SELinuxOptions',
    null,
    [
      ['user', 'User', ''],
      ['role', 'Role', ''],
      ['type', 'Type', ''],
      ['level', 'Level', ''],
    ],
  ],
  [
    'windowsOptions',
    'WindowsOptions',
    null,
    [
      ['gmsaCredentialSpecName', 'GMSACredentialSpecName', null],
      ['gmsaCredentialSpec', 'GMSACredentialSpec', null],
      ['runAsUserName', 'RunAsUserName', null],
      ['hostProcess', 'HostProcess', null],
    ],
  ],
  ['runAsUser', 'RunAsUser', null],
  ['runAsGroup', 'RunAsGroup', null],
  ['runAsNonRoot', 'RunAsNonRoot', null],
  ['readOnlyRootFilesystem', 'ReadOnlyRootFilesystem', null],
  ['allowPrivilegeEscalation', 'AllowPrivilegeEscalation', null],
  ['procMount', 'ProcMount', null],
  ['seccompProfile', 'SeccompProfile', null, SECCOMP_PROFILE],
  ['appArmorProfile', 'AppArmorProfile', null, SECCOMP_PROFILE],
]

export const DEVICE_ATTRIBUTE: Form = [
  ['int', 'IntValue', null],
  ['bool', 'BoolValue', null],
  ['string', 'StringValue', null],
  ['version', 'VersionValue', null],
  ['ints', 'IntValues', null],
  ['bools', 'BoolValues', null],
  ['strings', 'StringValues', null],
  ['versions', 'VersionValues', null],
]

export const OBJECT_REFERENCE: Form = [
  ['kind', 'Kind', ''],
  ['namespace', 'Namespace', ''],
  ['name', 'Name', ''],
  ['uid', 'UID', ''],
  ['apiVersion', 'APIVersion', ''],
  ['resourceVersion', 'ResourceVersion', ''],
  ['fieldPath', 'FieldPath', ''],
]

const NODE_REQUIREMENT: Form = [
  ['key', 'Key', ''],
  ['operator', 'Operator', ''],
  ['values', 'Values', null],
]
export const NODE_TERM: Form = [
  ['matchExpressions', 'MatchExpressions', null, NODE_REQUIREMENT],
  ['matchFields', 'MatchFields', null, NODE_REQUIREMENT],
]
export const VOLUME_AFFINITY: Form = [
  ['required', 'Required', null, [['nodeSelectorTerms', 'NodeSelectorTerms', null, NODE_TERM]]],
]

/** Where the volume has a name; one that is written out is shown as it came. */
export const ATTACHMENT: Form = [
  ['attacher', 'Attacher', ''],
  [
    'source',
    'Source',
    null,
    [
      ['persistentVolumeName', 'PersistentVolumeName', null],
      ['inlineVolumeSpec', 'InlineVolumeSpec', null],
    ],
  ],
  ['nodeName', 'NodeName', ''],
]
