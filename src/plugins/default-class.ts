// DefaultStorageClass and DefaultIngressClass: set the default class if the object names no class. If several classes are default, the
// newest counts (W-470, W-471).
import { isKind } from '../api/kind-guard.ts'
import { annotationsOf, metaText, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own } from '../api/value.ts'
import { compareTexts } from '../lib/text-order.ts'
import type { AdmissionPlugin } from '../admission/admission.ts'
import type { ObjectReader } from '../admission/object-reader.ts'

export function defaultStorageClass(classes: ObjectReader): AdmissionPlugin {
  const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
  return {
    name: 'DefaultStorageClass',
    resources: ['persistentvolumeclaims'],
    operations: ['CREATE'],
    async mutate({ object: claim, subresource }, signal) {
      if (!isKind(claim, 'core_v1.PersistentVolumeClaim') || subresource !== '') return claim
      // An empty name means no class.
      if (claim.spec.storageClassName !== undefined) return claim
      if (own(annotationsOf(claim), 'volume.beta.kubernetes.io/storage-class') !== undefined) return claim
      const name = newestDefault(await classes.list('', signal), marks)
      return name === undefined ? claim : withSpec(claim, { storageClassName: name })
    },
  }
}

export function defaultIngressClass(classes: ObjectReader): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    resources: ['ingresses.networking.k8s.io'],
    operations: ['CREATE'],
    async mutate({ object: ingress, subresource }, signal) {
      if (!isKind(ingress, 'networking.k8s.io_v1.Ingress') || subresource !== '') return ingress
      if (ingress.spec.ingressClassName !== undefined) return ingress
      if (own(annotationsOf(ingress), 'kubernetes.io/ingress.class') !== undefined) return ingress
      const name = newestDefault(await classes.list('', signal), ['ingressclass.kubernetes.io/is-default-class'])
      return name === undefined ? ingress : withSpec(ingress, { ingressClassName: name })
    },
  }
}

function newestDefault(classes: readonly ApiObject[], marks: readonly string[]): string | undefined {
  const defaults = classes.filter((item) => marks.some((mark) => own(annotationsOf(item), mark) === 'true'))
  const [newest] = defaults.toSorted(
    (a, b) =>
      compareTexts(metaText(b, 'creationTimestamp'), metaText(a, 'creationTimestamp')) ||
      compareTexts(metaText(a, 'name'), metaText(b, 'name')),
  )
  return newest === undefined ? undefined : metaText(newest, 'name')
}
