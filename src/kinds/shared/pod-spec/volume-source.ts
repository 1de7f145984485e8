// The sources of volumes in pods and persistent volumes, each with its rules. Exactly one source must be given.
import type { FieldPath } from '../../../api/field-path.ts'
import type {
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  BuiltInTypes,
  CSIPersistentVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GlusterfsPersistentVolumeSource,
  HostPathVolumeSource,
  ISCSIVolumeSource,
  NFSVolumeSource,
  PersistentVolumeSpec,
  QuobyteVolumeSource,
  SecretReference,
  Volume,
} from '../../../api/gen/kinds.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check, PartRule } from '../../../schema/validation/check.ts'
import { dns1123Label, dns1123Subdomain, inclusiveRange, longerThan } from '../../../schema/validation/formats.ts'
import { checkDescendingPath, checkNoBacksteps } from '../paths.ts'

interface SourceOf<N, T> {
  /** The member of the volume. */
  readonly field: N
  /** The name of the field in the error that refuses the source beside another source. Absent: `field`. */
  readonly refusedAs?: string
  /** The name of the field in the faults of the source. Absent: `field`. */
  readonly toldAs?: string
  /** If there is another source, this source is checked, but not refused. */
  readonly neverRefused?: true
  readonly rule: PartRule<T>
}

/** A source of a volume, or of another type that has the same sources. */
export type Source<T = Volume> = { readonly [N in keyof T]-?: SourceOf<N, NonNullable<T[N]>> }[keyof T]

/** Checks the first source that is given and refuses the others. */
export function checkSources<T extends ValueMap>(
  sources: readonly Source<T>[],
  volume: T,
  at: FieldPath<T>,
  check: Check,
): void {
  let found = 0
  for (const { field, refusedAs, toldAs, neverRefused, rule } of sources as readonly unknown[] as readonly SourceOf<
    string,
    ValueMap
  >[]) {
    const part = volume[field]
    if (part === undefined) continue
    if (found > 0 && neverRefused !== true)
      check.forbidden(at.place(refusedAs ?? field), 'may not specify more than 1 volume type')
    else rule(part as ValueMap, at.place(toldAs ?? field) as FieldPath<ValueMap>, check)
    found++
  }
  if (found === 0) check.required(at, 'must specify a volume type')
}

const fieldsOf =
  (type: keyof BuiltInTypes): PartRule =>
  (source, at, check) =>
    check.fields(source, at, type)

const all =
  <T>(...rules: readonly NoInfer<PartRule<T>>[]): PartRule<T> =>
  (source, at, check) => {
    for (const rule of rules) rule(source, at, check)
  }

const hostPath: PartRule<HostPathVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.HostPathVolumeSource', 'path')
  const { path } = source
  if (path === '') return
  checkNoBacksteps(path, at.child('path'), check)
  check.fields(source, at, 'core_v1.HostPathVolumeSource', 'type')
}

const nfs: PartRule<NFSVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.NFSVolumeSource')
  const { path } = source
  if (!path.startsWith('/')) check.invalid(at.child('path'), path, 'must be an absolute path')
}

/** `start`: the fault of a name with an unknown prefix. */
const iscsi =
  (start: string): PartRule<ISCSIVolumeSource> =>
  (source, at, check) => {
    check.fields(source, at, 'core_v1.ISCSIVolumeSource', 'targetPortal', 'iqn')
    const { iqn } = source
    if (iqn !== '') checkIscsiName(iqn, start, at.child('iqn'), check)
    check.fields(source, at, 'core_v1.ISCSIVolumeSource', 'lun')
    const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true
    if (authenticates && source.secretRef === undefined) check.required(at.child('secretRef'))
  }

const iscsiInitiator =
  (start: string): PartRule<ISCSIVolumeSource> =>
  ({ initiatorName: initiator }, at, check) => {
    if (initiator !== undefined) checkIscsiName(initiator, start, at.place('initiatorname'), check)
  }

