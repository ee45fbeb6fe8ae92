import { systemClock } from '@farebox/protocol/time/clock'
import type { JobAccounts } from '../jobs/job-accounts.ts'
import { openJobStore } from '../jobs/open-job-store.ts'
import { createHiringAgent } from './test-setup/hiring-agent.ts'

// An agent in a separate process that is killed during a hire: after its price is reserved, after its order is stored,
// after the order is sent, or before the result is stored.

const [, , setting = '', url = '', jobId = '', window = '', text = ''] = process.argv
const opened = await openJobStore(setting, systemClock)
const { accounts } = opened
if (accounts === undefined) throw new Error('the store has no accounts')

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}
const deadly: JobAccounts = {
  ...accounts,
  async enter(holder, change) {
    const { state } = JSON.parse(change.text) as { readonly state: string }
    if (window === 'answered' && state === 'done') return await die()
    const outcome = await accounts.enter(holder, change)
    return state === window ? await die() : outcome
  },
}
const send = globalThis.fetch
globalThis.fetch = async (target, init) => {
  const isPaid = new Headers(init?.headers).has('payment-signature')
  const answering = send(target, init)
  if (window === 'sent' && isPaid) {
    await new Promise(resolve => setTimeout(resolve, 200))
    return await die()
  }
  return await answering
}
const { run } = await createHiringAgent({
  jobStore: { ...opened, accounts: deadly },
  async work({ hire }, text) {
    const { output } = await hire(url, 'part', { text })
    return JSON.stringify(output)
  },
})
await run({ jobId, text, deadlineSeconds: 40 })
