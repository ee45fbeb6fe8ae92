import { createSpendingAgent, spendingVariables } from './test-setup/spending-agent.ts'

// An agent in a separate process, which a test kills during a spend.

const [, , nodeUrl = '', jobId = ''] = process.argv
const { run } = await createSpendingAgent({
  variables: spendingVariables(nodeUrl),
  async work({ spend }, amount) {
    const to = '0x976EA74026E726554dB657fA54763abd0C3a0aa9'
    return (await spend({ token: 'USDC', amount, to })).transaction
  },
})
await run({ jobId })
