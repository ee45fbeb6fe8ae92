import { expect, test } from 'vitest'
import { stageAgent } from '../paid-stage.test-setup.ts'
import { createScriptedGate, type ScriptedGate } from '../scripted-gate.test-setup.ts'

const START = Date.UTC(2027, 0, 1) / 1_000
const JOB = '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'

function gateOff(aheadSeconds: number): ScriptedGate {
  return Object.assign(createScriptedGate(), { aheadSeconds })
}

test('a deadline that has passed only by this clock is answered 503 with the skew, not 408', async () => {
  const gate = gateOff(300)
  const stage = await stageAgent({ gate })
  const answer = await stage.post({ deadline: START - 100 })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('30')
  expect(answer.json['error']).toBe(
    "this agent's clock is 300 s ahead of its facilitator's: nothing was charged, try again with the same payment",
  )
  expect([...gate.charged]).toEqual([])
})

test('a payment that has expired only by this clock is answered 503, not 402', async () => {
  const stage = await stageAgent({ gate: gateOff(300) })
  const payment = await stage.sign({ jobId: JOB, validBefore: START - 200 })
  expect((await stage.post({ jobId: JOB, payment })).status).toBe(503)
})

test('a payment that has expired by both clocks is refused as usual', async () => {
  const stage = await stageAgent({ gate: gateOff(300) })
  const payment = await stage.sign({ jobId: JOB, validBefore: START - 1_000 })
  const answer = await stage.post({ jobId: JOB, payment })
  expect([answer.status, answer.json['error']]).toEqual([
    402,
    'the authorization has expired: sign a new one',
  ])
  expect((await stage.post({ deadline: START - 1_000 })).status).toBe(408)
})

test('a facilitator’s answer about an expired payment that shows a clock skew takes effect at once', async () => {
  const gate = createScriptedGate()
  const asked = gate.findCharge.bind(gate)
  gate.findCharge = (payment, terms) => {
    gate.aheadSeconds = 300
    return asked(payment, terms)
  }
  const stage = await stageAgent({ gate })
  const payment = await stage.sign({ jobId: JOB, validBefore: START - 200 })
  expect((await stage.post({ jobId: JOB, payment })).status).toBe(503)
})

test('a deadline that has passed only by the facilitator’s clock is answered 503 before anything runs', async () => {
  const stage = await stageAgent({ gate: gateOff(-300) })
  expect((await stage.post({ deadline: START + 100 })).status).toBe(503)
  expect(stage.calls).not.toContain('handler')
})

test('a deadline that passes only by this clock during an earlier attempt is answered 503 with the skew', async () => {
  const stage = await stageAgent({ gate: gateOff(300) })
  stage.work = () => new Promise(() => undefined)
  const payment = await stage.sign({ jobId: JOB, validBefore: START + 3_000 })
  const first = stage.post({ jobId: JOB, payment, deadline: START + 30 })
  await stage.clock.advance(31_000)
  expect((await first).status).toBe(503)
  const repeat = stage.post({ jobId: JOB, payment, deadline: START + 60 })
  await stage.clock.advance(31_000)
  const answer = await repeat
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '30'])
  expect(answer.json['error']).toMatch(/^this agent's clock is 300 s ahead of its facilitator's/)
})

test('a clock that is behind ends a run at the caller’s deadline, and charges nothing', async () => {
  const gate = gateOff(-20)
  const stage = await stageAgent({ gate })
  stage.work = async () => {
    await new Promise<void>(resolve => {
      stage.clock.after(15_000, resolve)
    })
    return { text: 'late' }
  }
  const posted = stage.post({ deadline: START + 30 })
  await stage.clock.advance(11_000)
  expect((await posted).status).toBe(503)
  await stage.clock.advance(10_000)
  expect([...gate.charged]).toEqual([])
})

test('the first verification that shows the clock behind shortens that run', async () => {
  const gate = createScriptedGate()
  const verify = gate.verify.bind(gate)
  gate.verify = (payment, terms) => {
    gate.aheadSeconds = -300
    return verify(payment, terms)
  }
  const stage = await stageAgent({ gate })
  expect((await stage.post()).status).toBe(503)
  expect(stage.calls).not.toContain('handler')
  expect(stage.calls).toContain('release')
})

test.each([300, -300])('a skew of %i s changes nothing for a job that both clocks accept', async ahead => {
  const stage = await stageAgent({ gate: gateOff(ahead) })
  const payment = await stage.sign({ jobId: JOB, validBefore: START + 3_000 })
  expect((await stage.post({ jobId: JOB, payment, deadline: START + 1_000 })).status).toBe(200)
})
