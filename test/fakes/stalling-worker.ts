// A worker that does nothing but stall when it is asked to, as one would whose code has an endless loop.
import { SupervisorLink } from '../../src/workers/supervisor-link.ts'

function walkInCircles(): number {
  let steps = 0
  while (steps >= 0) steps++
  return steps
}

const link = SupervisorLink.open()
link?.listen({
  onSocket: () => {},
  onNews: () => {},
  onQuestion: async () => walkInCircles(),
  onStop: () => link.close(),
  onLost: () => process.exit(1),
})
await link?.order
link?.isListening()
link?.isReady()
