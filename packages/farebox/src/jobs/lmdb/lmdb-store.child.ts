import { machineClock } from '../machine-clock.ts'
import { running, saved } from '../test-setup/job-samples.ts'
import { openLmdbStore } from './lmdb-store.ts'

// A separate process for `lmdb-store.test.ts`: `<folder> race <name> <rounds>`, or `<folder> save <name> <characters>
// <how many at a time>`.
const [folder = '', mode = '', name = '', amount = '', lines = ''] = process.argv.slice(2)
const opened = await openLmdbStore(folder, machineClock)
const { store } = opened
console.log('open')
await new Promise(resolve => {
  process.stdin.once('data', resolve)
})
if (mode === 'race') await race(Number(amount))
else await saveUntilItFails('x'.repeat(Number(amount)))
process.stdin.destroy()
await opened.close()

/** Claims the same jobs as its rival, and its own jobs with the same payments, and prints the results. */
async function race(rounds: number): Promise<void> {
  const claim = { fence: name, leaseMs: 60_000, keepMs: 60_000, job: running }
  for (let round = 0; round < rounds; round += 1) {
    const contended = { key: `payment ${round}`, keepMs: 60_000 }
    const [job, payment] = await Promise.all([
      store.claim({ ...claim, jobKey: `shared ${round}` }),
      store.claim({ ...claim, jobKey: `${name} ${round}`, payment: contended }),
    ])
    console.log(`${job.kind} ${payment.kind}`)
  }
}

/** Claims and saves jobs, and prints each key when its write has resolved; after a failure it claims once more. */
async function saveUntilItFails(response: string): Promise<void> {
  await Promise.all(
    Array.from({ length: Number(lines) }, async (_, line) => {
      try {
        for (let round = 0; ; round += 1) {
          const holder = { jobKey: `${name} ${line} ${round}`, fence: 'fence' }
          const payment = { key: `payment of ${holder.jobKey}`, keepMs: 60_000 }
          await store.claim({ ...holder, leaseMs: 60_000, keepMs: 60_000, job: running, payment })
          const job = { ...saved, response }
          await store.write(holder, { kind: 'leave', job, sealed: false, keepMs: 60_000 })
          console.log(holder.jobKey)
        }
      } catch (error) {
        console.log(`failed: ${String(error)}`)
        // Whether this claim fits on the disk or not, it must resolve or reject.
        const claim = { fence: 'fence', leaseMs: 60_000, keepMs: 60_000, job: running }
        const next = await store.claim({ ...claim, jobKey: `next ${line}` }).then(({ kind }) => kind, String)
        console.log(`next: ${next}`)
      }
    }),
  )
}
