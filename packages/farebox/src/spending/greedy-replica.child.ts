import { createSpendingAgent, spendingVariables, type AskedJob } from './test-setup/spending-agent.ts'
import { greedyWork } from './test-setup/greedy-work.ts'

// A replica of a greedy agent, in a process of its own with the store it shares with the others. Jobs come by message.

const [, , nodeUrl = '', store = ''] = process.argv
const { run } = await createSpendingAgent({
  variables: { ...spendingVariables(nodeUrl), SERVICE_STORE: store },
  work: greedyWork,
  opensStore: true,
})
process.on('message', ({ number, job }: { readonly number: number; readonly job: AskedJob }) => {
  run(job).then(
    ended => process.send?.({ number, ended }),
    (error: unknown) => process.send?.({ number, ended: { status: 0, text: '', error: String(error) } }),
  )
})
process.send?.('ready')
