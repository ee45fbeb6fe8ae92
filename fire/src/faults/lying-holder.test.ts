import { afterAll, beforeAll, expect, test } from 'vitest'
import { setFaultStage, type FaultStage } from './fault-stage.ts'
import { lyingFacilitatorFaults } from './lying-facilitator-faults.ts'
import { playFaults } from './play-faults.ts'

let stage: FaultStage

beforeAll(async () => {
  stage = await setFaultStage('holds')
})

afterAll(() => stage.stop())

test('D9 a facilitator that lies about what it settled does no harm, though it names our hold extension', async () => {
  const runs = await playFaults(stage, lyingFacilitatorFaults)
  expect(runs).toHaveLength(lyingFacilitatorFaults.length)
  expect(
    runs.flatMap(({ fault, wrong }) => (wrong === undefined ? [] : [`${fault.name}: ${wrong}`])),
  ).toEqual([])
}, 60_000)
