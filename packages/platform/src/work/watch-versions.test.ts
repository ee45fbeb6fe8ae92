import { silentLog } from '@farebox/server/log'
import { expect, test } from 'vitest'
import { createChannel } from './channel.ts'
import { createVersionWatch } from './watch-versions.ts'

/** Hours elapse at once for a wait of milliseconds; all other waits end only by a notification. */
const still = {
  nowMs: () => 0,
  after(ms: number, callback: () => void) {
    if (ms < 100) queueMicrotask(callback)
    return () => undefined
  },
}

test('a change by this process is reported without waiting for the next query', async () => {
  const changes = createChannel<string>()
  let version = 1
  const { versions } = createVersionWatch({ clock: still, log: silentLog, due: { changes } }, ids =>
    Promise.resolve(new Map(ids.map(id => [id, `${version}`]))),
  )
  const ending = new AbortController()
  const seen = versions('run', ending.signal)
  expect(await seen.next()).toMatchObject({ value: '1' })
  const second = seen.next()
  version = 2
  changes.publish('another')
  changes.publish('run')
  expect(await second).toMatchObject({ value: '2' })
  ending.abort()
  changes.publish('run')
  expect(await seen.next()).toMatchObject({ done: true })
})
