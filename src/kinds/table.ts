// Every built-in kind, by group and kind.
import { CONTROLLER_REVISION } from './apps/controller-revision.ts'
import { DAEMON_SET } from './apps/daemon-set.ts'
import { DEPLOYMENT } from './apps/deployment.ts'
import { REPLICA_SET } from './apps/replica-set.ts'
import { STATEFUL_SET } from './apps/stateful-set.ts'
import type { Kind } from './kind.ts'

export const KINDS: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  apps: {
    ControllerRevision: CONTROLLER_REVISION,
    DaemonSet: DAEMON_SET,
    Deployment: DEPLOYMENT,
    ReplicaSet: REPLICA_SET,
    StatefulSet: STATEFUL_SET,
  },
}
