import { describe, it } from 'vitest'
import { expectDefaults, named } from '../../defaulting.ts'

describe('defaults', () => {
  it.each(
    named([
      { of: 'v1 PodLogOptions', given: {}, meant: {} },
      {
        of: 'v1 PodLogOptions',
        as: 'under its gate',
        gates: ['PodLogsQuerySplitStreams'],
        given: {},
        meant: { stream: 'All' },
      },
    ]),
  )('%s', expectDefaults)
})
