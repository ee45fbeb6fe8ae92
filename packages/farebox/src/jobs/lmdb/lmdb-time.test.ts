import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../test-setup/job-samples.ts'
import { openLmdbStore } from './lmdb-store.ts'
import type { MachineClock } from '../machine-clock.ts'

const HOUR = 3_600_000
let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'farebox-lmdb-time-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** A machine whose clock can be set, and which can be restarted. */
function createMachine(): MachineClock & {
  pass(ms: number): void
  set(ms: number): void
  restart(offMs: number): void
} {
  let boots = 1
  let sinceBootMs = 50 * HOUR
  let wallMs = Date.UTC(2030, 0)
  return {
    get boot() {
      return `boot ${boots}`
    },
    sinceBootMs: () => sinceBootMs,
    nowMs: () => wallMs,
    pass(ms) {
      sinceBootMs += ms
      wallMs += ms
    },
    set(ms) {
      wallMs += ms
    },
    restart(offMs) {
      boots += 1
      sinceBootMs = 20_000
      wallMs += offMs + 20_000
    },
  }
}

const claim = { fence: 'fence', leaseMs: 1_000, keepMs: 1_000 }
const keep = { kind: 'leave', job: settled, sealed: true, keepMs: 600_000 } as const

/** Keeps a response for ten minutes, calls `happens`, and returns how many more seconds the response is kept. */
async function keptFor(
  happens: (machine: ReturnType<typeof createMachine>) => void,
  reopens: boolean,
): Promise<number> {
  const machine = createMachine()
  const folder = join(scratch, crypto.randomUUID())
  let opened = await openLmdbStore(folder, machine)
  const holder = { jobKey: 'a', fence: 'fence' }
  await opened.store.claim({ ...claim, jobKey: 'a', job: settled })
  await opened.store.write(holder, keep)
  if (reopens) await opened.close()
  happens(machine)
  if (reopens) opened = await openLmdbStore(folder, machine)
  let seconds = 0
  while (seconds < 10_000 && (await opened.store.read('a')) !== undefined) {
    machine.pass(1_000)
    seconds += 1
  }
  await opened.close()
  return seconds
}

test.each([
  ['forward', 2 * HOUR],
  ['back', -2 * HOUR],
])('D40 a clock that is set two hours %s deletes nothing early and keeps nothing longer', async (_, ms) => {
  expect(await keptFor(machine => machine.set(ms), false)).toBe(600)
  expect(await keptFor(machine => machine.set(ms), true)).toBe(600)
})

test('D40 after a restart of the machine at most the time since the restart counts as passed', async () => {
  expect(await keptFor(machine => machine.restart(HOUR), true)).toBe(580)
  expect(await keptFor(machine => machine.restart(-2 * HOUR), true)).toBe(600)
})

test('D40 a folder moved to a machine with a long uptime uses the clock, not the uptime', async () => {
  const moved = (machine: ReturnType<typeof createMachine>): void => {
    machine.restart(10_000)
    machine.pass(0)
  }
  expect(await keptFor(moved, true)).toBeGreaterThanOrEqual(570)
})

test('D24 two processes of one machine agree on the time, although its clock was set between their starts', async () => {
  const machine = createMachine()
  const folder = join(scratch, crypto.randomUUID())
  const first = await openLmdbStore(folder, machine)
  await first.store.claim({ ...claim, jobKey: 'a', job: settled, leaseMs: 10_000 })
  machine.set(2 * HOUR)
  const second = await openLmdbStore(folder, machine)
  expect(await second.store.read('a')).toMatchObject({ held: true })
  expect(await second.store.claim({ ...claim, jobKey: 'a', job: settled })).toEqual({ kind: 'held' })
  await first.close()
  await second.close()
})
