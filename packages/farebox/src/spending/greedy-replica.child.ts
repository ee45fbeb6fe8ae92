import { createSpendingAgent, spendingVariables, type AskedJob } from './test-setup/spending-agent.ts'
import { greedyWork } from './test-setup/greedy-work.ts'

// A replica of a greedy agent, in a separate process, with a store that the replicas share. It receives jobs as
// messages.

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
