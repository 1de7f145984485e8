// Records events about objects, best effort: a failure never fails the controller.
import { ApiError } from '../api/status.ts'
import { createObject } from '../registry/create.ts'
import type { ControllerParts } from './controllers.ts'
import { servedResource } from '../registry/served-resource.ts'
import { controllerContext, newObject } from './writes.ts'

export interface RecordedEvent {
  readonly about: {
    readonly apiVersion: string
    readonly kind: string
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly resourceVersion: string
  }
  readonly component: string
  readonly reason: string
  readonly message: string
}

/** Records a warning in the object's namespace, or in `default` if the object has none. */
export async function recordEvent(parts: ControllerParts, report: RecordedEvent, signal: AbortSignal): Promise<void> {
  const { about, component, reason, message } = report
  const { apiVersion, kind, name, uid, resourceVersion } = about
  const namespace = about.namespace === '' ? 'default' : about.namespace
  const context = controllerContext(parts, namespace, signal)
  const inNamespace = about.namespace === '' ? {} : { namespace }
  const event = newObject(
    servedResource(parts.resources(), 'events'),
    { name: `${name}.${process.hrtime.bigint().toString(16)}`, namespace },
    {
      involvedObject: { kind, ...inNamespace, name, uid, apiVersion, resourceVersion },
      reason,
      message,
      source: { component },
      firstTimestamp: context.now,
      lastTimestamp: context.now,
      count: 1,
      type: 'Warning',
      eventTime: null,
      reportingComponent: component,
      reportingInstance: '',
    },
  )
  try {
    await createObject(parts.registry, servedResource(parts.resources(), 'events'), event, context)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    parts.log.debug({ err: error, reason }, 'could not record event')
  }
}
