// An agent that kills itself with SIGKILL, before or after one named step of its job store, like a power cut at that
// moment. Run as a program; CRASH_AT is `claim:after`, `save:before`, and so on; with `:late` it dies instead of the
// step, half a second after the step's time.

import { createAgent, openJobStore, readConfig, systemClock, type JobChange, type JobStore } from 'farebox'
import { pathToFileURL } from 'node:url'

const [configFile = '', handlersFile = ''] = process.argv.slice(2)
const crashAt = process.env['CRASH_AT'] ?? ''

const opened = await openJobStore(process.env['SERVICE_STORE'] ?? '', systemClock)
const { default: handlers } = (await import(pathToFileURL(handlersFile).href)) as { default: object }
const agent = await createAgent({
  declaration: await readConfig(configFile),
  handlers: handlers as { readonly [name: string]: () => unknown },
  ports: { jobStore: { ...opened, store: crashing(opened.store) } },
})
const port = await agent.listen({ host: '127.0.0.1' })
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })}\n`)

function crashing(store: JobStore): JobStore {
  return {
    ...store,
    claim: claim => around('claim', () => store.claim(claim)),
    write: (holder, change) => around(nameOf(change), () => store.write(holder, change)),
  }
}

async function around<T>(step: string, work: () => Promise<T>): Promise<T> {
  if (crashAt === `${step}:before`) process.kill(process.pid, 'SIGKILL')
  if (crashAt === `${step}:late`) await dieLater()
  const result = await work()
  if (crashAt === `${step}:after`) process.kill(process.pid, 'SIGKILL')
  return result
}

/** Never resolves. */
async function dieLater(): Promise<void> {
  await new Promise(() => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500))
}

function nameOf(change: JobChange): string {
  if (change.kind === 'forget') return 'forget'
  if (change.kind === 'hold') return change.job.state === 'saved' ? 'save' : 'renew'
  return change.job.state === 'settled' ? 'finish' : 'leave'
}
