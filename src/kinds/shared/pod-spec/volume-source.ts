// The sources of volumes in pods and persistent volumes, each with its rules. Exactly one may be given.
import type { FieldPath } from '../../../api/field-path.ts'
import {
  integerOrAbsent,
  isGiven,
  isTrue,
  listOrEmpty,
  mapOrAbsent,
  mapOrEmpty,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import { isMap, type ValueMap } from '../../../api/value.ts'
import type { Check, PartRule } from '../../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, inclusiveRange, longerThan } from '../../../schema/validation/formats.ts'
import { checkDescendingPath, checkNoBacksteps } from '../paths.ts'

export interface Source {
  /** The member of the volume. */
  readonly field: string
  /** The field in messages about a second source, where it is another. */
  readonly refusedAs?: string
  /** The field in its own faults, where it is another. */
  readonly toldAs?: string
  /** Checked, and not refused, beside another source. */
  readonly neverRefused?: true
  readonly rule: PartRule
}

/** Checks the first source that is given and refuses the others. */
export function checkSources(sources: readonly Source[], volume: ValueMap, at: FieldPath, check: Check): void {
  const parts = Object.keys(volume).filter((field) => isMap(volume[field]))
  let found = 0
  for (const { field, refusedAs, toldAs, neverRefused, rule } of sources) {
    if (!parts.includes(field)) continue
    if (found > 0 && neverRefused !== true)
      check.forbidden(at.child(refusedAs ?? field), 'may not specify more than 1 volume type')
    else rule(mapOrEmpty(volume, field), at.child(toldAs ?? field), check)
    found++
  }
  if (found === 0) check.required(at, 'must specify a volume type')
}

const fieldsOf =
  (type: string): PartRule =>
  (source, at, check) =>
    check.fields(source, at, type)

const all =
  (...rules: readonly PartRule[]): PartRule =>
  (source, at, check) => {
    for (const rule of rules) rule(source, at, check)
  }

const hostPath: PartRule = (source, at, check) => {
  check.fields(source, at, 'core_v1.HostPathVolumeSource', 'path')
  const path = textOrEmpty(source, 'path')
  if (path === '') return
  checkNoBacksteps(path, at.child('path'), check)
  check.fields(source, at, 'core_v1.HostPathVolumeSource', 'type')
}

const nfs: PartRule = (source, at, check) => {
  check.fields(source, at, 'core_v1.NFSVolumeSource')
  const path = textOrEmpty(source, 'path')
  if (!path.startsWith('/')) check.invalid(at.child('path'), path, 'must be an absolute path')
}

/** `start`: the fault of a name with an unknown prefix. */
const iscsi =
  (start: string): PartRule =>
  (source, at, check) => {
    check.fields(source, at, 'core_v1.ISCSIVolumeSource', 'targetPortal', 'iqn')
    const iqn = textOrEmpty(source, 'iqn')
    if (iqn !== '') checkIscsiName(iqn, start, at.child('iqn'), check)
    check.fields(source, at, 'core_v1.ISCSIVolumeSource', 'lun')
    const authenticates = isTrue(source, 'chapAuthDiscovery') || isTrue(source, 'chapAuthSession')
    if (authenticates && !isGiven(source, 'secretRef')) check.required(at.child('secretRef'))
  }

const iscsiInitiator =
  (start: string): PartRule =>
  (source, at, check) => {
    const initiator = textOrAbsent(source, 'initiatorName')
    if (initiator !== undefined) checkIscsiName(initiator, start, at.child('initiatorname'), check)
  }

function checkIscsiName(name: string, start: string, at: FieldPath, check: Check): void {
  const form = ISCSI_FORMS.find(({ prefix }) => name.startsWith(prefix))
  if (form === undefined) check.invalid(at, name, start)
  else if (name.length > MAX_ISCSI_NAME || !form.expression.test(name)) check.invalid(at, name, 'must be valid format')
}

/** Many times the length of any name in use: matching long ones takes time. */
const MAX_ISCSI_NAME = 2048

const ISCSI_FORMS = [
  { prefix: 'iqn', expression: /iqn\.\d{4}-\d{2}\.[a-zA-Z0-9\-.]+:[^,;*&$|\s]+$/ },
  { prefix: 'eui', expression: /^eui.[a-zA-Z0-9]{16}$/ },
  { prefix: 'naa', expression: /^naa.[a-zA-Z0-9]{32}$/ },
] as const

const fibreChannel: PartRule = (source, at, check) => {
  const names = listOrEmpty(source, 'targetWWNs')
  const identifiers = listOrEmpty(source, 'wwids')
  if (names.length === 0 && identifiers.length === 0) {
    check.required(at.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both')
  }
  if (names.length > 0 && identifiers.length > 0) {
    check.invalid(at.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously')
  }
  if (names.length === 0) return
  const lun = integerOrAbsent(source, 'lun')
  if (lun === undefined) check.required(at.child('lun'), 'lun is required if targetWWNs is specified')
  else if (lun < 0 || lun > 255) check.invalid(at.child('lun'), lun, inclusiveRange(0, 255))
}

const HOST_AND_PORT = 'must be a host:port pair or multiple pairs separated by commas'

const quobyte: PartRule = (source, at, check) => {
  const registry = textOrEmpty(source, 'registry')
  if (registry === '') check.required(at.child('registry'), HOST_AND_PORT)
  else if (longerThan(textOrEmpty(source, 'tenant'), 64)) {
    check.required(at.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')
  } else if (!registry.split(',').every(isHostAndPort)) check.invalid(at.child('registry'), registry, HOST_AND_PORT)
  check.fields(source, at, 'core_v1.QuobyteVolumeSource')
}

function isHostAndPort(text: string): boolean {
  return /^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text)
}

const glusterfsNamespace: PartRule = (source, at, check) => {
  const namespace = textOrAbsent(source, 'endpointsNamespace')
  const place = at.child('endpointsNamespace')
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name'
  if (namespace === '') check.invalid(place, '', detail)
  else if (namespace !== undefined) check.format(place, namespace, dns1123Label(namespace))
}

const flocker: PartRule = (source, at, check) => {
  const name = textOrEmpty(source, 'datasetName')
  const uuid = textOrEmpty(source, 'datasetUUID')
  if (name === '' && uuid === '') check.required(at, 'one of datasetName and datasetUUID is required')
  if (name !== '' && uuid !== '') {
    check.invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')
  }
  if (name.includes('/')) check.invalid(at.child('datasetName'), name, "must not contain '/'")
}

const flexOptions: PartRule = (source, at, check) => {
  for (const key of Object.keys(mapOrEmpty(source, 'options'))) {
    const [domain = ''] = key.split('/', 1)
    const name = `.${domain.toLowerCase()}`
    if (name.endsWith('.kubernetes.io') || name.endsWith('.k8s.io')) {
      check.invalid(at.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved')
    }
  }
}

const azureDisk: PartRule = (source, at, check) => {
  check.fields(source, at, 'core_v1.AzureDiskVolumeSource')
  const kind = textOrAbsent(source, 'kind')
  if (kind === undefined) return
  const uri = textOrEmpty(source, 'diskURI')
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', AZURE_MANAGED] : ['https://', AZURE_BLOB]
  if (!uri.startsWith(start)) check.notSupported(at.child('diskURI'), uri, [form])
}

const AZURE_MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'

const AZURE_BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/** A secret reference, where there is one, has these fields. */
const secretRef =
  (...fields: readonly string[]): PartRule =>
  (source, at, check) => {
    const ref = mapOrAbsent(source, 'secretRef')
    if (ref === undefined) return
    for (const field of fields) if (textOrEmpty(ref, field) === '') check.required(at.child('secretRef').child(field))
  }

export function checkDriverName(name: string, at: FieldPath, check: Check): void {
  if (name === '') {
    check.required(at)
    return
  }
  if (longerThan(name, 63)) check.tooLong(at, 63)
  check.format(at, name, dns1123Subdomain(name.toLowerCase()))
}

const driver: PartRule = (source, at, check) =>
  checkDriverName(textOrEmpty(source, 'driver'), at.child('driver'), check)

const publishSecret: PartRule = (source, at, check) =>
  check.part(source, 'nodePublishSecretRef', at, (ref, place) => {
    const name = textOrEmpty(ref, 'name')
    if (name === '') check.required(place.child('name'))
    else check.format(at.child('name'), name, dns1123Subdomain(name))
  })

const CSI_SECRETS: readonly string[] = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

const ISCSI_START = 'must be valid format starting with iqn, eui, or naa'
const ISCSI_FORM = 'must be valid format'

const MORE_DISKS: readonly Source[] = [
  { field: 'vsphereVolume', rule: fieldsOf('core_v1.VsphereVirtualDiskVolumeSource') },
  { field: 'photonPersistentDisk', rule: fieldsOf('core_v1.PhotonPersistentDiskVolumeSource') },
  { field: 'portworxVolume', rule: fieldsOf('core_v1.PortworxVolumeSource') },
  { field: 'azureDisk', rule: azureDisk },
]

const host: Source = { field: 'hostPath', rule: hostPath }
const gce: Source = {
  field: 'gcePersistentDisk',
  toldAs: 'persistentDisk',
  rule: fieldsOf('core_v1.GCEPersistentDiskVolumeSource'),
}
const aws: Source = { field: 'awsElasticBlockStore', rule: fieldsOf('core_v1.AWSElasticBlockStoreVolumeSource') }
const rbd: Source = { field: 'rbd', rule: fieldsOf('core_v1.RBDVolumeSource') }
const cephfs: Source = { field: 'cephfs', refusedAs: 'cephFS', rule: fieldsOf('core_v1.CephFSVolumeSource') }
const fc: Source = { field: 'fc', rule: fibreChannel }
const flex: Source = { field: 'flexVolume', rule: all(fieldsOf('core_v1.FlexVolumeSource'), flexOptions) }
const scaleIo: Source = { field: 'scaleIO', rule: fieldsOf('core_v1.ScaleIOVolumeSource') }
const gluster = fieldsOf('core_v1.GlusterfsVolumeSource')
const cinder = fieldsOf('core_v1.CinderVolumeSource')
const azureFile = fieldsOf('core_v1.AzureFileVolumeSource')
const storageOs = fieldsOf('core_v1.StorageOSVolumeSource')

const csiVolume: PartRule = (source, at, check) => {
  check.fields(source, at, 'core_v1.CSIPersistentVolumeSource')
  for (const field of CSI_SECRETS) check.part(source, field, at, fieldsOf('core_v1.SecretReference'))
}

/** Sources that pods share with persistent volumes, in groups between those that only pods have. */
export const POD_SOURCES = {
  host,
  gitRepo: {
    field: 'gitRepo',
    rule: all(fieldsOf('core_v1.GitRepoVolumeSource'), (source, at, check) =>
      checkDescendingPath(textOrEmpty(source, 'directory'), at.child('directory'), check),
    ),
  },
  disks: [gce, aws],
  network: [
    { field: 'nfs', rule: nfs },
    { field: 'iscsi', rule: all(iscsi(ISCSI_START), iscsiInitiator(ISCSI_START)) },
    { field: 'glusterfs', rule: gluster },
    { field: 'flocker', rule: flocker },
  ],
  claim: {
    field: 'persistentVolumeClaim',
    rule: fieldsOf('core_v1.PersistentVolumeClaimVolumeSource'),
  },
  clusters: [
    rbd,
    { field: 'cinder', rule: all(cinder, secretRef('name')) },
    cephfs,
    { field: 'quobyte', rule: quobyte },
  ],
  drivers: [fc, flex],
  azureFile: { field: 'azureFile', rule: azureFile },
  more: [...MORE_DISKS, { field: 'storageos', rule: all(storageOs, secretRef('name')) }],
  scaleIo,
  csi: { field: 'csi', rule: all(driver, publishSecret) },
} as const satisfies Readonly<Record<string, Source | readonly Source[]>>

const azureFileNamespace: PartRule = (source, at, check) => {
  if (textOrAbsent(source, 'secretNamespace') === '') check.required(at.child('secretNamespace'))
}

/** Sources of persistent volumes, in the reference's order. */
export const PERSISTENT_SOURCES: readonly Source[] = [
  host,
  gce,
  aws,
  { field: 'glusterfs', rule: all(gluster, glusterfsNamespace) },
  { field: 'flocker', rule: flocker },
  { field: 'nfs', rule: nfs },
  rbd,
  { field: 'quobyte', rule: quobyte },
  cephfs,
  { field: 'iscsi', rule: all(iscsi(ISCSI_FORM), secretRef('name'), iscsiInitiator(ISCSI_FORM)) },
  { field: 'cinder', rule: all(cinder, secretRef('name', 'namespace')) },
  fc,
  { ...flex, neverRefused: true },
  { field: 'azureFile', rule: all(azureFile, azureFileNamespace) },
  ...MORE_DISKS,
  scaleIo,
  {
    field: 'local',
    rule: all(fieldsOf('core_v1.LocalVolumeSource'), (source, at, check) =>
      checkNoBacksteps(textOrEmpty(source, 'path'), at.child('path'), check),
    ),
  },
  { field: 'storageos', rule: all(storageOs, secretRef('name', 'namespace')) },
  { field: 'csi', rule: all(driver, csiVolume) },
]
