// A worker that does nothing but fail when it is asked to: stall, as one would whose code has an endless loop, or take all the memory
// that it may have.
import { SupervisorLink } from '../../src/workers/supervisor-link.ts'

function walkInCircles(): number {
  let steps = 0
  while (steps >= 0) steps++
  return steps
}

function takeAllMemory(): number {
  const taken: number[][] = []
  for (;;) taken.push(Array.from({ length: 10_000 }, (_, i) => i + taken.length))
}

const link = SupervisorLink.open()
link?.listen({
  onSocket: () => {},
  onNews: () => {},
  onQuestion: async (question) => (question === 'take all memory' ? takeAllMemory() : walkInCircles()),
  onStop: () => link.close(),
  onLost: () => process.exit(1),
})
await link?.order
link?.isListening()
link?.isReady()
