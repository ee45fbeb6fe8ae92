import { afterAll, beforeAll, expect, test } from 'vitest'
import { setFaultStage, type FaultStage } from './fault-stage.ts'
import { playFaults, scriptedFaults } from './play-faults.ts'

let stage: FaultStage

beforeAll(async () => {
  stage = await setFaultStage()
})

afterAll(() => stage.stop())

test('a job is paid for once and delivered, whatever fails on the way', async () => {
  const faults = scriptedFaults.filter(({ slow }) => slow !== true)
  expect(faults.length).toBeGreaterThanOrEqual(20)
  const runs = await playFaults(stage, faults)
  expect(runs).toHaveLength(faults.length)
  const broken = runs.flatMap(({ fault, wrong }) =>
    wrong === undefined ? [] : [`${fault.at}: ${fault.name}: ${wrong}`],
  )
  expect(broken).toEqual([])
  const delivered = runs.filter(({ ended }) => ended === 'delivered').length
  expect(runs.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(delivered)
}, 60_000)
