// The defaults of autoscalers. Both versions are one stored object, so the defaults of version 2 are visible in version 1.
import { isMap, type Value } from '../../../api/value.ts'
import { absent, always, empty, type Rule, within, withMember } from '../../../schema/defaults/rule.ts'

const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics'
const TARGET_CPU_PERCENT = 80

const CPU_METRIC: Value = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: TARGET_CPU_PERCENT } },
}

const EVERYTHING: Value = { type: 'Percent', value: 100, periodSeconds: 15 }

const version2 = within({
  spec: always({
    minReplicas: absent(1),
    metrics: empty([CPU_METRIC]),
    behavior: within({
      scaleUp: always({
        stabilizationWindowSeconds: absent(0),
        selectPolicy: absent('Max'),
        policies: absent([{ type: 'Pods', value: 4, periodSeconds: 15 }, EVERYTHING]),
      }),
      scaleDown: always({ selectPolicy: absent('Max'), policies: absent([EVERYTHING]) }),
    }),
  }),
})

/** Version 1 has other metrics in an annotation. If the annotation is absent, the CPU target has the default of version 2. */
const version1: Rule = (given, context, parent) => {
  const object = within({ spec: always({ minReplicas: absent(1) }) })(given, context, parent)
  if (!isMap(object)) return object
  const { metadata, spec } = object
  const annotations = isMap(metadata) && isMap(metadata['annotations']) ? metadata['annotations'] : {}
  if (!isMap(spec) || Object.hasOwn(annotations, METRICS_ANNOTATION)) return object
  if (typeof spec['targetCPUUtilizationPercentage'] === 'number') return object
  return withMember(object, 'spec', withMember(spec, 'targetCPUUtilizationPercentage', TARGET_CPU_PERCENT))
}

export const DEFAULTS: Rule = (given, context, parent) =>
  isMap(given) && given['apiVersion'] === 'autoscaling/v1'
    ? version1(given, context, parent)
    : version2(given, context, parent)
