import { describeJobAccounts } from './test-setup/job-accounts-contract.ts'
import { describeJobStore } from './test-setup/job-store-contract.ts'
import { createMemoryStore } from './memory-store.ts'

const open = async () => {
  let nowMs = Date.UTC(2030, 0)
  const store = createMemoryStore({ nowMs: () => nowMs, after: () => () => {} })
  return {
    store,
    other: store,
    accounts: store,
    otherAccounts: store,
    elapse: async (durationMs: number) => {
      nowMs += durationMs
    },
    close: async () => {},
  }
}

describeJobStore('memory:', open)
describeJobAccounts('memory:', open)