function checkIscsiName(name: string, start: string, at: FieldPath, check: Check): void {
  const form = ISCSI_FORMS.find(({ prefix }) => name.startsWith(prefix))
  if (form === undefined) check.invalid(at, name, start)
  else if (name.length > MAX_ISCSI_NAME || !form.expression.test(name)) check.invalid(at, name, 'must be valid format')
}

/** The longest name that is matched: many times the length of any name in use. Matching longer names takes time. */
const MAX_ISCSI_NAME = 2048

const ISCSI_FORMS = [
  { prefix: 'iqn', expression: /iqn\.\d{4}-\d{2}\.[a-zA-Z0-9\-.]+:[^,;*&$|\s]+$/ },
  { prefix: 'eui', expression: /^eui.[a-zA-Z0-9]{16}$/ },
  { prefix: 'naa', expression: /^naa.[a-zA-Z0-9]{32}$/ },
] as const

const fibreChannel: PartRule<FCVolumeSource> = (source, at, check) => {
  const { targetWWNs: names = [], wwids: identifiers = [], lun } = source
  if (names.length === 0 && identifiers.length === 0) {
    check.required(at.child('targetWWNs'), 'must specify either targetWWNs or wwids, but not both')
  }
  if (names.length > 0 && identifiers.length > 0) {
    check.invalid(at.child('targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously')
  }
  if (names.length === 0) return
  if (lun === undefined) check.required(at.child('lun'), 'lun is required if targetWWNs is specified')
  else if (lun < 0 || lun > 255) check.invalid(at.child('lun'), lun, inclusiveRange(0, 255))
}

const HOST_AND_PORT = 'must be a host:port pair or multiple pairs separated by commas'

const quobyte: PartRule<QuobyteVolumeSource> = (source, at, check) => {
  const { registry, tenant = '' } = source
  if (registry === '') check.required(at.child('registry'), HOST_AND_PORT)
  else if (longerThan(tenant, 64)) {
    check.required(at.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters')
  } else if (!registry.split(',').every(isHostAndPort)) check.invalid(at.child('registry'), registry, HOST_AND_PORT)
  check.fields(source, at, 'core_v1.QuobyteVolumeSource')
}

function isHostAndPort(text: string): boolean {
  return /^(?:[^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text)
}

const glusterfsNamespace: PartRule<GlusterfsPersistentVolumeSource> = (source, at, check) => {
  const { endpointsNamespace: namespace } = source
  const place = at.child('endpointsNamespace')
  const detail = 'if the endpointnamespace is set, it must be a valid namespace name'
  if (namespace === '') check.invalid(place, '', detail)
  else if (namespace !== undefined) check.format(place, namespace, dns1123Label(namespace))
}

const flocker: PartRule<FlockerVolumeSource> = ({ datasetName: name = '', datasetUUID: uuid = '' }, at, check) => {
  if (name === '' && uuid === '') check.required(at, 'one of datasetName and datasetUUID is required')
  if (name !== '' && uuid !== '') {
    check.invalid(at, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')
  }
  if (name.includes('/')) check.invalid(at.child('datasetName'), name, "must not contain '/'")
}

const flexOptions: PartRule<Pick<FlexVolumeSource, 'options'>> = (source, at, check) => {
  for (const key of Object.keys(source.options ?? {})) {
    const [domain = ''] = key.split('/', 1)
    const name = `.${domain.toLowerCase()}`
    if (name.endsWith('.kubernetes.io') || name.endsWith('.k8s.io')) {
      check.invalid(at.child('options').key(key), key, 'kubernetes.io and k8s.io namespaces are reserved')
    }
  }
}

const azureDisk: PartRule<AzureDiskVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.AzureDiskVolumeSource')
  const { kind, diskURI: uri } = source
  if (kind === undefined) return
  const [start, form] = kind === 'Managed' ? ['/subscriptions/', AZURE_MANAGED] : ['https://', AZURE_BLOB]
  if (!uri.startsWith(start)) check.notSupported(at.child('diskURI'), uri, [form])
}

const AZURE_MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'

const AZURE_BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

/** Requires the fields in an optional secret reference. */
const secretRef =
  (...fields: readonly (keyof SecretReference)[]): PartRule<{ readonly secretRef?: SecretReference }> =>
  ({ secretRef: ref }, at, check) => {
    if (ref === undefined) return
    for (const field of fields) if (ref[field] === undefined) check.required(at.child('secretRef').child(field))
  }

export function checkDriverName(name: string, at: FieldPath, check: Check): void {
  if (name === '') {
    check.required(at)
    return
  }
  if (longerThan(name, 63)) check.tooLong(at, 63)
  check.format(at, name, dns1123Subdomain(name.toLowerCase()))
}

const driver: PartRule<{ readonly driver: string }> = (source, at, check) =>
  checkDriverName(source.driver, at.child('driver'), check)

const publishSecret: PartRule<CSIVolumeSource> = (source, at, check) =>
  check.part(source, 'nodePublishSecretRef', at, ({ name = '' }, place) => {
    if (name === '') check.required(place.child('name'))
    else check.format(at.place('name'), name, dns1123Subdomain(name))
  })

const CSI_SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const

const ISCSI_START = 'must be valid format starting with iqn, eui, or naa'
const ISCSI_FORM = 'must be valid format'

const MORE_DISKS = [
  { field: 'vsphereVolume', rule: fieldsOf('core_v1.VsphereVirtualDiskVolumeSource') },
  { field: 'photonPersistentDisk', rule: fieldsOf('core_v1.PhotonPersistentDiskVolumeSource') },
  { field: 'portworxVolume', rule: fieldsOf('core_v1.PortworxVolumeSource') },
  { field: 'azureDisk', rule: azureDisk },
] as const

const host = { field: 'hostPath', rule: hostPath } as const
const gce = {
  field: 'gcePersistentDisk',
  toldAs: 'persistentDisk',
  rule: fieldsOf('core_v1.GCEPersistentDiskVolumeSource'),
} as const
const aws = { field: 'awsElasticBlockStore', rule: fieldsOf('core_v1.AWSElasticBlockStoreVolumeSource') } as const
const rbd = { field: 'rbd', rule: fieldsOf('core_v1.RBDVolumeSource') } as const
const cephfs = { field: 'cephfs', refusedAs: 'cephFS', rule: fieldsOf('core_v1.CephFSVolumeSource') } as const
const fc = { field: 'fc', rule: fibreChannel } as const
const flex = {
  field: 'flexVolume',
  rule: all<FlexVolumeSource>(fieldsOf('core_v1.FlexVolumeSource'), flexOptions),
} as const
const scaleIo = { field: 'scaleIO', rule: fieldsOf('core_v1.ScaleIOVolumeSource') } as const
const gluster = fieldsOf('core_v1.GlusterfsVolumeSource')
const cinder = fieldsOf('core_v1.CinderVolumeSource')
const azureFile = fieldsOf('core_v1.AzureFileVolumeSource')
const storageOs = fieldsOf('core_v1.StorageOSVolumeSource')

const csiVolume: PartRule<CSIPersistentVolumeSource> = (source, at, check) => {
  check.fields(source, at, 'core_v1.CSIPersistentVolumeSource')
  for (const field of CSI_SECRETS) check.part(source, field, at, fieldsOf('core_v1.SecretReference'))
}

/** Sources of volumes in pods, in groups. The sources of `volume.ts` come between the groups. */
export const POD_SOURCES = {
  host,
  gitRepo: {
    field: 'gitRepo',
    rule: all(fieldsOf('core_v1.GitRepoVolumeSource'), (source, at, check) =>
      checkDescendingPath(source.directory ?? '', at.child('directory'), check),
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

const azureFileNamespace: PartRule<AzureFilePersistentVolumeSource> = (source, at, check) => {
  if (source.secretNamespace === '') check.required(at.child('secretNamespace'))
}

/** Sources of persistent volumes, in the reference's order. */
export const PERSISTENT_SOURCES: readonly Source<PersistentVolumeSpec>[] = [
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
      checkNoBacksteps(source.path, at.child('path'), check),
    ),
  },
  { field: 'storageos', rule: all(storageOs, secretRef('name', 'namespace')) },
  { field: 'csi', rule: all(driver, csiVolume) },
]
