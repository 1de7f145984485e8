// Faulty pod groups, composite pod groups and workloads.

export const GROUP_FLAGS = ['--runtime-config=api/all=true']
export const GROUP_GATES = [
  'GenericWorkload',
  'CompositePodGroup',
  'TopologyAwareWorkloadScheduling',
  'DRAWorkloadResourceClaims',
  'PodGroupPreemptionPolicy',
]
export const WORKLOADS = '/apis/scheduling.k8s.io/v1beta1/namespaces/ns/workloads'
export const POD_GROUPS = '/apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups'
const COMPOSITES = '/apis/scheduling.k8s.io/v1alpha3/namespaces/ns/compositepodgroups'

export const basic = { basic: {} }
export const gang = { gang: { minCount: 2 } }
export const template = (name: string, more: object = {}): object => ({ name, schedulingPolicy: basic, ...more })
const composite = (name: string, ...children: readonly object[]): object => ({
  name,
  schedulingPolicy: basic,
  compositePodGroupTemplates: children,
  ...(children.length === 0 && { podGroupTemplates: [template(`${name}-pods`)] }),
})

/** The specs of objects with faults, and the faults. */
export const REFUSED_GROUPS: readonly (readonly [
  what: string,
  path: string,
  spec: object,
  causes: readonly string[],
])[] = [
  ['a workload without templates', WORKLOADS, {}, ['spec FieldValueInvalid']],
  [
    'a workload with templates of both kinds',
    WORKLOADS,
    { podGroupTemplates: [template('a')], compositePodGroupTemplates: [composite('b')] },
    ['spec FieldValueInvalid'],
  ],
  [
    'templates with one name',
    WORKLOADS,
    { podGroupTemplates: [template('a'), template('a')] },
    ['spec.podGroupTemplates[1] FieldValueDuplicate'],
  ],
  [
    'names that occur twice in the tree',
    WORKLOADS,
    { compositePodGroupTemplates: [composite('a', composite('a'))] },
    ['spec.compositePodGroupTemplates[0].compositePodGroupTemplates[0].name FieldValueDuplicate'],
  ],
  [
    'a tree that is too deep',
    WORKLOADS,
    { compositePodGroupTemplates: [composite('a', composite('b', composite('c', composite('d'))))] },
    ['spec.compositePodGroupTemplates[0] FieldValueInvalid'],
  ],
  [
    'a composite template without children',
    WORKLOADS,
    { compositePodGroupTemplates: [{ name: 'a', schedulingPolicy: basic }] },
    ['spec.compositePodGroupTemplates[0] FieldValueInvalid'],
  ],
  [
    'several priorities',
    WORKLOADS,
    { podGroupTemplates: [template('a', { priority: 1 }), template('b', { priority: 2 })] },
    ['spec FieldValueInvalid'],
  ],
  [
    'nine templates',
    WORKLOADS,
    { podGroupTemplates: Array.from({ length: 9 }, (_, i) => template(`t${i}`)) },
    ['spec.podGroupTemplates FieldValueTooMany'],
  ],
  [
    'a controller without a kind',
    WORKLOADS,
    { controllerRef: { name: 'j', kind: '' }, podGroupTemplates: [template('a')] },
    ['spec.controllerRef.kind FieldValueRequired'],
  ],
  ['a group without a policy', POD_GROUPS, { schedulingPolicy: {} }, ['spec.schedulingPolicy FieldValueInvalid']],
  [
    'a group with two policies and a gang of nobody',
    POD_GROUPS,
    { schedulingPolicy: { basic: {}, gang: { minCount: 0 } } },
    ['spec.schedulingPolicy FieldValueInvalid', 'spec.schedulingPolicy.gang.minCount FieldValueRequired'],
  ],
  [
    'a parent without a workload',
    POD_GROUPS,
    { schedulingPolicy: gang, parentCompositePodGroupName: 'p' },
    ['spec.workloadRef FieldValueRequired'],
  ],
  [
    'a claim that names nothing',
    POD_GROUPS,
    { schedulingPolicy: gang, resourceClaims: [{ name: 'c' }] },
    ['spec.resourceClaims[0] FieldValueInvalid'],
  ],
  [
    'two topologies',
    POD_GROUPS,
    { schedulingPolicy: gang, schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } },
    ['spec.schedulingConstraints.topology FieldValueTooMany'],
  ],
  [
    'both modes of disruption',
    POD_GROUPS,
    { schedulingPolicy: gang, disruptionMode: { single: {}, all: {} } },
    ['spec.disruptionMode FieldValueInvalid'],
  ],
  [
    'a composite group without a workload',
    COMPOSITES,
    { schedulingPolicy: { gang: { minGroupCount: 1 } } },
    ['spec.workloadRef FieldValueRequired'],
  ],
]
