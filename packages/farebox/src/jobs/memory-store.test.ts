import { describeJobStore } from './test-setup/job-store-contract.ts'
import { createMemoryStore } from './memory-store.ts'

describeJobStore('memory:', async () => {
  let nowMs = Date.UTC(2030, 0)
  const store = createMemoryStore({ nowMs: () => nowMs, after: () => () => {} })
  return {
    store,
    other: store,
    elapse: async durationMs => {
      nowMs += durationMs
    },
    close: async () => {},
  }
})
