// Runs pods on simulated nodes: gives them addresses, writes their status step by step, and removes them when they have ended after a
// deletion.
import type { Node, Pod } from '../../api/gen/kinds.ts'
import type { Cluster } from './cluster-state.ts'
import type { Followed } from './followed.ts'
import { type Rejection, rejectionOf } from './node-admission.ts'
import { isAssigned, NodeLedger } from './node-ledger.ts'
import { hasEnded } from './ownership.ts'
import { firstStep, nextStep, type PodAddresses, type PodStep, stoppedStep, stopMs } from './pod-life.ts'
import { isSimulated } from './simulated-nodes.ts'

const KUBELET = { manager: 'kubelet' } as const
/** The first address in the range of a node is the node's own. */
const FIRST_ADDRESS = 2
const LAST_ADDRESS = 254

export function simulatedPods(cluster: Cluster): void {
  const pods = cluster.follow('core_v1.Pod')
  const nodes = cluster.follow('core_v1.Node')
  const addresses = new NodeAddresses(pods)
  const taken = new NodeLedger(
    nodes,
    pods,
    () => undefined,
    (pod) => isAssigned(pod) && isTaken(pod),
  )
  const queue = cluster.queue('simulated-pods', pods, async (pod) => {
    const node = nodes.get('', pod.spec.nodeName ?? '')
    if (node === undefined || !isSimulated(node)) return
    if (pod.metadata.deletionTimestamp !== undefined) return write(pod, await end(pod))
    if (hasEnded(pod.status)) return
    if (isTaken(pod)) return write(pod, next(pod, node))
    const rejection = rejectionOf(pod, taken.entry(node))
    if (rejection !== undefined) return reject(pod, rejection)
    const forget = taken.assume(pod, node.metadata.name ?? '')
    await write(pod, firstStep(pod, { hostIp: hostIpOf(node), podIp: '' }, cluster.now)).finally(forget)
  })

  async function write(pod: Pod, step: PodStep | undefined): Promise<void> {
    if (step === undefined) return
    const written = await cluster.setStatus(pods, pod, step.status, KUBELET)
    if (written !== undefined && step.wakeAtMs !== undefined) queue.addAfter(written, step.wakeAtMs - cluster.nowMs)
  }

  async function reject(pod: Pod, { reason, message }: Rejection): Promise<void> {
    const status = { phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: cluster.now }
    await cluster.setStatus(pods, pod, { ...pod.status, ...status }, KUBELET)
    cluster.events.record({ about: pod, type: 'Warning', component: 'kubelet', reason, message })
  }

  function next(pod: Pod, node: Node): PodStep {
    const { now, nowMs } = cluster
    const hostIp = hostIpOf(node)
    const known: PodAddresses = { hostIp, podIp: pod.status.podIP ?? addresses.take(pod, node) }
    return nextStep(pod, known, { now, nowMs })
  }

  /** The next status of a pod that is being deleted. Undefined: no status has to be written now. */
  async function end(pod: Pod): Promise<PodStep | undefined> {
    const { deletionTimestamp = '', deletionGracePeriodSeconds: grace = 0, finalizers = [] } = pod.metadata
    const beganMs = Date.parse(deletionTimestamp) - Number(grace) * 1000
    const left = beganMs + Math.min(stopMs(pod), Number(grace) * 1000) - cluster.nowMs
    if (left > 0) {
      queue.addAfter(pod, left)
      return undefined
    }
    if (!hasEnded(pod.status) && (finalizers.length > 0 || pod.spec.restartPolicy !== 'Always')) {
      return stoppedStep(pod, cluster.now)
    }
    if (Number(grace) > 0 || finalizers.length === 0) await cluster.remove(pods, pod, { ...KUBELET, graceSeconds: 0 })
    return undefined
  }
}

/** Whether the node has taken the pod. */
function isTaken({ status }: Pod): boolean {
  return status.startTime !== undefined
}

function hostIpOf({ status }: Node): string {
  return status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
}

/** The addresses in use, each with the uid of its pod. */
class NodeAddresses {
  readonly #holders = new Map<string, string>()
  readonly #held = new Map<string, string>()

  constructor(pods: Followed<Pod>) {
    pods.listen({
      changed: ({ metadata, spec, status }) => {
        const { uid = '' } = metadata
        const { podIP = '' } = status
        if (hasEnded(status)) this.#release(uid)
        else if (podIP !== '' && spec.hostNetwork !== true) this.#hold(podIP, uid)
      },
      gone: ({ metadata }) => this.#release(metadata.uid ?? ''),
    })
  }

  /** Takes an address for the pod. Empty: the node has no range, or no address left. */
  take({ metadata }: Pod, { spec }: Node): string {
    const { uid = '' } = metadata
    const held = this.#held.get(uid)
    if (held !== undefined) return held
    const [, network] = /^(\d+\.\d+\.\d+)\.0\/24$/.exec(spec.podCIDR ?? '') ?? []
    if (network === undefined) return ''
    for (let host = FIRST_ADDRESS; host <= LAST_ADDRESS; host++) {
      const address = `${network}.${host}`
      if (this.#holders.has(address)) continue
      this.#hold(address, uid)
      return address
    }
    return ''
  }

  #hold(address: string, uid: string): void {
    this.#holders.set(address, uid)
    this.#held.set(uid, address)
  }

  #release(uid: string): void {
    const address = this.#held.get(uid)
    this.#held.delete(uid)
    if (address !== undefined && this.#holders.get(address) === uid) this.#holders.delete(address)
  }
}
