// The parts of a summary that only some kinds have: containers, rules, ports, data. One function makes each part.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Fields, fieldAt, fieldsAt, isFields, itemsAt, textAt } from './fields.ts'
import { wordTone } from './health.ts'
import { Toned } from './listing.tsx'
import { bytesText } from './server-status.ts'
import { cellText } from './table-rows.ts'

export interface Part {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ComponentChildren[])[]
}

type Make = (object: Fields) => readonly Part[]

/** The fields of each item of a list, or of one object, as a table. */
function tableOf(title: string, path: string, columns: Readonly<Record<string, string>>): Make {
  return (object) => [
    {
      title,
      columns: Object.keys(columns),
      rows: [...itemsAt(object, path), ...[fieldAt(object, path)].filter(isFields)].map((item) =>
        Object.values(columns).map((field) => cellOf(item, field)),
      ),
    },
  ]
}

/** The text of a cell. The core group has an empty name, so the cell shows `core`. */
function cellOf(item: Fields, field: string): string {
  const value = item[field]
  if (field === 'apiGroups' && Array.isArray(value)) return value.map((group) => group || 'core').join(', ')
  return textAt(item, field) || '–'
}

const RULES = tableOf('Rules', 'rules', {
  Verbs: 'verbs',
  Resources: 'resources',
  'API groups': 'apiGroups',
  Names: 'resourceNames',
  URLs: 'nonResourceURLs',
})
const SUBJECTS = tableOf('Subjects', 'subjects', { Kind: 'kind', Name: 'name', Namespace: 'namespace' })
const ROLE = tableOf('Role', 'roleRef', { Kind: 'kind', Name: 'name' })
const WEBHOOKS = tableOf('Webhooks', 'webhooks', {
  Name: 'name',
  URL: 'clientConfig.url',
  Service: 'clientConfig.service.name',
  'On failure': 'failurePolicy',
})

const WORKLOADS =
  'deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch replicationcontrollers'.split(' ')

/** The parts of each resource. */
const PARTS: Readonly<Record<string, readonly Make[]>> = {
  pods: [containersIn('spec')],
  ...Object.fromEntries(WORKLOADS.map((resource) => [resource, [containersIn('spec.template.spec')]])),
  'cronjobs.batch': [containersIn('spec.jobTemplate.spec.template.spec')],
  'roles.rbac.authorization.k8s.io': [RULES],
  'clusterroles.rbac.authorization.k8s.io': [RULES],
  'rolebindings.rbac.authorization.k8s.io': [ROLE, SUBJECTS],
  'clusterrolebindings.rbac.authorization.k8s.io': [ROLE, SUBJECTS],
  configmaps: [(object) => [dataOf(object, false)]],
  secrets: [(object) => [dataOf(object, true)]],
  services: [
    tableOf('Ports', 'spec.ports', {
      Name: 'name',
      Port: 'port',
      Protocol: 'protocol',
      Target: 'targetPort',
      Node: 'nodePort',
    }),
  ],
  resourcequotas: [amounts('Quota', 'status.hard', 'Limit', 'status.used', 'Used')],
  nodes: [amounts('Resources', 'status.capacity', 'Capacity', 'status.allocatable', 'Allocatable')],
  'validatingwebhookconfigurations.admissionregistration.k8s.io': [WEBHOOKS],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': [WEBHOOKS],
}

export function partsOf(resource: string, object: Fields): readonly Part[] {
  return (PARTS[resource] ?? []).flatMap((make) => make(object))
}

function amounts(title: string, first: string, firstColumn: string, second: string, secondColumn: string): Make {
  return (object) => [
    {
      title,
      columns: ['Resource', firstColumn, secondColumn],
      rows: Object.entries(fieldsAt(object, first)).map(([name, amount]) => [
        name,
        cellText(amount),
        cellText(fieldsAt(object, second)[name]) || '–',
      ]),
    },
  ]
}

/** `path`: the path of the pod's specification. Only pods themselves have states of containers. */
function containersIn(path: string): Make {
  return (object) => {
    const lists = ['initContainers', 'containers'].map((name) => itemsAt(object, `${path}.${name}`))
    const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((name) => itemsAt(object, `status.${name}`))
    const isPod = path === 'spec'
    const rowOf = (container: Fields, isFirst: boolean): readonly ComponentChildren[] => {
      const name = textAt(container, 'name')
      const ports = itemsAt(container, 'ports').map((port) => textAt(port, 'containerPort'))
      const row = [isFirst ? `${name} (init)` : name, textAt(container, 'image'), ports.join(', ') || '–']
      return isPod ? [...row, ...stateOf(statuses.find((one) => one['name'] === name))] : row
    }
    return [
      {
        title: 'Containers',
        columns: ['Name', 'Image', 'Ports', ...(isPod ? ['State', 'Reason', 'Restarts'] : [])],
        rows: lists.flatMap((list, i) => list.map((container) => rowOf(container, i === 0))),
      },
    ]
  }
}

function stateOf(status: Fields | undefined): readonly ComponentChildren[] {
  const [name = 'waiting', state] = Object.entries(fieldsAt(status, 'state'))[0] ?? []
  const [reason, message] = [textAt(state, 'reason'), textAt(state, 'message')]
  const code = textAt(state, 'exitCode')
  const isReady = fieldAt(status, 'ready') === true
  const tone = name === 'running' ? (isReady ? 'good' : 'waiting') : wordTone(reason) || 'waiting'
  const text = name === 'running' && !isReady ? 'running, not ready' : name
  return [
    <Toned tone={tone} text={text} />,
    [reason, message, code && `exit code ${code}`].filter(Boolean).join(', ') || '–',
    textAt(status, 'restartCount') || '0',
  ]
}

function dataOf(object: Fields, isSecret: boolean): Part {
  const texts = Object.entries(fieldsAt(object, 'data')).map(([key, value]) => [key, String(value), isSecret] as const)
  const bytes = Object.entries(fieldsAt(object, 'binaryData')).map(
    ([key, value]) => [key, String(value), true] as const,
  )
  const rows = [...texts, ...bytes].map(([key, value, isEncoded]) => {
    const decoded = isEncoded ? decoded64(value) : new TextEncoder().encode(value)
    return [key, bytesText(decoded.length), <Value name={key} bytes={decoded} isHidden={isSecret} />]
  })
  return { title: 'Data', columns: ['Key', 'Size', 'Value'], rows }
}

function decoded64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

const LONGEST_VALUE = 2000

/** A value of a secret is in the page only after a click. */
function Value({
  name,
  bytes,
  isHidden,
}: {
  readonly name: string
  readonly bytes: Uint8Array
  readonly isHidden: boolean
}) {
  const [isShown, setShown] = useState(!isHidden)
  return (
    <div class="value">
      {isHidden && (
        <button
          type="button"
          aria-expanded={isShown}
          aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </button>
      )}
      {isShown && <pre class="mono">{valueText(bytes)}</pre>}
    </div>
  )
}

function valueText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
  } catch {
    return 'binary data'
  }
}
