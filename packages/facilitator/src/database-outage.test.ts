import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock } from '@farebox/protocol/time/clock'
import { silentLog } from '@farebox/server/log'
import { openDatabaseDoor, type DatabaseDoor } from '@farebox/server/src/test-setup/database-door'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Ledger } from './ledger/ledger.ts'
import { openPostgresLedger } from './ledger/postgres/postgres-ledger.ts'
import { NETWORK } from './test-setup/payments-for-tests.ts'
import {
  hasPostgres,
  startStack,
  TEST_DATABASE_URL,
  type RunningFacilitator,
  type Stack,
} from './test-setup/start-stack.ts'

describe.runIf(await hasPostgres())('while the database of the ledger is unavailable', () => {
  let stack: Stack
  let door: DatabaseDoor
  let facilitator: RunningFacilitator
  /** A ledger on the same schema, with a direct connection. */
  let direct: Ledger
  let events: string[] = []

  beforeAll(async () => {
    stack = await startStack()
    direct = await stack.openLedger()
    door = await openDatabaseDoor(TEST_DATABASE_URL)
    const { schema } = stack
    const ledger = await openPostgresLedger({ connectionString: door.url, schema, clock: systemClock })
    const note = (event: string): void => void events.push(event)
    facilitator = await stack.startFacilitator({ ledger, log: { ...silentLog, warn: note, info: note } })
  })
  afterAll(async () => {
    await stack.stop()
    await facilitator.ledger.close()
    await door.shut()
  })
  afterEach(() => {
    events = []
  })

  const heldNow = async (): Promise<number> =>
    (await direct.totals(NETWORK.id, Math.floor(Date.now() / 1_000))).held
  /** Makes the database unavailable, and resolves once a request has noticed it. */
  const goAway = async (): Promise<void> => {
    await door.shut()
    const found = facilitator.verify(await stack.request())
    await until(() => events.includes('the database is unavailable: requests of agents wait'))
    void found
  }

  test('new payments wait, and are held once it is back', async () => {
    const before = await heldNow()
    await goAway()
    const request = await stack.request()
    const verdicts = [facilitator.verify(request), facilitator.verify(await stack.request())]
    expect(await heldNow()).toBe(before)
    await door.open()
    expect(await Promise.all(verdicts)).toMatchObject([{ kind: 'valid' }, { kind: 'valid' }])
    await until(async () => (await heldNow()) === before + 3)
    expect(await facilitator.settle(request)).toMatchObject({ kind: 'settled' })
  })

  test('a settlement waits, and the payment is charged once the database is back', async () => {
    const request = await stack.request()
    expect(await facilitator.verify(request)).toMatchObject({ kind: 'valid' })
    await goAway()
    const settled = facilitator.settle(request)
    await door.open()
    expect(await settled).toMatchObject({ kind: 'settled' })
  })

  test('a caller that leaves holds nothing, and a caller without a secret is refused without waiting', async () => {
    const before = await heldNow()
    await goAway()
    const left = await stack.request()
    expect(await facilitator.client.verify(left, { timeoutMs: 50 })).toMatchObject({ kind: 'unavailable' })
    const strange = await fetch(`${facilitator.url}/verify`, {
      method: 'POST',
      headers: { authorization: 'Bearer fbx_of_nobody' },
      body: '{}',
    })
    expect(strange.status).toBe(401)
    await door.open()
    expect(await facilitator.verify(await stack.request())).toMatchObject({ kind: 'valid' })
    // The request by which the outage was found, and the one above.
    await until(async () => (await heldNow()) === before + 2)
  })
})
